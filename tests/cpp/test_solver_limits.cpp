// SPDX-License-Identifier: MIT
// Solver guarantees beside correct results: limits, no allocations in the hot path, unchanged
// boards, and no effect of a stopped search on later ones.
#include <algorithm>
#include <atomic>

#include "allocations.h"
#include "check.h"
#include "solver_requests.h"

using namespace tengen;

namespace {

bool same_proof(const Solution& a, const Solution& b) {
  if (a.proof.has_value() != b.proof.has_value()) return false;
  if (!a.proof) return true;
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() &&
           std::equal(x.begin(), x.end(), y.begin(), [](const auto& m, const auto& n) {
             if constexpr (requires { m.move; })
               return m.move == n.move && m.threat == n.threat && m.first_reply == n.first_reply &&
                      m.reply_count == n.reply_count;
             else
               return m.point == n.point && m.node == n.node;
           });
  };
  return same(a.proof->nodes, b.proof->nodes) && same(a.proof->replies, b.proof->replies);
}

/// Notes the state of a board, to compare it after a search.
struct Kept {
  explicit Kept(const ThreatBoard& board)
      : patterns(board.patterns()), hash(board.hash()), moves_left(board.moves_left()) {}
  bool is_same(const ThreatBoard& board) const {
    return patterns == board.patterns() && hash == board.hash() && moves_left == board.moves_left();
  }

  PatternBoard patterns;
  u64 hash;
  int moves_left;
};

}  // namespace

TEST(allocations_are_counted) {
  // The control of the test after it.
  u64 counted_new = 0;
  {
    const CountAllocations counted;
    const Vcf vcf(64 << 10);
    counted_new = counted.count();
  }
  CHECK(counted_new > 0);
  const CountAllocations counted;
  CHECK_EQ(counted.count(), u64{0});
}

TEST(vcf_allocates_nothing_after_warm_up) {
  for (int r = 0; r < RULE_NB; ++r) {
    const Rule rule = static_cast<Rule>(r);
    const auto positions = tactical_positions(31, 12, 15, rule, BLACK, 4);
    Vcf vcf(64 << 10);
    ThreatBoard board(15, rule);
    board.assign(empty_cells(15), 0);
    u64 nodes = 0;
    const auto search_all = [&] {
      StopCondition stop_condition;
      for (const TacticalPosition& position : positions) {
        for (const auto& [point, colour] : position.stones) board.play(point, colour);
        for (const Colour attacker : {BLACK, WHITE})
          for (const u64 limit : {u64{50}, u64{2000}})
            vcf.search(board, attacker, limit, stop_condition);
        for (size_t i = position.stones.size(); i-- > 0;)
          board.undo(position.stones[i].point, position.stones[i].colour);
      }
      nodes = stop_condition.nodes();
    };
    search_all();
    vcf.clear();
    u64 allocations = 0;
    {
      const CountAllocations counted;
      search_all();
      allocations = counted.count();
    }
    CHECK_EQ(allocations, u64{0});
    CHECK(nodes > 1000);
  }
}

TEST(vcf_node_limit_is_exact) {
  int stopped = 0;
  for (const TacticalPosition& position : fights(32, 4, 15, 6)) {
    Vcf vcf(64 << 10);
    ThreatBoard board(15, position.rule);
    board.assign(position.cells, 0);
    for (const u64 limit : {1, 2, 3, 7, 127, 128, 129, 1000}) {
      // By its own limit, and by that of the stop condition.
      StopCondition unlimited;
      vcf.clear();
      const SolveStatus found = vcf.search(board, position.attacker, limit, unlimited);
      if (found == SolveStatus::UNKNOWN)
        CHECK_EQ(unlimited.nodes(), limit);
      else
        CHECK(unlimited.nodes() <= limit);
      StopCondition limited({0, limit});
      vcf.clear();
      CHECK_EQ(vcf.search(board, position.attacker, 0, limited), found);
      CHECK_EQ(limited.nodes(), unlimited.nodes());
      CHECK_EQ(limited.stop_reason(),
               found == SolveStatus::UNKNOWN ? StopReason::NODES : StopReason::FINISHED);
      stopped += found == SolveStatus::UNKNOWN;
    }
  }
  CHECK(stopped > 100);
}

