// SPDX-License-Identifier: MIT
#include "engine/cache_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "os/os.h"

namespace tengen {

namespace fs = std::filesystem;

namespace {

/// Whether it is writable, can be created, or has baked nets to read.
bool is_usable(const fs::path& folder) {
  std::error_code error;
  fs::path existing = folder;
  while (!fs::exists(fs::symlink_status(existing, error)) && existing.has_relative_path())
    existing = existing.parent_path();
  if (os::is_writable_folder(existing)) return true;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".codebook") return true;
  return false;
}

}  // namespace

fs::path cache_folder() {
  if (const char* const setting = std::getenv("TENGEN_CACHE"); setting && *setting) {
    std::string word = setting;
    for (char& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
    return word == "off" ? fs::path() : fs::path(setting);
  }
  const fs::path base = os::user_cache_folder();
  return !base.empty() && is_usable(base / "tengen") ? base / "tengen"
                                                     : os::private_temporary_folder();
}

}  // namespace tengen
