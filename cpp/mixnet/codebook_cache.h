// SPDX-License-Identifier: MIT
// Baked codebooks kept in a folder, so that a net is baked once on a machine (docs/cache.md). What
// goes wrong there never keeps a net from being used: it is baked in memory then. Any number of
// processes may use a folder. Relies on baked_file.h; loading a net relies on it.
#pragma once

#include <filesystem>
#include <string>

#include "mixnet/bake.h"

namespace tengen::mixnet {

/// Where codebooks came from.
struct CacheReport {
  bool from_cache = false;
  std::filesystem::path file;  ///< that holds them now; empty: none
  std::string note;            ///< what went wrong with the cache, a sentence; mostly nothing
};

class CodebookCache {
 public:
  /// Beyond so many bytes the files that were not used for the longest time are deleted.
  static constexpr u64 MAX_BYTES_READ = u64{1} << 30;

  /// An empty path is no folder: everything is baked.
  explicit CodebookCache(std::filesystem::path folder, u64 max_bytes = MAX_BYTES_READ)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  /// The codebooks of a net: read, or baked and put into the folder. If another process is baking
  /// them, waits for it. Throws as `bake` does.
  Codebooks get(const Weights& weights, const Baking& baking, CacheReport& report) const;

  /// The name of a net's file in the folder.
  static std::string file_name(const Weights& weights);

 private:
  void store(const std::filesystem::path& path, const Weights& weights, const Codebooks& books,
             const Progress& progress, CacheReport& report) const;
  void remove_unused(const std::filesystem::path& kept) const;
  void remove_leftovers(const std::string& of_file) const;

  std::filesystem::path folder_;
  u64 max_bytes_;
};

}  // namespace tengen::mixnet