TEST(solver_node_limit_is_exact) {
  int stopped = 0;
  for (const TacticalPosition& position : fights(33, 3, 15)) {
    Solver solver(15, position.rule, 2 * MIB);
    for (const Goal goal : GOALS)
      for (const u64 limit : {1, 2, 3, 7, 127, 128, 129, 1000, 5000}) {
        const Solution solution = solve(solver, position, question_of(goal, limit));
        CHECK(solution.nodes <= limit);
        if (solution.status != SolveStatus::UNKNOWN) {
          CHECK_EQ(solution.stop_reason, StopReason::FINISHED);
          continue;
        }
        ++stopped;
        CHECK_EQ(solution.stop_reason, StopReason::NODES);
        CHECK_EQ(solution.nodes, limit);
        CHECK(!solution.proof);
      }
  }
  CHECK(stopped > 100);
}

TEST(defences_share_one_node_limit) {
  for (const TacticalPosition& position : fights(34, 2, 9)) {
    Solver solver(9, position.rule, 2 * MIB);
    for (const u64 limit : {1, 50, 1000}) {
      const Defences found = solver.defences(position.cells, opponent(position.attacker), 0,
                                             question_of(Goal::VCT, limit));
      u64 nodes = found.threat.nodes;
      for (const Defence& defence : found.moves) nodes += defence.attack.nodes;
      CHECK(nodes <= limit);
    }
  }
}

TEST(cancelled_search_ends_at_once) {
  const std::atomic<bool> set = true;
  for (const TacticalPosition& position : fights(35, 1, 15)) {
    Solver solver(15, position.rule, 2 * MIB);
    for (const Goal goal : GOALS) {
      SolveRequest request = question_of(goal);
      request.cancel = &set;
      const Solution solution = solve(solver, position, request);
      CHECK_EQ(solution.status, SolveStatus::UNKNOWN);
      CHECK_EQ(solution.stop_reason, StopReason::CANCELLED);
      CHECK_EQ(solution.nodes, u64{0});
    }
    Vcf vcf(64 << 10);
    ThreatBoard board(15, position.rule);
    board.assign(position.cells, 0);
    StopCondition stop_condition({}, &set);
    CHECK_EQ(vcf.search(board, position.attacker, 0, stop_condition), SolveStatus::UNKNOWN);
    CHECK_EQ(stop_condition.stop_reason(), StopReason::CANCELLED);
    CHECK_EQ(stop_condition.nodes(), u64{0});
  }
}

TEST(search_is_cancelled_while_it_runs) {
  // The seconds are only there so that a failure ends; any number of quiet moves on an empty board
  // takes far longer to rule out.
  const TacticalPosition position{15, Rule::STANDARD, BLACK, empty_cells(15), {}};
  for (const bool by_hook : {true, false}) {
    Solver solver(15, position.rule, 2 * MIB);
    std::atomic<bool> flag = false;
    u64 nodes_then = 0;
    SolveRequest request = question_of(Goal::ANY);
    request.quiet = 100;
    request.limits.seconds = 20;
    request.cancel = &flag;
    request.hook = [&](const SolverProgress& progress) {
      nodes_then = progress.nodes;
      flag = !by_hook;
      return !by_hook;
    };
    const Solution solution = solve(solver, position, request);
    CHECK_EQ(solution.stop_reason, StopReason::CANCELLED);
    CHECK(nodes_then > 0);
    CHECK(solution.nodes - nodes_then <= 1000);  // some tenths of a millisecond
  }
}

TEST(stopped_search_leaves_valid_state) {
  int decided = 0;
  for (const TacticalPosition& position : fights(37, 3, 9)) {
    for (const Goal goal : {Goal::VCF, Goal::VCT}) {
      const SolveRequest whole = question_of(goal, MANY_NODES);
      const Solution expected = solve_afresh(position, whole);
      Solver solver(position.size, position.rule, 2 * MIB);
      for (const u64 limit : {1, 2, 5, 10, 30, 100, 300, 1000, 3000, 10000})
        if (!agree(solve(solver, position, question_of(goal, limit)), expected))
          check::fail(__FILE__, __LINE__, "stopped early: " + describe(position, goal));
      const Solution found = solve(solver, position, whole);
      if (found.status != expected.status)
        check::fail(__FILE__, __LINE__, differs(found, expected) + describe(position, goal));
      if (found.proof) CHECK(verify(*found.proof).is_valid);
      decided += found.status != SolveStatus::UNKNOWN;
    }
  }
  CHECK(decided > 40);
}

