// SPDX-License-Identifier: MIT
#include "base/file_lock.h"

namespace tengen {

FileLock::Result FileLock::try_lock() {
  const Result result = os::lock_file(path_, handle_);
  is_held_ = result == Result::LOCKED;
  return result;
}

void FileLock::release() {
  if (is_held_) os::unlock_file(path_, handle_);
  is_held_ = false;
}

}  // namespace tengen
