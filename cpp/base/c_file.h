// SPDX-License-Identifier: MIT
// Files of the C library, without a buffer. The core uses no C++ streams: these share locales with
// every other module of a process, and another one that brings its own C++ library breaks them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

namespace tengen {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

using CFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a file to read, or makes a new one to write; nullptr on failure, with `errno`.
inline CFile open_file(const std::filesystem::path& path, bool writing) {
#if defined(_WIN32)
  CFile file(_wfopen(path.c_str(), writing ? L"wbx" : L"rb"));
#else
  CFile file(std::fopen(path.c_str(), writing ? "wbx" : "rb"));
#endif
  if (file) std::setvbuf(file.get(), nullptr, _IONBF, 0);
  return file;
}

}  // namespace tengen
