// SPDX-License-Identifier: MIT
// An inter-process lock on a file, which exists while the lock is held. The operating system
// releases the lock if its holder dies.
#pragma once

#include <filesystem>

#include "base/types.h"

namespace tengen {

/// Not thread-safe.
class FileLock {
 public:
  enum class Result {
    LOCKED,       ///< by this object
    BUSY,         ///< by another process; try again
    UNSUPPORTED,  ///< the system, the file system or the permissions do not allow locks
  };

  explicit FileLock(std::filesystem::path path) : path_(std::move(path)) {}
  ~FileLock() { release(); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Does not block.
  Result try_lock();
  bool is_held() const { return file_ >= 0; }
  /// Removes the file and releases the lock.
  void release();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace tengen
