// SPDX-License-Identifier: MIT
// `pbrain-tengen`: an engine for the Gomocup protocol on stdin and stdout, and its bench.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "app/arguments.h"
#include "app/bench_command.h"
#include "app/program_bundle.h"
#include "app/server.h"
#include "os/os.h"

namespace {

using namespace tengen;

constexpr const char* VERSION = TENGEN_VERSION;

void print_help() {
  std::cout << "usage: pbrain-tengen [--OPTION VALUE ...]\n"
               "       pbrain-tengen bench [--OPTION VALUE ...]\n\n"
               "A Gomoku and Renju engine for the Gomocup protocol (START, TURN, BOARD, ...) on\n"
               "stdin and stdout. INFO of the manager overrides the options.\n"
               "`pbrain-tengen bench --help`: speed and signature of the search.\n\noptions:\n"
               "  --help, --version\n"
               "  --data DIR  folder of the tables and nets (default: `data` beside the program,\n"
               "              else those inside it or of the installed package)\n";
  for (const OptionSpec& spec : option_specs()) {
    std::cout << "  --" << spec.name << "  " << spec.help
              << " (default: " << (spec.initial.empty() ? "none" : spec.initial) << ")\n";
  }
}

int serve(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> options;
  std::filesystem::path data;
  for (const app::Argument& argument : app::parse_arguments(arguments)) {
    if (argument.name == "help") {
      print_help();
      return 0;
    }
    if (argument.name == "version") {
      std::cout << "pbrain-tengen " << VERSION << "\n";
      return 0;
    }
    if (argument.name == "data")
      data = argument.value;
    else
      options[argument.name] = argument.value;
  }
  app::serve(play_options_of(options), app::program_bundle(data), {}, VERSION, 0, 1);
}

}  // namespace

int main(int argc, char** argv) {
  os::save_address_space();
  try {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (arguments.empty() || arguments[0] != "bench") return serve(arguments);
    arguments.erase(arguments.begin());
    return app::run_bench_command(arguments);
  } catch (const std::bad_alloc&) {
    std::cerr << "pbrain-tengen: not enough memory\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "pbrain-tengen: " << error.what() << "\n";
    return 2;
  }
}
