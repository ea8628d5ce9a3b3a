// SPDX-License-Identifier: MIT
// Where the files of the engine are: in a folder, or inside the executable. And the nets among
// them: `registry.json` maps a rule and a board size to one net, or one net per colour
// (docs/formats/net.md).
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "game/rule.h"
#include "mixnet/weights.h"

namespace tengen {

/// A net that cannot be used, or its registry.
class BadNet : public std::runtime_error {
 public:
  explicit BadNet(const std::string& reason, const std::string& source = "")
      : std::runtime_error(source.empty() ? reason : source + ": " + reason),
        reason_(reason),
        source_(source) {}

  const std::string& reason() const { return reason_; }
  const std::string& source() const { return source_; }  ///< the file, if there is one

 private:
  std::string reason_, source_;
};

/// Files by name. Errors are std::system_error.
class FileSource {
 public:
  virtual ~FileSource() = default;

  virtual std::vector<std::string> names() const = 0;  ///< sorted
  virtual std::string read(const std::string& name) const = 0;
  /// At most `most` bytes from the start of a file, and its length.
  virtual std::pair<std::string, u64> read_start(const std::string& name, size_t most) const = 0;
  /// A text that differs for other files, and after a file was replaced or written to.
  virtual std::string version(const std::string& name) const = 0;
  /// The file for messages.
  virtual std::string place(const std::string& name) const = 0;
};

class FolderSource : public FileSource {
 public:
  explicit FolderSource(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::vector<std::string> names() const override;
  std::string read(const std::string& name) const override;
  std::pair<std::string, u64> read_start(const std::string& name, size_t most) const override;
  std::string version(const std::string& name) const override;
  std::string place(const std::string& name) const override { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

/// Files that are part of the executable.
class EmbeddedSource : public FileSource {
 public:
  struct File {
    std::string_view name, bytes;
  };

  explicit EmbeddedSource(std::vector<File> files) : files_(std::move(files)) {}

  std::vector<std::string> names() const override;
  std::string read(const std::string& name) const override;
  std::pair<std::string, u64> read_start(const std::string& name, size_t most) const override;
  std::string version(const std::string& name) const override { return "embedded " + name; }
  std::string place(const std::string& name) const override { return name; }

 private:
  std::string_view bytes_of(const std::string& name) const;

  std::vector<File> files_;
};

/// A net file.
struct NetFile {
  std::shared_ptr<const FileSource> source;
  std::string name;  ///< of the file, with its suffix

  std::string stem() const { return name.substr(0, name.rfind('.')); }
  bool is_onnx() const;
  std::string place() const { return source->place(name); }
  std::string version() const { return source->version(name); }

  bool operator==(const NetFile& other) const { return place() == other.place(); }
};

/// What the header of a net file says.
struct NetInfo {
  mixnet::Shape shape{};
  u16 rules = 0;    ///< bit i: the i-th rule
  u32 sizes = 0;    ///< bit s: boards of s lines
  u16 colours = 0;  ///< 1: black to move, 2: white

  /// `mixnet-s`, `-m`, `-l`, or `mixnet` for other sizes.
  std::string family() const;
  /// Memory of its codebooks.
  u64 bytes() const;
  /// `colour` EMPTY: both.
  bool supports(Rule rule, int size, Colour colour = EMPTY) const;
  /// Throws BadNet unless it supports these.
  void check_supports(Rule rule, int size, Colour colour = EMPTY) const;

 private:
  std::string purpose() const;
};

/// Reads the header of a file, and checks the length of the file. Remembered until the file
/// changes: engines read headers with every move. Throws BadNet.
NetInfo read_net_info(const NetFile& file);

/// Guards what is remembered of files: a process that forks must hold it.
std::mutex& net_files_lock();

/// Nets for black and for white to move; they may be the same.
using NetPair = std::array<NetFile, 2>;

/// An entry of a registry: the nets of a rule for a range of board sizes.
struct NetUse {
  Rule rule;
  int smallest, largest;
  NetPair nets;
};

/// The nets of a folder or of the executable.
class NetFolder {
 public:
  /// `is_bundled`: the nets of the package, for messages.
  explicit NetFolder(std::shared_ptr<const FileSource> source, bool is_bundled = false)
      : source_(std::move(source)), is_bundled_(is_bundled) {}

  /// The entries of the registry. Throws BadNet.
  std::vector<NetUse> uses() const;
  /// The nets of the registry for a rule and a size; nullopt if there are none. Throws BadNet if
  /// the registry cannot be read, or names a file that is missing or does not support them.
  std::optional<NetPair> find(Rule rule, int size) const;
  /// All nets that are not ONNX files, whether the registry names them or not.
  std::vector<NetFile> all() const;
  /// The net of a name without suffix; nullopt if there is none.
  std::optional<NetFile> named(const std::string& name) const;

 private:
  NetFile file(const std::string& name) const;
  std::string remedy() const;

  std::shared_ptr<const FileSource> source_;
  bool is_bundled_;
};

/// The net that a user names: a bundled one by its name, a file, or a folder with a registry.
/// nullopt if the folder has no net for the rule and the size. Throws BadNet.
std::optional<NetPair> find_named_nets(const std::string& net, Rule rule, int size,
                                       const NetFolder& bundled);

}  // namespace tengen
