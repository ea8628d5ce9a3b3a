// SPDX-License-Identifier: MIT
// `pbrain-tengen`: an engine for the Gomocup protocol on stdin and stdout.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "app/server.h"
#include "os/os.h"

namespace {

using namespace tengen;

constexpr const char* VERSION = TENGEN_VERSION;

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

int run(int argc, char** argv) {
  PlayOptions options;
  options.search = SearchKind::ALPHABETA;  // with --preset, unless --search names another
  bool has_preset = false, has_search = false;
  std::filesystem::path data = os::program_path().parent_path() / "data";
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
    has_preset |= word == "--preset";
    has_search |= word == "--search";
  }
  if (!has_preset && !has_search) options.search.reset();
  app::serve(std::move(options), app::bundle_in(data), {}, VERSION, 0, 1);
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
