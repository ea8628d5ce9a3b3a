// SPDX-License-Identifier: MIT
#include "app/program_bundle.h"

#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "os/os.h"

#if defined(TENGEN_EMBED)

// `app/embedded_files.inc`, written by CMake, has a line EMBED(NUMBER, NAME, PATH) per file of the
// package's data folder. The assembler copies the files into read-only data of the program.
#if defined(_WIN32)
#define TENGEN_READ_ONLY ".section .rdata,\"dr\"\n"
#define TENGEN_LOCAL
#else
#define TENGEN_READ_ONLY ".section .rodata,\"a\"\n"
// Addressed directly: in a global offset table for 64-bit ARM, labels lose their offsets.
#define TENGEN_LOCAL [[gnu::visibility("hidden")]]
#endif
// clang-format off
#define EMBED(number, name, path)                                                   \
  extern "C" TENGEN_LOCAL const char tengen_file_##number[], tengen_end_##number[]; \
  asm(TENGEN_READ_ONLY ".balign 64\n"                                               \
      "tengen_file_" #number ": .incbin \"" path "\"\n"                             \
      "tengen_end_" #number ": .byte 0\n"                                           \
      ".text\n");
// clang-format on
#include "app/embedded_files.inc"
#undef EMBED

#endif

namespace tengen::app {

namespace fs = std::filesystem;

namespace {

#if defined(TENGEN_EMBED)

Bundle embedded_bundle() {
  using Files = std::vector<EmbeddedSource::File>;
  constexpr std::string_view NETS = "nets/";
  Files tables, nets;
  const auto add = [&](std::string_view name, const char* begin, const char* end) {
    const std::string_view bytes(begin, static_cast<size_t>(end - begin));
    if (name.starts_with(NETS))
      nets.push_back({name.substr(NETS.size()), bytes});
    else
      tables.push_back({name, bytes});
  };
#define EMBED(number, name, path) add(name, tengen_file_##number, tengen_end_##number);
#include "app/embedded_files.inc"
#undef EMBED
  return {std::make_shared<EmbeddedSource>(std::move(tables)),
          NetFolder(std::make_shared<EmbeddedSource>(std::move(nets)), true)};
}

#else

/// The data of the package that was installed with the program; empty if there is none.
// An installer puts the program into PREFIX/bin or PREFIX\Scripts and the package into one of a few
// folders below PREFIX, which depend on Python and system. They are searched relative to the
// program and not written down at build time, so the result holds in virtual environments, with
// --user,
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

#endif

}  // namespace

Bundle program_bundle(const fs::path& folder) {
  if (!folder.empty()) return bundle_in(folder);
  const fs::path program = os::program_path();
  const fs::path beside = program.parent_path() / "data";
  std::error_code error;
  const bool is_known = program.is_absolute();
  // Another program may have a folder of that name there.
  if (is_known && fs::exists(beside / "nets" / "registry.json", error)) return bundle_in(beside);
#if defined(TENGEN_EMBED)
  return embedded_bundle();
#else
  const fs::path installed = is_known ? installed_data(program) : fs::path();
  return bundle_in(installed.empty() ? beside : installed);
#endif
}

}  // namespace tengen::app
