// SPDX-License-Identifier: MIT
#if defined(_WIN32)

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "os/os.h"

namespace tengen::os {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t MAX_CHUNK = 1 << 20;  ///< bytes of one call

unsigned chunk(std::size_t count) { return static_cast<unsigned>(std::min(count, MAX_CHUNK)); }

}  // namespace

long process_id() { return static_cast<long>(GetCurrentProcessId()); }

void lower_thread_priority() {
  SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

std::int64_t machine_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) ? static_cast<std::int64_t>(status.ullTotalPhys >> 20) : 0;
}

// Large pages need a privilege that users do not have.
void* map_memory(std::size_t bytes) {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void unmap_memory(void* memory, std::size_t) { VirtualFree(memory, 0, MEM_RELEASE); }

void save_address_space() {}

LockResult lock_file(const fs::path& path, std::intptr_t& handle) {
  // Opened for this process alone, and deleted when it is closed, also by the end of the process.
  void* const file = CreateFileW(path.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                                 FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  if (file != INVALID_HANDLE_VALUE) {
    handle = reinterpret_cast<std::intptr_t>(file);
    return LockResult::LOCKED;
  }
  const unsigned long error = GetLastError();
  const bool is_busy = error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED;
  return is_busy && fs::exists(path) ? LockResult::BUSY : LockResult::UNSUPPORTED;
}

void unlock_file(const fs::path&, std::intptr_t handle) {
  CloseHandle(reinterpret_cast<void*>(handle));
}

fs::path user_cache_folder() {
  const wchar_t* const folder = _wgetenv(L"LOCALAPPDATA");
  return folder != nullptr && fs::path(folder).is_absolute() ? fs::path(folder) : fs::path();
}

/// The temporary folder of Windows is per user.
fs::path private_temporary_folder() {
  std::error_code error;
  const fs::path above = fs::temp_directory_path(error);
  return error ? fs::path() : above / "tengen";
}

bool is_writable_folder(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && _waccess(folder.c_str(), 2) == 0;
}

fs::path program_path() {
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

void prepare_pipes() {
  _setmode(0, _O_BINARY);
  _setmode(1, _O_BINARY);
}

std::int64_t read_some(int file, char* bytes, std::size_t most) {
  return _read(file, bytes, chunk(most));
}

std::int64_t write_some(int file, const char* bytes, std::size_t count) {
  return _write(file, bytes, chunk(count));
}

}  // namespace tengen::os

#endif
