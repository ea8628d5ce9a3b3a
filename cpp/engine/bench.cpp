// SPDX-License-Identifier: MIT
#include "engine/bench.h"

#include <memory>
#include <vector>

#include "base/rng.h"
#include "engine/make_searcher.h"
#include "game/rules.h"
#include "search/position.h"

namespace tengen {

namespace {

constexpr int BENCH_DEPTH = 14;
constexpr int CLASSICAL_PAPER_DEPTH = 5;
constexpr u64 BENCH_PLAYOUTS = 2000;

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
  for (const int stones : STONES) positions.push_back(make_position(rule, 15, stones, rng));
  positions.push_back(make_position(rule, 20, 12, rng));
  return positions;
}

/// Mixes a number into a signature.
u64 mixed(u64 signature, u64 number) { return Rng(signature ^ number).next(); }

}  // namespace

BenchResult run_bench(Rule rule, const EvaluatorResources& resources, const EngineOptions& options,
                      const BenchLimits& limits,
                      const std::function<bool(int, int)>& should_continue) {
  BenchResult result;
  std::vector<BenchPosition> positions = bench_positions(rule);
  if (options.preset == Preset::ALPHABETA)
    std::erase_if(positions, [&](const BenchPosition& position) {
      return !supports(resources.evaluation, rule, position.size);
    });
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
    result.stats.nodes += stats.nodes;
    result.stats.vcf_nodes += stats.vcf_nodes;
    result.stats.solver_nodes += stats.solver_nodes;
    result.stats.evaluations += stats.evaluations;
    result.signature = mixed(result.signature, searched.move);
    result.signature = mixed(result.signature, static_cast<u64>(searched.info.value));
    result.signature = mixed(result.signature, stats.nodes);
    if (is_mcts) {
      result.signature = mixed(result.signature, stats.evaluations);
      result.signature = mixed(result.signature, stats.solver_nodes);
    }
    ++result.positions;
    if (!should_continue(result.positions, static_cast<int>(positions.size()))) break;
  }
  return result;
}

}  // namespace tengen
