// SPDX-License-Identifier: MIT
// Speed of Monte-Carlo tree search with Mixnet: playouts per second, and those that ended in a net
// evaluation, on the bench positions of a rule, one thread. Reports wall and CPU time.
//
//     bench_mcts FILE.net [PLAYOUTS] [RULE]      20000 playouts per position, freestyle
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "engine/bench.h"
#include "simd/simd.h"

using namespace tengen;

namespace {

constexpr int POSITIONS_15 = 8;  ///< those of 15x15 come first

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

mixnet::Nets read_net(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto net = std::make_shared<const mixnet::Net>(mixnet::read_weights(bytes));
  return {net, net};
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "bench_mcts FILE.net [PLAYOUTS] [RULE]\n");
    return 2;
  }
  const u64 playouts = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
  const auto name =
      std::find(RULE_NAMES.begin(), RULE_NAMES.end(), argc > 3 ? argv[3] : "freestyle");
  if (name == RULE_NAMES.end() || playouts == 0) throw std::runtime_error("no such rule or number");
  const auto rule = static_cast<Rule>(name - RULE_NAMES.begin());
  EngineOptions options;
  options.preset = Preset::ALPHABETA;
  options.kind = SearchKind::MCTS;
  const EvaluatorResources resources{nullptr, read_net(argv[1])};
  const double before = processor_seconds();
  const BenchResult found =
      run_bench(rule, resources, options, {0, playouts, POSITIONS_15}, [] { return false; });
  const double spent = processor_seconds() - before;
  const auto nodes = static_cast<double>(found.stats.nodes);
  const auto evaluations = static_cast<double>(found.stats.evaluations);
  std::printf("%s, %s, %d positions, %.0f playouts, %.0f of them evaluated\n", argv[1],
              std::string(simd::ops().name).c_str(), found.positions, nodes, evaluations);
  std::printf("clock      playouts/s %.0f  evaluated/s %.0f\n", nodes / found.seconds,
              evaluations / found.seconds);
  std::printf("processor  playouts/s %.0f  evaluated/s %.0f\n", nodes / spent, evaluations / spent);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_mcts: %s\n", error.what());
    return 1;
  }
}
