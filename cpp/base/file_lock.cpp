// SPDX-License-Identifier: MIT
#include "base/file_lock.h"

#if __has_include(<sys/file.h>)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#define TENGEN_HAS_FLOCK
#endif

namespace tengen {

#if defined(TENGEN_HAS_FLOCK)

FileLock::Result FileLock::try_hold() {
  const int file = open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) return Result::NONE;
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const Result found = errno == EWOULDBLOCK || errno == EINTR ? Result::TAKEN : Result::NONE;
    close(file);
    return found;
  }
  // The holder before us removes the file: a lock on what has no name any more locks nobody out.
  struct stat ours, named;
  if (fstat(file, &ours) != 0 || stat(path_.c_str(), &named) != 0 || ours.st_ino != named.st_ino ||
      ours.st_dev != named.st_dev) {
    close(file);
    return Result::TAKEN;
  }
  file_ = file;
  return Result::HELD;
}

void FileLock::release() {
  if (file_ < 0) return;
  unlink(path_.c_str());
  close(file_);
  file_ = -1;
}

#else

FileLock::Result FileLock::try_hold() { return Result::NONE; }
void FileLock::release() {}

#endif

}  // namespace tengen
