// SPDX-License-Identifier: MIT
#include "app/bench_command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "app/arguments.h"
#include "app/program_bundle.h"
#include "engine/bench.h"

namespace tengen::app {

namespace {

constexpr const char* HELP =
    "usage: pbrain-tengen bench [--OPTION VALUE ...]\n\n"
    "Searches a fixed set of positions per rule. The signature shows whether the search is\n"
    "unchanged; it depends on the options, not on the machine.\n\noptions:\n"
    "  --rule      freestyle, standard, renju, caro or caro6; may be repeated (default: all)\n"
    "  --preset    alphabeta, classical or classical-paper (default: alphabeta)\n"
    "  --net       preset alphabeta with this net, as of pbrain-tengen\n"
    "  --search    alphabeta or mcts (default: alphabeta)\n"
    "  --depth     search depth (default: of the bench)\n"
    "  --playouts  playouts of mcts per position (default: of the bench)\n"
    "  --threads   search threads; with more than one there is no signature (default: 1)\n"
    "  --memory    memory for tables, in MiB (default: 16)\n"
    "  --positions positions per rule, at most (default: all)\n"
    "  --data      folder of the tables and nets, as of pbrain-tengen\n";

/// The command line.
struct Command {
  BenchRequest request;
  std::vector<Rule> rules;  ///< empty: all that the net supports
  std::filesystem::path data;
  bool wants_help = false;
};

Rule rule_of(const std::string& name) {
  if (const std::optional<Rule> rule = rule_of_name(name)) return *rule;
  std::string names;
  for (const std::string_view one : RULE_NAMES) names.append(" ").append(one);
  throw std::invalid_argument("no rule '" + name + "': rules are" + names);
}

Command parse_command(const std::vector<std::string>& words) {
  constexpr std::string_view PLAY_OPTIONS[] = {"preset", "net", "search", "threads", "memory"};
  Command command;
  bool has_preset = false, has_net = false;
  for (const Argument& argument : parse_arguments(words)) {
    const std::string& name = argument.name;
    if (name == "help")
      command.wants_help = true;
    else if (name == "rule")
      command.rules.push_back(rule_of(argument.value));
    else if (name == "depth")
      command.request.limits.depth = positive_number(argument);
    else if (name == "playouts")
      command.request.limits.playouts = static_cast<u64>(positive_number(argument));
    else if (name == "positions")
      command.request.limits.positions = positive_number(argument);
    else if (name == "data")
      command.data = argument.value;
    else if (std::find(std::begin(PLAY_OPTIONS), std::end(PLAY_OPTIONS), name) !=
             std::end(PLAY_OPTIONS))
      set_play_option(command.request.options, name, argument.value);
    else
      throw std::invalid_argument("bench has no option '" + name + "': see bench --help");
    has_preset |= name == "preset";
    has_net |= name == "net";
  }
  if (has_preset && has_net)
    throw std::invalid_argument("--net implies the preset alphabeta: leave --preset out");
  return command;
}

/// With a comma between groups of three digits.
std::string grouped(u64 number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t n = 0; n < digits.size(); ++n) {
    if (n > 0 && (digits.size() - n) % 3 == 0) text += ',';
    text += digits[n];
  }
  return text;
}

long long per_second(u64 count, double seconds) {
  return seconds > 0 ? std::llround(static_cast<double>(count) / seconds) : 0;
}

void print(std::string_view name, const BenchResult& result, const PlayOptions& options) {
  const SearchStats& stats = result.stats;
  const bool is_mcts = options.search == SearchKind::MCTS;
  const char* const kind = is_mcts ? "playouts" : "nodes";
  char text[16];
  if (options.core.threads == 1) {
    std::snprintf(text, sizeof text, "%08x", result.signature);
    std::cout << "signature " << name << " " << text << "\n";
  }
  std::snprintf(text, sizeof text, "%.2f", result.seconds);
  std::cout << kind << "/s " << per_second(stats.nodes, result.seconds) << "\n"
            << "evaluations/s " << per_second(stats.evaluations, result.seconds) << "\n"
            << "  " << result.positions << " positions, " << grouped(stats.nodes) << " " << kind
            << (is_mcts ? "" : " (" + grouped(stats.vcf_nodes) + " of VCF)") << ", "
            << grouped(stats.solver_nodes) << " of solvers, " << grouped(stats.evaluations)
            << " evaluations, " << text << " s\n";
  if (!result.evaluator.name.empty())
    std::cout << "  evaluation: " << result.evaluator.text() << "\n";
  std::cout.flush();
}

}  // namespace

int run_bench_command(const std::vector<std::string>& arguments) {
  Command command = parse_command(arguments);
  if (command.wants_help) {
    std::cout << HELP;
    return 0;
  }
  const Bundle bundle = program_bundle(command.data);
  const bool is_all = command.rules.empty();
  for (int rule = 0; is_all && rule < RULE_NB; ++rule)
    command.rules.push_back(static_cast<Rule>(rule));
  BenchRequest& request = command.request;
  std::vector<std::pair<Rule, BenchResult>> results;
  std::vector<BadNet> faults;
  for (const Rule rule : command.rules) {
    request.rule = rule;
    try {
      results.emplace_back(rule, run_bench(request, bundle, {}, [] { return false; }));
    } catch (const BadNet& error) {
      if (!is_all) throw;
      faults.push_back(error);
      continue;
    }
    print(rule_name(rule), results.back().second, request.options);
  }
  if (results.empty()) throw faults.front();
  for (const BadNet& fault : faults)
    std::cerr << "pbrain-tengen bench: skipped: " << fault.what() << "\n";
  if (results.size() > 1) print("total", total_of(results), request.options);
  return 0;
}

}  // namespace tengen::app
