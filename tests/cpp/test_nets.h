// SPDX-License-Identifier: MIT
// A folder of nets for tests, and the messages of errors.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include "engine/net_files.h"

namespace tengen {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string lively() {
  return read_file(std::filesystem::path(TENGEN_TEST_DATA) / "golden" / "mixnet" / "lively.net");
}

/// A folder with a registry and copies of a net for freestyle.
class TestNets {
 public:
  explicit TestNets(const std::string& entries, std::initializer_list<const char*> names)
      : path_(std::filesystem::temp_directory_path() /
              ("tengen-nets-" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directory(path_);
    write("registry.json", R"({"format": 1, "nets": [)" + entries + "]}");
    for (const char* name : names) write(std::string(name) + ".net", lively());
  }
  ~TestNets() { std::filesystem::remove_all(path_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  const std::filesystem::path& path() const { return path_; }
  NetFolder folder() const { return NetFolder(std::make_shared<FolderSource>(path_), true); }

 private:
  std::filesystem::path path_;
};

inline const std::string ONE = R"({"rule": "freestyle", "from": 5, "to": 22, "net": "one"})";
inline const std::string TWO =
    R"({"rule": "freestyle", "from": 5, "to": 22, "black": "b", "white": "w"})";

/// The message of what a call throws.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tengen
