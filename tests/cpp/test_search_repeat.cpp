// SPDX-License-Identifier: MIT
// Determinism: the same request gives the same result after new_game(), in another searcher and in
// another bench. A search allocates nothing that grows with its nodes.
#include <algorithm>

#include "allocations.h"
#include "check.h"
#include "engine/bench.h"
#include "searches.h"
#include "tactical_positions.h"

using namespace tengen;

namespace {

/// Everything but the time.
bool same_info(const SearchInfo& a, const SearchInfo& b) {
  return a.depth == b.depth && a.selective_depth == b.selective_depth && a.multipv == b.multipv &&
         a.value == b.value && a.proven == b.proven && a.bound == b.bound && a.pv == b.pv &&
         a.stats.nodes == b.stats.nodes && a.stats.vcf_nodes == b.stats.vcf_nodes &&
         a.stats.solver_nodes == b.stats.solver_nodes &&
         a.stats.evaluations == b.stats.evaluations && a.hashfull == b.hashfull;
}

bool same_search(const SearchLog& a, const SearchLog& b) {
  return a.answer.move == b.answer.move && a.answer.ponder == b.answer.ponder &&
         same_info(a.answer.info, b.answer.info) &&
         std::equal(a.infos.begin(), a.infos.end(), b.infos.begin(), b.infos.end(), same_info);
}

/// Games and fights, in which more is going on.
std::vector<GamePosition> positions(u64 seed, int count, int size, Rule rule) {
  Rng rng(seed);
  std::vector<GamePosition> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(middle_game(rng, size, rule));
    const TacticalPosition fight = tactical_position(rng, size, rule, i % 2 ? BLACK : WHITE, 3);
    all.push_back({size, rule, fight.cells, fight.attacker});
  }
  return all;
}

BenchResult bench(Rule rule, const EngineOptions& options, int depth) {
  return run_bench(rule, {classical_tables(rule), {}}, options, {depth}, [] { return false; });
}

}  // namespace

TEST(search_is_repeatable_after_a_new_game) {
  // Also where the tables are so small that what is kept depends on where it is put.
  for (const size_t memory : {size_t{100} << 10, SMALL_MEMORY})
    for (int r = 0; r < RULE_NB; ++r) {
      const Rule rule = static_cast<Rule>(r);
      const auto make = [&] {
        return AlphaBeta(15, rule, {}, 1, memory, classical_evaluators(rule));
      };
      AlphaBeta used = make();
      for (const GamePosition& position : positions(1, 2, 15, rule)) {
        SearchRequest request = request_of(position, 6);
        request.multipv = 1 + r % 2;
        AlphaBeta fresh = make();
        used.new_game();
        const SearchLog first = search_and_log(fresh, request),
                        second = search_and_log(used, request);
        if (!same_search(first, second))
          check::fail(__FILE__, __LINE__,
                      std::to_string(first.answer.info.stats.nodes) + " nodes, then " +
                          std::to_string(second.answer.info.stats.nodes) + ": " +
                          describe(position));
      }
    }
}

TEST(search_without_a_new_game_uses_the_table) {
  // The control of the test before: else it would hold for a search that keeps nothing.
  const Rule rule = Rule::STANDARD;
  AlphaBeta search(15, rule, {}, 1, SMALL_MEMORY, classical_evaluators(rule));
  int less = 0;
  for (const GamePosition& position : positions(2, 4, 15, rule)) {
    const SearchLog first = search_and_log(search, request_of(position, 6));
    const SearchLog second = search_and_log(search, request_of(position, 6));
    less += second.answer.info.stats.nodes < first.answer.info.stats.nodes;
  }
  CHECK(less >= 3);
}

TEST(bench_has_one_signature) {
  for (int r = 0; r < RULE_NB; ++r) {
    const Rule rule = static_cast<Rule>(r);
    EngineOptions options;
    options.memory = SMALL_MEMORY;
    const BenchResult first = bench(rule, options, 4), second = bench(rule, options, 4);
    CHECK_EQ(first.signature, second.signature);
    CHECK_EQ(first.stats.nodes, second.stats.nodes);
    CHECK_EQ(first.positions, second.positions);
    CHECK(first.positions >= 8 && first.stats.nodes > 0);
    // It distinguishes one search from another.
    CHECK(bench(rule, options, 5).signature != first.signature);
    options.search.history = false;
    CHECK(bench(rule, options, 4).signature != first.signature);
  }
}

TEST(bench_of_the_paper_has_one_signature) {
  EngineOptions options;
  options.preset = Preset::CLASSICAL_PAPER;
  options.memory = SMALL_MEMORY;
  const auto run = [&](Rule rule) {
    return run_bench(rule, {}, options, {2}, [] { return false; });
  };
  for (int r = 0; r < RULE_NB; ++r) {
    const Rule rule = static_cast<Rule>(r);
    CHECK_EQ(run(rule).signature, run(rule).signature);
    CHECK(run(rule).signature != 0);
  }
}

TEST(bench_can_be_stopped) {
  EngineOptions options;
  options.memory = SMALL_MEMORY;
  int calls = 0;
  const BenchResult result = run_bench(Rule::CARO, {classical_tables(Rule::CARO), {}}, options, {2},
                                       [&] { return ++calls == 3; });
  CHECK_EQ(calls, 3);
  CHECK_EQ(result.positions, 3);
}

TEST(search_allocates_nothing_for_its_nodes) {
  // The lines of the root, and those of wins by fours on the principal variation, are vectors; all
  // else is there once the worker is made and has searched before.
  int searched = 0;
  for (const bool fours : {false, true})
    for (int r = 0; r < RULE_NB; ++r) {
      const Rule rule = static_cast<Rule>(r);
      AlphaBetaSettings settings;
      settings.vcf_quiescence = fours;
      Worker worker(15, rule, std::make_unique<ClassicalEvaluator>(classical_tables(rule)),
                    1 << 16);
      TranspositionTable table(SMALL_MEMORY);
      for (const GamePosition& position : positions(3, 2, 15, rule)) {
        std::vector<Point> moves;
        for (const Point p : board_points(15))
          if (is_playable(position, {p})) moves.push_back(p);
        u64 allocations = 0;
        for (int round = 0; round < 2; ++round) {
          SearchControl control;
          table.clear();
          worker.new_game();
          worker.prepare(request_of(position, 0, 6000), moves, settings, table, control, 0);
          const CountAllocations counted;
          worker.run({});
          allocations = counted.count();
        }
        if (worker.stats().nodes < 6000) continue;  // a mate came first
        CHECK(allocations < 6000 / 10);
        ++searched;
      }
    }
  CHECK(searched > 10);
}
