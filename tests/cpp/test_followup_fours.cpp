// SPDX-License-Identifier: MIT
// Fours with and without a follow-up: drawn cases, and many tactical positions in which the plain
// search must find no win by fours where the patterns rule out a follow-up.
#include <string_view>

#include "check.h"
#include "pattern/pattern_board.h"
#include "plain_four_search.h"
#include "tactical_positions.h"

using namespace tengen;

namespace {

/// Stones from a point on, one step along x a character.
struct Row {
  int x, y;
  std::string_view stones;
};

/// Whether a four of black, whose stones are the X, may lead to another one.
bool has_followup(Rule rule, std::initializer_list<Row> rows) {
  PatternBoard board(15, rule);
  for (const Row& row : rows)
    for (size_t i = 0; i < row.stones.size(); ++i)
      if (row.stones[i] != '.')
        board.play(make_point(row.x + static_cast<int>(i), row.y),
                   row.stones[i] == 'X' ? BLACK : WHITE);
  return board.has_followup_four(BLACK);
}

}  // namespace

TEST(followup_fours_of_one_line) {
  CHECK(!has_followup(Rule::FREESTYLE, {{4, 7, "OXXX.."}}));
  CHECK(!has_followup(Rule::FREESTYLE, {{4, 7, "OX.XX.O"}}));
  // X at d, O at b, X at e: the line makes a four once more.
  CHECK(has_followup(Rule::FREESTYLE, {{4, 7, "OX.XX..."}}));
  CHECK(has_followup(Rule::STANDARD, {{4, 7, "OX.XX..."}}));
}

TEST(followup_fours_of_several_lines) {
  // Far from each other; crossing in an empty point that both can use; one that makes a three, too.
  CHECK(!has_followup(Rule::FREESTYLE, {{0, 2, "XXX..O"}, {0, 12, "OXXX..O"}}));
  CHECK(has_followup(Rule::FREESTYLE, {{0, 7, "XXX..O"}, {4, 8, "X"}, {4, 9, "X"}, {4, 10, "X"}}));
  CHECK(has_followup(Rule::FREESTYLE, {{0, 7, "XXX..O"}, {4, 8, "X"}, {4, 9, "X"}}));
  // Two fours whose new stones stand in one line with a stone of before.
  CHECK(has_followup(Rule::FREESTYLE, {{0, 7, "XXX..O"}, {3, 5, "X"}, {0, 3, "XXX..O"}}));
}

TEST(followup_fours_are_ruled_out_only_where_fives_have_one_answer) {
  for (const Rule rule : {Rule::RENJU, Rule::CARO, Rule::CARO6})
    CHECK(has_followup(rule, {{4, 7, "OXXX.."}}));
  CHECK(has_followup(Rule::FREESTYLE, {{4, 7, ".XXX.."}}));   // an open four
  CHECK(has_followup(Rule::FREESTYLE, {{4, 7, "OXXXX."}}));   // a five
  CHECK(has_followup(Rule::FREESTYLE, {{4, 7, "X.XXX.X"}}));  // two fours in one
}

TEST(fours_without_followup_never_win) {
  int asked = 0, without = 0;
  for (const Rule rule : {Rule::FREESTYLE, Rule::STANDARD})
    for (const int size : {9, 15})
      for (const int fours : {1, 3, 5})
        for (const Colour attacker : {BLACK, WHITE})
          for (const TacticalPosition& position :
               tactical_positions(77, check::reduced(120), size, rule, attacker, fours)) {
            PatternBoard board(size, rule);
            board.assign(position.cells);
            ++asked;
            if (board.has_followup_four(attacker)) continue;
            ++without;
            CHECK(wins_by_fours(position.cells, size, rule, attacker, 20'000) == PlainAnswer::NO);
          }
  CHECK(without > asked / 20);
}
