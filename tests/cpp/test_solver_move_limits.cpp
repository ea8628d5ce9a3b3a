// SPDX-License-Identifier: MIT
// Games that end: the solvers under move limits, and on boards that are empty, full, or nearly so.
#include "check.h"
#include "solver_requests.h"

using namespace tengen;

namespace {

/// Every point taken, nowhere more than two of a colour in a row.
TacticalPosition full_board(int size, Rule rule, Colour attacker) {
  TacticalPosition position{size, rule, attacker, empty_cells(size), {}};
  for (const Point p : board_points(size))
    position.cells[p] = (x_of(p) / 2 + y_of(p)) % 2 ? WHITE : BLACK;
  return position;
}

}  // namespace

TEST(wins_need_the_moves_that_are_left) {
  const auto at = [](int x, int y) { return make_point(x, y); };
  struct Case {
    std::vector<Point> black;
    int moves;  ///< of both sides, up to the five
    Goal least;
  };
  const std::vector<Case> cases = {
      {{at(5, 7), at(6, 7), at(7, 7), at(8, 7)}, 1, Goal::VCF},  // a four
      {{at(5, 7), at(6, 7), at(7, 7)}, 3, Goal::VCF},            // an open three
      // A crossing of two twos: two open threes, an open four, a five.
      {{at(5, 7), at(6, 7), at(7, 8), at(7, 9)}, 5, Goal::VCT},
  };
  for (const Case& c : cases) {
    TacticalPosition position{15, Rule::FREESTYLE, BLACK, empty_cells(15), {}};
    for (const Point p : c.black) position.cells[p] = BLACK;
    for (const Goal goal : GOALS) {
      if (goal < c.least) continue;
      for (const bool ascending : {true, false}) {
        Solver solver(15, Rule::FREESTYLE,
                      2 * MIB);  // shared by all limits: results must be independent
        for (int i = 1; i <= 8; ++i) {
          const int left = ascending ? i : 9 - i;
          const Solution found = solve(solver, position, question_of(goal, MANY_NODES), left);
          CHECK_EQ(found.status, left >= c.moves ? SolveStatus::WIN : SolveStatus::NO_WIN);
          if (found.proof) CHECK(verify(*found.proof).is_valid);
        }
        CHECK_EQ(solve(solver, position, question_of(goal, MANY_NODES)).status, SolveStatus::WIN);
      }
    }
  }
}

TEST(results_of_different_move_limits_are_independent) {
  // A win that is found with few moves left is found with more; each proof keeps its limit; and a
  // solver used with other limits gives the same result as a new one.
  int wins = 0;
  for (const TacticalPosition& position : fights(43, 2, 9, 3)) {
    Solver solver(9, position.rule, 2 * MIB);
    for (const Goal goal : {Goal::VCF, Goal::VCT}) {
      const SolveRequest request = question_of(goal, MANY_NODES);
      bool won = false;
      for (const int left : {1, 2, 3, 5, 7, 13, 0}) {
        const Solution found = solve(solver, position, request, left);
        const Solution expected = solve_afresh(position, request, left);
        if (!agree(found, expected) || (won && expected.status == SolveStatus::NO_WIN))
          check::fail(__FILE__, __LINE__,
                      std::to_string(left) + " moves left: " + describe(position, goal));
        if (expected.status == SolveStatus::WIN) {
          won = true;
          ++wins;
          CHECK(verify(*expected.proof).is_valid);
        }
      }
    }
  }
  CHECK(wins > 20);
}

TEST(move_limit_after_a_pass_has_its_own_hash) {
  // Without one of the stones, the stone and a pass lead to the same stones with a move less left
  // than the position itself may have. What is refuted there need not be refuted here.
  int asked = 0;
  for (const TacticalPosition& position : fights(44, 10, 9, 3))
    for (int left = 5; left <= 13; left += 2) {
      const auto wins = [&](ThreatBoard& board, Vcf& vcf) {
        StopCondition stop_condition;
        return vcf.search(board, position.attacker, 0, stop_condition) == SolveStatus::WIN;
      };
      ThreatBoard board(9, position.rule);
      Vcf fresh(64 << 10), vcf(64 << 10);
      board.assign(position.cells, left);
      if (!wins(board, fresh)) continue;
      for (const auto& [point, colour] : position.stones) {
        if (colour != position.attacker) continue;
        Cells earlier = position.cells;
        earlier[point] = EMPTY;
        board.assign(earlier, left + 1);
        board.play(point, colour);
        board.pass();
        wins(board, vcf);
        board.assign(position.cells, left);
        if (!wins(board, vcf))
          check::fail(__FILE__, __LINE__,
                      std::to_string(left) + " moves left: " + describe(position, Goal::VCF));
        break;
      }
      ++asked;
      break;
    }
  CHECK(asked > 10);
}

TEST(empty_and_full_boards) {
  for (int r = 0; r < RULE_NB; ++r)
    for (const Colour attacker : {BLACK, WHITE})
      for (const int size : {MIN_SIZE, 9, MAX_SIZE}) {
        const Rule rule = static_cast<Rule>(r);
        const TacticalPosition empty{size, rule, attacker, empty_cells(size), {}};
        const TacticalPosition full = full_board(size, rule, attacker);
        for (const Goal goal : {Goal::VCF, Goal::VCT}) {
          CHECK_EQ(solve_afresh(empty, question_of(goal)).status, SolveStatus::NO_WIN);
          CHECK_EQ(solve_afresh(full, question_of(goal)).status, SolveStatus::NO_WIN);
        }
        CHECK_EQ(solve_afresh(full, question_of(Goal::ANY)).status, SolveStatus::NO_WIN);
      }
}

TEST(one_empty_point) {
  for (int r = 0; r < RULE_NB; ++r)
    for (const Colour attacker : {BLACK, WHITE}) {
      const Rule rule = static_cast<Rule>(r);
      for (const Point last : board_points(9)) {
        TacticalPosition position = full_board(9, rule, attacker);
        position.cells[last] = EMPTY;
        // Along the first row four of the attacker and the empty point, open at one end.
        const bool five = y_of(last) == 0 && x_of(last) < 5;
        if (five) {
          for (int x = 0; x < 5; ++x)
            if (const Point p = make_point(x, 0); p != last) position.cells[p] = attacker;
          position.cells[make_point(5, 0)] = opponent(attacker);
        }
        const bool wins = Referee(position.cells, rule).makes_five(last, attacker);
        CHECK(!wins || five);
        for (const Goal goal : GOALS)
          CHECK_EQ(solve_afresh(position, question_of(goal)).status,
                   wins ? SolveStatus::WIN : SolveStatus::NO_WIN);
      }
    }
}

TEST(finished_quiet_search_has_a_result) {
  // "Unknown" has a reason: without a limit in the way there is none.
  for (const TacticalPosition& position : fights(45, 2, 9, 3))
    for (const Goal goal : GOALS) {
      const Solution found = solve_afresh(position, question_of(goal, MANY_NODES));
      if (found.status == SolveStatus::UNKNOWN && found.stop_reason == StopReason::FINISHED)
        check::fail(__FILE__, __LINE__, "finished, but unknown: " + describe(position, goal));
    }
}
