// SPDX-License-Identifier: MIT
// On-disk cache of baked codebooks, so that a net is baked once per machine (docs/cache.md). Cache
// errors are not fatal: the net is then baked in memory. Any number of processes may share a
// folder.
#pragma once

#include <filesystem>
#include <string>

#include "mixnet/bake.h"

namespace tengen::mixnet {

/// Where codebooks came from.
struct CacheReport {
  bool from_cache = false;
  std::filesystem::path file;  ///< cache file; empty: none
  std::string note;            ///< error message of the cache, if any
};

class CodebookCache {
 public:
  /// Above this size the least recently used files are deleted.
  static constexpr u64 MAX_BYTES = u64{1} << 30;

  /// An empty path disables the cache.
  explicit CodebookCache(std::filesystem::path folder, u64 max_bytes = MAX_BYTES)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  /// The codebooks of a net: read from the cache, or baked and stored. Waits if another process is
  /// baking them. Throws like bake().
  Codebooks get(const Weights& weights, const BakeOptions& options, CacheReport& report) const;

  /// The file name of a net in the cache.
  static std::string file_name(const Weights& weights);

 private:
  void store(const std::filesystem::path& path, const Weights& weights, const Codebooks& books,
             const Progress& progress, CacheReport& report) const;
  void remove_unused(const std::filesystem::path& kept) const;
  void remove_stale(const std::string& of_file) const;

  std::filesystem::path folder_;
  u64 max_bytes_;
};

}  // namespace tengen::mixnet
