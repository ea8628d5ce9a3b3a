// SPDX-License-Identifier: MIT
#include "app/program_bundle.h"

#include <initializer_list>
#include <string_view>
#include <system_error>
#include <vector>

#include "os/os.h"

namespace tengen::app {

namespace fs = std::filesystem;

namespace {

/// The data of the package that was installed with the program; empty if there is none.
// An installer puts the program into PREFIX/bin or PREFIX\Scripts and the package into one of a few
// folders below PREFIX, which depend on Python and system. They are searched relative to the program
// and not written down at build time, so the result holds in virtual environments, with --user,
// --prefix and --target, and after the folder was moved. Several Pythons can share a prefix: the
// metadata beside the package must have the version of the program.
fs::path installed_data(const fs::path& program) {
  const fs::path prefix = program.parent_path().parent_path();
  std::vector<fs::path> sites = {prefix, prefix / "Lib" / "site-packages",
                                 prefix / "site-packages"};  // --target, Windows, Windows --user
  std::error_code error;
  for (const char* library : {"lib", "lib64"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(prefix / library, error)) {
      if (!entry.path().filename().string().starts_with("python")) continue;
      sites.push_back(entry.path() / "site-packages");
      sites.push_back(entry.path() / "dist-packages");  // Debian
    }
  }
  for (const fs::path& site : sites) {
    const fs::path data = site / "tengen" / "engine" / "data";
    if (fs::is_directory(site / "tengen_gomoku-" TENGEN_VERSION ".dist-info", error) &&
        fs::is_directory(data, error))
      return data;
  }
#if defined(TENGEN_DATA)
  return TENGEN_DATA;  // an editable installation: the package is the source tree
#else
  return {};
#endif
}

}  // namespace

Bundle program_bundle(const fs::path& folder) {
  if (!folder.empty()) return bundle_in(folder);
  const fs::path program = os::program_path();
  const fs::path beside = program.parent_path() / "data";
  std::error_code error;
  if (fs::is_directory(beside, error)) return bundle_in(beside);
  const fs::path installed = installed_data(program);
  return bundle_in(installed.empty() ? beside : installed);
}

}  // namespace tengen::app
