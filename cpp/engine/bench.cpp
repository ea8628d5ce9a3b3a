// SPDX-License-Identifier: MIT
#include "engine/bench.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32.h"
#include "base/rng.h"
#include "engine/make_searcher.h"
#include "game/rules.h"
#include "search/position.h"

namespace tengen {

namespace {

constexpr int BENCH_DEPTH = 14;
constexpr int CLASSICAL_PAPER_DEPTH = 5;
constexpr u64 BENCH_PLAYOUTS = 2000;
constexpr std::array BENCH_SIZES = {15, 20};  ///< of the positions

struct BenchPosition {
  int size;
  Cells cells;
  Colour side;
};

/// A seeded random game: stones near others, preferably where they make or stop a threat; neither
/// side can make a five at the end. Independent of the search and evaluation code.
BenchPosition make_position(Rule rule, int size, int stones, Rng& rng) {
  for (;;) {
    PatternBoard patterns(size, rule);
    BenchPosition made{size, empty_cells(size), BLACK};
    const auto put = [&](Point p) {
      patterns.play(p, made.side);
      made.cells[p] = made.side;
      made.side = opponent(made.side);
    };
    put(make_point(size / 2, size / 2));
    while (patterns.count(BLACK, Threat::FIVE) + patterns.count(WHITE, Threat::FIVE) == 0) {
      if (--stones <= 0) return made;
      Point best = NO_POINT;
      u32 best_score = 0;
      for (const Point p : board_points(size)) {
        if (!patterns.is_empty(p) || !patterns.is_legal(made.side, p)) continue;
        const int threat = static_cast<int>(patterns.threat(made.side, p));
        const int stopped = static_cast<int>(patterns.threat(opponent(made.side), p));
        const u32 score = static_cast<u32>(2 * threat + 2 * stopped + 1) * (rng.below(8) + 1);
        if (score > best_score) {
          best_score = score;
          best = p;
        }
      }
      put(best);
    }
    stones += 7;  // a five is possible: start another game
  }
}

std::vector<BenchPosition> bench_positions(Rule rule) {
  constexpr int STONES[] = {3, 6, 8, 11, 14, 17, 20, 26};
  Rng rng(0x62656E6368 + static_cast<u64>(rule));
  std::vector<BenchPosition> positions;
  for (const int stones : STONES)
    positions.push_back(make_position(rule, BENCH_SIZES[0], stones, rng));
  positions.push_back(make_position(rule, BENCH_SIZES[1], 12, rng));
  return positions;
}

/// Mixes a number into a signature.
u64 mixed(u64 signature, u64 number) { return Rng(signature ^ number).next(); }

/// 64 bits in 32, which people can compare by eye.
u32 folded(u64 signature) { return static_cast<u32>(signature ^ signature >> 32); }

void add(SearchStats& sum, const SearchStats& stats) {
  sum.nodes += stats.nodes;
  sum.vcf_nodes += stats.vcf_nodes;
  sum.solver_nodes += stats.solver_nodes;
  sum.evaluations += stats.evaluations;
}

/// The installed evaluator of a request. Throws BadNet where a player would use another one.
EvaluatorChoice load_evaluator(EvaluatorLoader& loader, const BenchRequest& request,
                               const std::function<bool()>& should_stop) {
  std::optional<BadNet> fault;
  for (const int size : BENCH_SIZES) {
    try {
      const auto pending = loader.request(request.options, request.rule, size);
      pending->wait_for_move(std::nullopt, should_stop);
      const EvaluatorChoice installed = loader.install(pending);
      if (pending->is_ready() && installed != pending->choice()) throw BadNet(installed.info.about);
      return installed;
    } catch (const BadNet& error) {
      if (!fault) fault = error;
    }
  }
  throw *fault;
}

}  // namespace

BenchResult run_bench(Rule rule, const EvaluatorResources& resources, const EngineOptions& options,
                      const BenchLimits& limits, const std::function<bool()>& should_stop) {
  BenchResult result;
  u64 signature = 0;
  std::vector<BenchPosition> positions = bench_positions(rule);
  if (options.preset == Preset::ALPHABETA)
    std::erase_if(positions, [&](const BenchPosition& position) {
      return !supports(resources.evaluation, rule, position.size);
    });
  if (limits.positions > 0 && static_cast<size_t>(limits.positions) < positions.size())
    positions.resize(static_cast<size_t>(limits.positions));
  const bool paper = options.preset == Preset::CLASSICAL_PAPER;
  const bool is_mcts = !paper && options.kind == SearchKind::MCTS;
  for (const BenchPosition& position : positions) {
    // A new searcher for each position: results must not depend on earlier ones.
    const std::unique_ptr<Searcher> searcher =
        make_searcher(options, position.size, rule, resources);
    SearchRequest request;
    request.cells = position.cells;
    request.side = position.side;
    if (is_mcts)
      request.nodes = limits.playouts ? limits.playouts : BENCH_PLAYOUTS;
    else
      request.depth = limits.depth ? limits.depth : paper ? CLASSICAL_PAPER_DEPTH : BENCH_DEPTH;
    SearchControl control;
    const i64 start_time = StopCondition::now_in_nanoseconds();
    SearchStats stats;
    const SearchResult searched =
        searcher->search(request, control, [&](const SearchInfo& info) { stats = info.stats; });
    result.seconds += static_cast<double>(StopCondition::now_in_nanoseconds() - start_time) * 1e-9;
    add(result.stats, stats);
    signature = mixed(signature, searched.move);
    signature = mixed(signature, static_cast<u64>(searched.info.value));
    signature = mixed(signature, stats.nodes);
    if (is_mcts) {
      signature = mixed(signature, stats.evaluations);
      signature = mixed(signature, stats.solver_nodes);
    }
    ++result.positions;
    result.signature = folded(signature);
    if (should_stop()) break;
  }
  return result;
}

BenchResult run_bench(const BenchRequest& request, const Bundle& bundle,
                      const LoadExternal& load_external, const std::function<bool()>& should_stop) {
  EngineOptions options = request.options.core;
  if (options.preset == Preset::POLICY || options.preset == Preset::RANDOM)
    throw std::invalid_argument(
        "no bench of this preset: use alphabeta, classical or "
        "classical-paper");
  options.kind = request.options.search.value_or(SearchKind::ALPHABETA);
  Engine engine;
  EvaluatorLoader loader(engine, bundle, load_external);
  const EvaluatorChoice choice = load_evaluator(loader, request, should_stop);
  if (should_stop()) return {};
  EvaluatorResources resources = engine.resources(request.rule);
  if (!request.lazy && choice.nets) resources.tables = nullptr;
  BenchLimits limits = request.limits;
  if (choice.kind == EvaluatorKind::ONNX) {
    if (limits.depth == 0) limits.depth = ONNX_DEPTH;
    if (limits.playouts == 0) limits.playouts = ONNX_PLAYOUTS;
  }
  BenchResult result = run_bench(request.rule, resources, options, limits, should_stop);
  result.evaluator = choice.info;
  return result;
}

BenchResult total_of(std::span<const std::pair<Rule, BenchResult>> results) {
  BenchResult total;
  std::string signatures;
  for (const auto& [rule, result] : results) {
    total.positions += result.positions;
    total.seconds += result.seconds;
    add(total.stats, result.stats);
    char text[16];
    std::snprintf(text, sizeof text, " %08x", result.signature);
    signatures += (signatures.empty() ? "" : " ");
    signatures += rule_name(rule);
    signatures += text;
    total.evaluator = result.evaluator;
  }
  const bool is_one = std::all_of(results.begin(), results.end(), [&](const auto& entry) {
    return entry.second.evaluator == total.evaluator;
  });
  if (!is_one) total.evaluator = {};
  total.signature = crc32(signatures);
  return total;
}

}  // namespace tengen