TEST(reused_solver_equals_a_new_one) {
  for (int r = 0; r < RULE_NB; ++r) {
    const Rule rule = static_cast<Rule>(r);
    Solver solver(9, rule, MIB);
    Rng rng(38);
    for (int i = 0; i < 16; ++i) {
      const Colour attacker = i % 2 ? WHITE : BLACK;
      const TacticalPosition position = tactical_position(rng, 9, rule, attacker, 3);
      const Goal goal = GOALS[static_cast<size_t>(i) % 2];
      const SolveRequest request = question_of(goal, MANY_NODES);
      solve(solver, position, question_of(goal, 1 + rng.below(500)));
      const Solution found = solve(solver, position, request);
      const Solution expected = solve_afresh(position, request);
      if (found.status != expected.status)
        check::fail(__FILE__, __LINE__, differs(found, expected) + describe(position, goal));
    }
  }
}

TEST(searches_leave_the_board_as_it_was) {
  for (const TacticalPosition& position : fights(39, 2, 15)) {
    ThreatBoard board(15, position.rule), fresh(15, position.rule);
    for (const int moves_left : {0, 6}) {
      board.assign(empty_cells(15), moves_left ? moves_left + 200 : 0);
      board.assign(position.cells, moves_left);
      const Kept before(board);
      Vcf vcf(64 << 10);
      PnSearch threats(256 << 10, vcf);
      for (const u64 limit : {1, 10, 128, 1000, 3000}) {
        StopCondition stop_condition({0, limit});
        const SolveStatus found = vcf.search(board, position.attacker, 0, stop_condition);
        CHECK(before.is_same(board));
        if (found == SolveStatus::WIN) {
          StopCondition replay({0, limit / 2});
          still_wins(board, position.attacker, vcf.tree(), replay);
          CHECK(before.is_same(board));
          relevance_zone(board, position.attacker, vcf.tree());
          CHECK(before.is_same(board));
        }
        for (const int quiet : {0, 1}) {
          StopCondition threat_watch({0, limit});
          threats.search(board, position.attacker, quiet, 0, threat_watch);
          CHECK(before.is_same(board));
        }
      }
      fresh.assign(position.cells, moves_left);
      CHECK(Kept(fresh).is_same(board));
    }
  }
}

TEST(memory_stays_below_its_bound) {
  for (const size_t bound : {1, 2, 8, 64}) {
    const TacticalPosition position = tactical_positions(40, 1, 15, Rule::RENJU, WHITE, 4)[0];
    Solver solver(15, Rule::RENJU, bound * MIB);
    CHECK(solver.memory_used() <= bound * MIB);
    CHECK(solver.memory_used() > bound * MIB / 4);  // and the tables are worth their name
    for (const Goal goal : GOALS) solve(solver, position, question_of(goal, 20000));
    CHECK(solver.memory_used() <= bound * MIB);
  }
}

TEST(same_request_has_the_same_result) {
  for (const TacticalPosition& position : fights(41, 2, 15))
    for (const Goal goal : GOALS) {
      const SolveRequest request = question_of(goal, 8000);
      const Solution first = solve_afresh(position, request);
      const Solution second = solve_afresh(position, request);
      CHECK_EQ(second.status, first.status);
      CHECK_EQ(second.stop_reason, first.stop_reason);
      CHECK_EQ(second.nodes, first.nodes);
      CHECK_EQ(second.depth, first.depth);
      CHECK_EQ(second.best, first.best);
      CHECK(same_proof(first, second));
    }
}

TEST(result_counts_only_its_own_search) {
  // After a long search about one position, a short one about another.
  Solver solver(15, Rule::FREESTYLE, 2 * MIB);
  const TacticalPosition fight = tactical_positions(42, 1, 15, Rule::FREESTYLE, BLACK, 4)[0];
  solve(solver, fight, question_of(Goal::ANY, 5000));
  TacticalPosition five{15, Rule::FREESTYLE, BLACK, empty_cells(15), {}};
  for (int x = 3; x < 7; ++x) five.cells[make_point(x, 7)] = BLACK;
  for (const Goal goal : GOALS) {
    const Solution found = solve(solver, five, question_of(goal));
    CHECK_EQ(found.status, SolveStatus::WIN);
    CHECK_EQ(found.depth, solve_afresh(five, question_of(goal)).depth);
  }
  const TacticalPosition empty{15, Rule::FREESTYLE, BLACK, empty_cells(15), {}};
  SolveRequest stopped = question_of(Goal::VCF);
  const std::atomic<bool> set = true;
  stopped.cancel = &set;
  CHECK_EQ(solve(solver, empty, stopped).best, NO_POINT);
}
