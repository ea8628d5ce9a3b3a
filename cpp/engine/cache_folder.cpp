// SPDX-License-Identifier: MIT
#include "engine/cache_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

#if __has_include(<unistd.h>)
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace tengen {

namespace fs = std::filesystem;

namespace {

fs::path from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path user_folder() {
#ifdef _WIN32
  const fs::path base = from_environment("LOCALAPPDATA");
  return base.is_absolute() ? base / "tengen" : fs::path();
#else
  const fs::path base = from_environment("XDG_CACHE_HOME");
  if (base.is_absolute()) return base / "tengen";
  const fs::path home = from_environment("HOME");
  return home.is_absolute() ? home / ".cache" / "tengen" : fs::path();
#endif
}

/// Whether it is writable, can be created, or has baked nets to read.
bool is_usable(const fs::path& folder) {
  std::error_code error;
  fs::path existing = folder;
  while (!fs::exists(fs::symlink_status(existing, error)) && existing.has_relative_path())
    existing = existing.parent_path();
#if __has_include(<unistd.h>)
  if (fs::is_directory(existing, error) && access(existing.c_str(), W_OK | X_OK) == 0) return true;
#else
  if (fs::is_directory(existing, error)) return true;
#endif
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".codebook") return true;
  return false;
}

/// A folder of this user that others cannot write to: they could plant nets.
fs::path temporary_folder() {
  std::error_code error;
  const fs::path above = fs::temp_directory_path(error);
  if (error) return {};
#if __has_include(<unistd.h>)
  const fs::path folder = above / ("tengen-" + std::to_string(geteuid()));
  mkdir(folder.c_str(), 0700);
  struct stat status{};
  if (lstat(folder.c_str(), &status) != 0) return {};
  const bool is_own = S_ISDIR(status.st_mode) && status.st_uid == geteuid();
  return is_own && !(status.st_mode & (S_IWGRP | S_IWOTH)) ? folder : fs::path();
#else
  return above / "tengen";  // the temporary folder of Windows is per user
#endif
}

}  // namespace

fs::path cache_folder() {
  const fs::path setting = from_environment("TENGEN_CACHE");
  if (!setting.empty()) {
    std::string word = setting.string();
    for (char& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
    return word == "off" ? fs::path() : setting;
  }
  const fs::path folder = user_folder();
  return !folder.empty() && is_usable(folder) ? folder : temporary_folder();
}

}  // namespace tengen
