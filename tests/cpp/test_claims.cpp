// SPDX-License-Identifier: MIT
// Assumptions of the search about threats that it does not search: each is checked by the VCF
// solver on random positions of all rules.
#include <algorithm>

#include "check.h"
#include "search/alphabeta/move_picker.h"
#include "searches.h"
#include "solver/relevance_zone.h"
#include "tactical_positions.h"

using namespace tengen;

namespace {

/// The solver without a limit.
class Asking {
 public:
  Asking() : vcf_(1 << 20) {}

  bool wins(ThreatBoard& board, Colour attacker) {
    StopCondition stop_condition;
    vcf_.clear();
    return vcf_.search(board, attacker, 0, stop_condition) == SolveStatus::WIN;
  }
  const VcfTree& tree() const { return vcf_.tree(); }

 private:
  Vcf vcf_;
};

/// Positions of games on their way, with either side to move, and a few of stones at random, which
/// make stranger shapes. Nobody has a five on the board or could make one.
template <typename Visit>
void for_positions(u64 seed, int games, Visit visit) {
  Rng rng(seed);
  for (int i = 0; i < games; ++i) {
    const int size = random_size(rng);
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const bool strange = rng.below(4) == 0;
    std::vector<Placed> stones =
        strange ? random_stones(rng, size) : random_middle_game(rng, size, rule);
    for (; stones.size() > 5; stones.resize(stones.size() - std::min<size_t>(stones.size(), 3))) {
      GamePosition position = position_of(size, rule, stones);
      if (rng.below(2)) position.side = opponent(position.side);
      PatternBoard patterns(size, rule);
      patterns.assign(position.cells);
      if (patterns.count(BLACK, Threat::FIVE) + patterns.count(WHITE, Threat::FIVE) > 0) continue;
      if (winning_runs(position.cells, size, rule, BLACK).empty() &&
          winning_runs(position.cells, size, rule, WHITE).empty())
        visit(position);
    }
  }
}

std::vector<Point> pick(const GamePosition& start, ForcedReply forced) {
  Position position(start.size, start.rule, std::make_unique<FakeEvaluator>());
  position.assign(start.cells, start.side, 0);
  static History history;  // large, and not used
  std::vector<ScoredMove> room;
  OrderingHints hints;
  const SearchParams params = SearchParams::for_classical();
  MovePicker picker(position, history, params, hints, forced, NO_POINT, room);
  std::vector<Point> moves;
  for (Point p = picker.next(); p != NO_POINT; p = picker.next()) moves.push_back(p);
  return moves;
}

/// After each legal move of the side to move that is not given, the opponent wins by fours. Counts
/// the moves.
int check_left_out(const GamePosition& start, const std::vector<Point>& given, Asking& asking) {
  ThreatBoard board(start.size, start.rule);
  board.assign(start.cells, 0);
  int left_out = 0;
  for (const Point p : board_points(start.size)) {
    if (!board.patterns().is_empty(p) || !board.patterns().is_legal(start.side, p)) continue;
    if (std::find(given.begin(), given.end(), p) != given.end()) continue;
    ++left_out;
    const ScopedPlay played(board, p, start.side);
    if (!asking.wins(board, opponent(start.side)))
      check::fail(__FILE__, __LINE__,
                  "left out " + std::to_string(x_of(p)) + "," + std::to_string(y_of(p)) + ": " +
                      describe(start));
  }
  return left_out;
}

}  // namespace

TEST(open_four_wins_unless_there_is_a_five_to_stop) {
  Asking asking;
  std::array<int, RULE_NB> checked{};
  for_positions(1, 1200, [&](const GamePosition& position) {
    ThreatBoard board(position.size, position.rule);
    board.assign(position.cells, 0);
    if (board.patterns().count(position.side, Threat::OPEN_FOUR) == 0) return;
    // In three plies: any legal reply to the open four leaves a five.
    for (const int moves_left : {0, 3, 4}) {
      board.assign(position.cells, moves_left);
      if (!asking.wins(board, position.side))
        check::fail(__FILE__, __LINE__, "no win: " + describe(position));
    }
    ++checked[static_cast<size_t>(position.rule)];
  });
  for (const int count : checked) CHECK(count > 100);
}

TEST(open_fours_of_the_search_win_in_three_plies) {
  // Each of the points, by the referee: no reply takes all fives away, and none makes one.
  int checked = 0;
  for_positions(3, 300, [&](const GamePosition& position) {
    const Colour side = position.side, other = opponent(side);
    PatternBoard patterns(position.size, position.rule);
    patterns.assign(position.cells);
    patterns.for_each_at_least(side, Threat::OPEN_FOUR, [&](Point four) {
      Referee referee(position.cells, position.rule);
      CHECK(!has_forbidden_moves(position.rule, side) ||
            referee.forbidden(four) == Forbidden::NONE);
      referee.set(four, side);
      std::vector<Point> fives;
      for (const Point p : board_points(position.size)) {
        if (referee.cells()[p] != EMPTY) continue;
        CHECK(!referee.makes_five(p, other));
        if (referee.makes_five(p, side)) fives.push_back(p);
      }
      for (const Point reply : board_points(position.size)) {
        if (referee.cells()[reply] != EMPTY) continue;
        referee.set(reply, other);
        CHECK(std::any_of(fives.begin(), fives.end(), [&](Point five) {
          return five != reply && referee.makes_five(five, side);
        }));
        referee.set(reply, EMPTY);
      }
      ++checked;
    });
  });
  CHECK(checked > 100);
}

TEST(moves_that_do_not_stop_an_open_four_lose) {
  Asking asking;
  std::array<int, RULE_NB> checked{};
  int left_out = 0;
  for_positions(4, 500, [&](const GamePosition& position) {
    ThreatBoard board(position.size, position.rule);
    board.assign(position.cells, 0);
    if (board.patterns().count(opponent(position.side), Threat::OPEN_FOUR) == 0) return;
    left_out += check_left_out(position, pick(position, ForcedReply::BLOCK_OPEN_THREE), asking);
    ++checked[static_cast<size_t>(position.rule)];
  });
  for (const int count : checked) CHECK(count > 50);
  CHECK(left_out > 10000);
}

TEST(moves_outside_the_zone_lose) {
  Asking asking;
  std::array<int, RULE_NB> checked{};
  int left_out = 0;
  const auto check_zone = [&](const GamePosition& position) {
    const Colour other = opponent(position.side);
    ThreatBoard board(position.size, position.rule);
    board.assign(position.cells, 0);
    if (!asking.wins(board, other)) return;
    const PointSet zone = relevance_zone(board, other, asking.tree()).replies;
    std::vector<Point> given;
    for (const Point p : board_points(position.size))
      if (zone.test(p)) given.push_back(p);
    left_out += check_left_out(position, given, asking);
    ++checked[static_cast<size_t>(position.rule)];
  };
  for_positions(5, 300, check_zone);
  // Longer wins, by plain fours.
  for (int r = 0; r < RULE_NB; ++r)
    for (const Colour attacker : {BLACK, WHITE})
      for (const TacticalPosition& fight :
           tactical_positions(6, 12, 15, static_cast<Rule>(r), attacker, 5))
        check_zone({fight.size, fight.rule, fight.cells, opponent(attacker)});
  for (const int count : checked) CHECK(count > 50);
  CHECK(left_out > 10000);
}
