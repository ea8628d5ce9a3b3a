// SPDX-License-Identifier: MIT
// Alpha-beta against plain minimax on small boards with few empty points: equal values without
// pruning, and never a wrong win or loss with pruning.
#include <algorithm>

#include "check.h"
#include "plain_minimax.h"
#include "searches.h"

using namespace tengen;

namespace {

AlphaBeta::EvaluatorFactory distinct_evaluators(int grain = 1) {
  return [grain] { return std::make_unique<DistinctEvaluator>(grain); };
}

/// A board filled at random up to so many empty points, without a five of anybody; the side to move
/// has a legal point, and (so that no empty point is out of sight) the stones are everywhere.
GamePosition small_position(Rng& rng, int size, Rule rule, int empty) {
  for (;;) {
    GamePosition made{size, rule, empty_cells(size), rng.below(2) ? BLACK : WHITE};
    std::vector<Point> points = board_points(size);
    for (size_t i = points.size(); i > 1; --i)
      std::swap(points[i - 1], points[rng.below(static_cast<u32>(i))]);
    points.resize(points.size() - static_cast<size_t>(empty));
    for (const Point p : points) made.cells[p] = rng.below(2) ? BLACK : WHITE;
    if (outcome_of_set_up(made.cells, size, rule, made.side).ending != Ending::NONE) continue;
    Referee referee(made.cells, rule);
    for (const Point p : board_points(size))
      if (made.cells[p] == EMPTY &&
          (!has_forbidden_moves(rule, made.side) || referee.forbidden(p) == Forbidden::NONE))
        return made;
  }
}

int sign(Value value) { return is_win(value) ? 1 : is_loss(value) ? -1 : 0; }

void fail(int line, const SearchInfo& info, Value expected, const GamePosition& position) {
  check::fail(__FILE__, line,
              "at depth " + std::to_string(info.depth) + " the value is " +
                  std::to_string(info.value) + ", plain minimax says " + std::to_string(expected) +
                  ": " + describe(position));
}

/// No claim of a win or a loss is wrong, on the way or at the end.
void check_claims(const SearchLog& log, Value truth, const GamePosition& position) {
  for (const SearchInfo& info : log.infos) {
    if (is_win(info.value) && info.bound != Bound::UPPER && !is_win(truth))
      fail(__LINE__, info, truth, position);
    if (is_loss(info.value) && info.bound != Bound::LOWER && !is_loss(truth))
      fail(__LINE__, info, truth, position);
  }
}

}  // namespace

TEST(plain_search_equals_minimax) {
  // Every iteration, every mate distance. In half of the positions values are -2 to 2, so that they
  // often equal a bound of the window, at a depth where such positions are reached by several ways.
  Rng rng(1);
  int decided = 0, checked = 0;
  for (int i = 0; i < 500; ++i) {
    const bool coarse = i % 4 >= 2;
    const int size = 5 + i % 2, grain = coarse ? 400 : 1, depth = coarse ? 6 : 4;
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position =
        small_position(rng, size, rule, 5 + static_cast<int>(rng.below(7)));
    PlainMinimax minimax(position, 0, 0, grain);
    AlphaBeta search(size, rule, plain_settings(), 1, SMALL_MEMORY, distinct_evaluators(grain));
    const SearchLog log = search_and_log(search, request_of(position, depth));
    check_answer(position, log);
    if (log.answer.info.value == mate_in(1)) continue;  // a five, taken without a search
    for (const SearchInfo& info : log.infos) {
      const std::vector<ScoredMove> values = minimax.root_values(info.depth);
      Value best = -INFINITE, of_move = -INFINITE;
      for (const ScoredMove& move : values) {
        best = std::max(best, move.score);
        if (move.point == info.pv[0]) of_move = move.score;
      }
      if (minimax.passed()) continue;
      if (info.value != best || of_move != best) fail(__LINE__, info, best, position);
      ++checked;
    }
    decided += is_mate(log.answer.info.value);
  }
  CHECK(decided > 20 && checked > 600);
}

