// SPDX-License-Identifier: MIT
#include "app/program_bundle.h"

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

#endif

}  // namespace

Bundle program_bundle(const fs::path& folder) {
  if (!folder.empty()) return bundle_in(folder);
  const fs::path beside = os::program_path().parent_path() / "data";
#if defined(TENGEN_EMBED)
  std::error_code error;
  if (!beside.is_absolute() || !fs::is_directory(beside, error)) return embedded_bundle();
#endif
  return bundle_in(beside);
}

}  // namespace tengen::app
