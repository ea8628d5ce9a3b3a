// SPDX-License-Identifier: MIT
// A lock between processes, by a file that exists while somebody holds it. The system lets go of it
// when its holder dies. Relies on types.h.
#pragma once

#include <filesystem>

#include "base/types.h"

namespace tengen {

/// Not for threads of one process that share the object.
class FileLock {
 public:
  enum class Result {
    HELD,   ///< by us
    TAKEN,  ///< by another process: try again
    NONE,   ///< the system, the file system or the rights of the folder allow no locks
  };

  explicit FileLock(std::filesystem::path path) : path_(std::move(path)) {}
  ~FileLock() { release(); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Returns at once.
  Result try_hold();
  bool is_held() const { return file_ >= 0; }
  /// Removes the file, and lets go.
  void release();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace tengen