TEST(search_of_a_given_branching_equals_minimax) {
  Rng rng(2);
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    const int size = 5 + i % 2, depth = 1 + i % 4;
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const int branching = i % 3 ? 2 + static_cast<int>(rng.below(6)) : 484;
    const GamePosition position =
        small_position(rng, size, rule, 5 + static_cast<int>(rng.below(7)));
    PlainMinimax minimax(position, 0, branching);
    AlphaBeta search(size, rule, plain_settings(branching), 1, SMALL_MEMORY, distinct_evaluators());
    const SearchLog log = search_and_log(search, request_of(position, depth));
    check_answer(position, log);
    if (log.answer.info.value == mate_in(1)) continue;
    CHECK_EQ(log.infos.size(), size_t{1});  // one iteration, of the depth that is wanted
    const SearchInfo& info = log.infos.back();
    CHECK_EQ(info.depth, depth);
    const Value expected = minimax.root_value(depth);
    if (minimax.passed()) continue;
    if (info.value != expected) fail(__LINE__, info, expected, position);
    ++checked;
  }
  CHECK(checked > 250);
}

TEST(plain_search_respects_move_limits) {
  Rng rng(3);
  std::array<int, 3> seen{};  // lost, drawn, won
  for (int i = 0; i < 400; ++i) {
    const int size = 5 + i % 2, moves_left = 1 + static_cast<int>(rng.below(5));
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position =
        small_position(rng, size, rule, 5 + static_cast<int>(rng.below(6)));
    PlainMinimax minimax(position, moves_left, 0);
    AlphaBeta search(size, rule, plain_settings(), 1, SMALL_MEMORY, distinct_evaluators());
    SearchRequest request = request_of(position, moves_left + 1);
    request.moves_left = moves_left;
    const SearchLog log = search_and_log(search, request);
    check_answer(position, log);
    const Value truth = minimax.root_value(moves_left + 1);
    if (minimax.passed()) continue;
    check_claims(log, truth, position);
    if (log.answer.info.value != truth) fail(__LINE__, log.answer.info, truth, position);
    ++seen[static_cast<size_t>(1 + sign(truth))];
  }
  for (const int count : seen) CHECK(count > 10);
}

TEST(full_width_search_solves_small_boards) {
  // Wins by fours and history change no result. Reductions, null move, singular extensions and
  // pruning may; they are left to the next test.
  Rng rng(4);
  AlphaBetaSettings settings;
  settings.late_move_reductions = settings.null_move = false;
  settings.singular_extensions = settings.pruning = false;
  std::array<int, 3> seen{};
  for (int i = 0; i < 200; ++i) {
    const int size = 5 + i % 2, empty = 5 + static_cast<int>(rng.below(5));
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = small_position(rng, size, rule, empty);
    PlainMinimax minimax(position, 0, 0);
    const Value truth = minimax.root_value(empty + 1);
    if (minimax.passed()) continue;
    AlphaBeta search(size, rule, settings, 1, SMALL_MEMORY, distinct_evaluators());
    const SearchLog log = search_and_log(search, request_of(position, empty + 1));
    check_answer(position, log);
    check_claims(log, truth, position);
    const Value value = log.answer.info.value;
    if (sign(value) != sign(truth) || (sign(truth) == 0 && value != DRAW))
      fail(__LINE__, log.answer.info, truth, position);
    ++seen[static_cast<size_t>(1 + sign(truth))];
  }
  for (const int count : seen) CHECK(count > 10);
}

TEST(no_technique_claims_a_false_win) {
  // With everything on, a reported win or loss is one: pruning may miss it, but may not make
  // it up. How far away it is said to be is not checked: where a win by fours cannot be disturbed,
  // the search does not count its plies.
  Rng rng(5);
  int wins = 0, found = 0;
  for (int i = 0; i < 250; ++i) {
    const int size = 5 + i % 2, empty = 6 + static_cast<int>(rng.below(5));
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = small_position(rng, size, rule, empty);
    const int moves_left = i % 4 ? 0 : 3 + static_cast<int>(rng.below(5));
    PlainMinimax minimax(position, moves_left, 0);
    const Value truth = minimax.root_value(empty + 1);
    for (const bool classical : {true, false}) {
      AlphaBeta search(size, rule, {}, 1, SMALL_MEMORY,
                       classical ? classical_evaluators(rule) : fake_evaluators());
      SearchRequest request = request_of(position, empty + 2);
      request.moves_left = moves_left;
      const SearchLog log = search_and_log(search, request);
      check_answer(position, log);
      check_claims(log, truth, position);
      wins += sign(truth) != 0;
      found += sign(truth) != 0 && sign(log.answer.info.value) == sign(truth);
    }
  }
  CHECK(wins > 100);
  CHECK(found > wins * 9 / 10);
}
