// SPDX-License-Identifier: MIT
// What the core needs of the operating system beyond the C++ library: os_posix.cpp, os_windows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace tengen::os {

/// The number of this process, which differs after a fork.
long process_id();

/// Whether threads read files while the main thread works. In WebAssembly, if it has threads at
/// all, the main thread does it for them.
#if defined(__EMSCRIPTEN__)
inline constexpr bool THREADS_READ_FILES = false;
#else
inline constexpr bool THREADS_READ_FILES = true;
#endif

/// Lets other threads go first, where the system can do that for one thread: the calling thread and
/// those that it starts from now on.
void lower_thread_priority();

/// MiB of memory that the machine has; 0 if unknown.
std::int64_t machine_memory();

// --- memory ---

inline constexpr std::size_t LARGE_PAGE = std::size_t{2} << 20;

/// Zeroed memory, on large pages where the system has them; nullptr if there is none. `bytes`: a
/// multiple of LARGE_PAGE.
void* map_memory(std::size_t bytes);
void unmap_memory(void* memory, std::size_t bytes);
/// Saves address space if that of the process is limited (`ulimit -v`): threads share one heap and
/// have small stacks, and large blocks are not part of the heap, so that they can be given back.
/// glibc reserves 64 MiB for the heap of a thread, and where that fails, each allocation takes
/// whole pages.
void save_address_space();

// --- files ---

enum class LockResult {
  LOCKED,
  BUSY,         ///< locked by another process
  UNSUPPORTED,  ///< the system, the file system or the permissions do not allow locks
};

/// Locks a file for this process, and creates it. `handle` is for unlock_file().
LockResult lock_file(const std::filesystem::path& path, std::intptr_t& handle);
/// Removes the file and releases its lock.
void unlock_file(const std::filesystem::path& path, std::intptr_t handle);

/// The user's folder for files that can be made again; empty if there is none.
std::filesystem::path user_cache_folder();
/// A folder among the temporary files that is this user's own and that others cannot write to;
/// empty if there is none.
std::filesystem::path private_temporary_folder();
bool is_writable_folder(const std::filesystem::path& folder);
/// The running program, with links resolved; empty if unknown.
std::filesystem::path program_path();

// --- pipes ---

/// Bytes as they are, and a closed output is an error of write_some(), not the end of the process.
void prepare_pipes();
/// The number of bytes read; 0 at the end, below 0 for an error.
std::int64_t read_some(int file, char* bytes, std::size_t most);
/// The number of bytes written; below 1 for an error.
std::int64_t write_some(int file, const char* bytes, std::size_t count);

}  // namespace tengen::os
