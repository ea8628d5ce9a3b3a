// SPDX-License-Identifier: MIT
// An inter-process lock on a file, which exists while the lock is held. The operating system
// releases the lock if its holder dies.
#pragma once

#include <filesystem>

#include "os/os.h"

namespace tengen {

/// Not thread-safe.
class FileLock {
 public:
  using Result = os::LockResult;  ///< BUSY: try again

  explicit FileLock(std::filesystem::path path) : path_(std::move(path)) {}
  ~FileLock() { release(); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Does not block.
  Result try_lock();
  bool is_held() const { return is_held_; }
  /// Removes the file and releases the lock.
  void release();

 private:
  std::filesystem::path path_;
  std::intptr_t handle_ = 0;
  bool is_held_ = false;
};

}  // namespace tengen
