// SPDX-License-Identifier: MIT
// `pbrain-tengen`: an engine for the Gomocup protocol on stdin and stdout.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <unistd.h>
#include <csignal>
#endif

#include "app/server.h"

namespace {

using namespace tengen;

constexpr const char* VERSION = TENGEN_VERSION;

/// MiB of memory that the machine has; 0 if unknown.
i64 machine_memory() {
#ifdef _WIN32
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) ? static_cast<i64>(status.ullTotalPhys >> 20) : 0;
#else
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? static_cast<i64>(pages) * size >> 20 : 0;
#endif
}

/// The program itself, with links resolved; empty if unknown.
std::filesystem::path own_path() {
#ifdef _WIN32
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
#else
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
#endif
}

void print_help() {
  std::cout << "usage: pbrain-tengen [--OPTION VALUE ...]\n\n"
               "A Gomoku and Renju engine for the Gomocup protocol (START, TURN, BOARD, ...) on\n"
               "stdin and stdout. INFO of the manager overrides the options.\n\noptions:\n"
               "  --help, --version\n"
               "  --data DIR  folder of the tables and nets (default: `data` beside the program)\n";
  for (const OptionSpec& spec : option_specs()) {
    std::cout << "  --" << spec.name << "  " << spec.help
              << " (default: " << (spec.initial.empty() ? "none" : spec.initial) << ")\n";
  }
}

Bundle bundle_in(const std::filesystem::path& folder) {
  return {std::make_shared<FolderSource>(folder),
          NetFolder(std::make_shared<FolderSource>(folder / "nets"), true)};
}

int run(int argc, char** argv) {
  PlayOptions options;
  std::filesystem::path data = own_path().parent_path() / "data";
  for (int n = 1; n < argc; ++n) {
    const std::string_view word = argv[n];
    if (word == "--help" || word == "-h") {
      print_help();
      return 0;
    }
    if (word == "--version") {
      std::cout << "pbrain-tengen " << VERSION << "\n";
      return 0;
    }
    if (!word.starts_with("--") || n + 1 == argc)
      throw std::invalid_argument("unknown argument '" + std::string(word) + "': see --help");
    const char* const value = argv[++n];
    if (word == "--data")
      data = value;
    else
      set_play_option(options, word.substr(2), value);
  }
#ifdef _WIN32
  _setmode(0, _O_BINARY);
  _setmode(1, _O_BINARY);
#else
  std::signal(SIGPIPE, SIG_IGN);  // a closed output is the end, not an error
#endif
  const Bundle bundle = bundle_in(data);
  protocol::SessionConfig config;
  config.about =
      std::string("name=\"Tengen\", version=\"") + VERSION + "\", author=\"The Tengen authors\"";
  config.settings.thread_num = options.core.threads;
  config.limits = {static_cast<int>(std::max(1u, std::thread::hardware_concurrency())),
                   static_cast<int>(options.core.memory >> 20), machine_memory()};
  config.seed = std::random_device()() & 0xFFFF;
  config.evaluator = [options, nets = bundle.nets](Rule rule, int size, int net_memory) {
    PlayOptions asked = options;
    if (net_memory > 0) asked.net_memory = net_memory;
    return choose_evaluator(asked, rule, size, nets).info;
  };
  app::serve(std::move(config), options, bundle, {}, 0, 1);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "pbrain-tengen: " << error.what() << "\n";
    return 2;
  }
}
