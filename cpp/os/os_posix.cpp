// SPDX-License-Identifier: MIT
#if !defined(_WIN32)

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#include "os/os.h"

namespace tengen::os {

namespace fs = std::filesystem;

long process_id() { return getpid(); }

void lower_thread_priority() {
#if defined(__linux__)
  constexpr int NICE = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), NICE);
#endif
}

std::int64_t machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::int64_t>(pages) * size >> 20 : 0;
}

#if defined(__EMSCRIPTEN__)  // munmap() takes whole mappings alone

void* map_memory(std::size_t bytes) {
  constexpr std::size_t CACHE_LINE = 64;
  void* const memory = std::aligned_alloc(CACHE_LINE, bytes);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}

void unmap_memory(void* memory, std::size_t) { std::free(memory); }

#else

void* map_memory(std::size_t bytes) {
  // A large page must be aligned to its size: map one page more, and unmap the unaligned ends.
  const std::size_t mapped = bytes + LARGE_PAGE;
  void* const all = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(all);
  const std::size_t over = reinterpret_cast<std::uintptr_t>(all) % LARGE_PAGE;
  char* const first = begin + (over == 0 ? 0 : LARGE_PAGE - over);
  if (first != begin) munmap(begin, static_cast<std::size_t>(first - begin));
  if (first + bytes != begin + mapped)
    munmap(first + bytes, static_cast<std::size_t>(begin + mapped - first - bytes));
#if defined(MADV_HUGEPAGE)
  madvise(first, bytes, MADV_HUGEPAGE);  // a hint: small pages also work
#endif
  return first;
}

void unmap_memory(void* memory, std::size_t bytes) { munmap(memory, bytes); }

#endif

void save_address_space() {
#if defined(__GLIBC__)
  constexpr std::size_t STACK = std::size_t{2} << 20;  // as on Windows
  constexpr int LARGE = 1 << 17;                       // bytes
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, LARGE);  // this bound no longer grows
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, STACK) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

LockResult lock_file(const fs::path& path, std::intptr_t& handle) {
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) return LockResult::UNSUPPORTED;
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const bool is_busy = errno == EWOULDBLOCK || errno == EINTR;
    close(file);
    return is_busy ? LockResult::BUSY : LockResult::UNSUPPORTED;
  }
  // The previous holder may have removed the file after we opened it: then our lock is on a deleted
  // file and excludes nobody.
  struct stat ours{}, named{};
  if (fstat(file, &ours) != 0 || stat(path.c_str(), &named) != 0 || ours.st_ino != named.st_ino ||
      ours.st_dev != named.st_dev) {
    close(file);
    return LockResult::BUSY;
  }
  handle = file;
  return LockResult::LOCKED;
}

void unlock_file(const fs::path& path, std::intptr_t handle) {
  unlink(path.c_str());
  close(static_cast<int>(handle));
}

fs::path user_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return cache;
  const char* const home = std::getenv("HOME");
  return home != nullptr && fs::path(home).is_absolute() ? fs::path(home) / ".cache" : fs::path();
}

fs::path private_temporary_folder() {
  std::error_code error;
  const fs::path above = fs::temp_directory_path(error);
  if (error) return {};
  const fs::path folder = above / ("tengen-" + std::to_string(geteuid()));
  mkdir(folder.c_str(), 0700);
  struct stat status{};
  if (lstat(folder.c_str(), &status) != 0) return {};
  const bool is_own = S_ISDIR(status.st_mode) && status.st_uid == geteuid();
  return is_own && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 ? folder : fs::path();
}

bool is_writable_folder(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0;
}

fs::path program_path() {
  std::error_code error;
#if defined(__APPLE__)
  std::string path(4096, '\0');
  auto length = static_cast<uint32_t>(path.size());
  return _NSGetExecutablePath(path.data(), &length) == 0 ? fs::canonical(path.c_str(), error)
                                                         : fs::path();
#else
  return fs::read_symlink("/proc/self/exe", error);
#endif
}

void prepare_pipes() { std::signal(SIGPIPE, SIG_IGN); }

std::int64_t read_some(int file, char* bytes, std::size_t most) { return read(file, bytes, most); }

std::int64_t write_some(int file, const char* bytes, std::size_t count) {
  return write(file, bytes, count);
}

}  // namespace tengen::os

#endif
