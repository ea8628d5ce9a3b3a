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

FileLock::Result FileLock::try_lock() {
  const int file = open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) return Result::UNSUPPORTED;
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const Result result =
        errno == EWOULDBLOCK || errno == EINTR ? Result::BUSY : Result::UNSUPPORTED;
    close(file);
    return result;
  }
  // The previous holder may have removed the file after we opened it: then our lock is on a deleted
  // file and excludes nobody.
  struct stat ours, named;
  if (fstat(file, &ours) != 0 || stat(path_.c_str(), &named) != 0 || ours.st_ino != named.st_ino ||
      ours.st_dev != named.st_dev) {
    close(file);
    return Result::BUSY;
  }
  file_ = file;
  return Result::LOCKED;
}

void FileLock::release() {
  if (file_ < 0) return;
  unlink(path_.c_str());
  close(file_);
  file_ = -1;
}

#else

FileLock::Result FileLock::try_lock() { return Result::UNSUPPORTED; }
void FileLock::release() {}

#endif

}  // namespace tengen
