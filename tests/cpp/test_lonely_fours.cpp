// SPDX-License-Identifier: MIT
// Fours that lead to no other one: drawn cases, and many fights in which the plain search for wins
// by fours has to agree whenever the patterns say that there is none.
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

/// Whether black, whose stones are the X, has only lonely fours.
bool is_lonely(Rule rule, std::initializer_list<Row> rows) {
  PatternBoard board(15, rule);
  for (const Row& row : rows)
    for (size_t i = 0; i < row.stones.size(); ++i)
      if (row.stones[i] != '.')
        board.play(make_point(row.x + static_cast<int>(i), row.y),
                   row.stones[i] == 'X' ? BLACK : WHITE);
  return board.has_only_lonely_fours(BLACK);
}

}  // namespace

TEST(lonely_fours_of_one_line) {
  CHECK(is_lonely(Rule::FREESTYLE, {{4, 7, "OXXX.."}}));
  CHECK(is_lonely(Rule::FREESTYLE, {{4, 7, "OX.XX.O"}}));
  // X at d, O at b, X at e: the line makes a four once more.
  CHECK(!is_lonely(Rule::FREESTYLE, {{4, 7, "OX.XX..."}}));
  CHECK(!is_lonely(Rule::STANDARD, {{4, 7, "OX.XX..."}}));
}

TEST(lonely_fours_of_several_lines) {
  // Far from each other; crossing in an empty point that both can use; one that makes a three, too.
  CHECK(is_lonely(Rule::FREESTYLE, {{0, 2, "XXX..O"}, {0, 12, "OXXX..O"}}));
  CHECK(!is_lonely(Rule::FREESTYLE, {{0, 7, "XXX..O"}, {4, 8, "X"}, {4, 9, "X"}, {4, 10, "X"}}));
  CHECK(!is_lonely(Rule::FREESTYLE, {{0, 7, "XXX..O"}, {4, 8, "X"}, {4, 9, "X"}}));
  // Two fours whose new stones stand in one line with a stone of before.
  CHECK(!is_lonely(Rule::FREESTYLE, {{0, 7, "XXX..O"}, {3, 5, "X"}, {0, 3, "XXX..O"}}));
}

TEST(lonely_fours_are_claimed_where_fives_have_one_answer) {
  for (const Rule rule : {Rule::RENJU, Rule::CARO, Rule::CARO6})
    CHECK(!is_lonely(rule, {{4, 7, "OXXX.."}}));
  CHECK(!is_lonely(Rule::FREESTYLE, {{4, 7, ".XXX.."}}));   // an open four
  CHECK(!is_lonely(Rule::FREESTYLE, {{4, 7, "OXXXX."}}));   // a five
  CHECK(!is_lonely(Rule::FREESTYLE, {{4, 7, "X.XXX.X"}}));  // two fours in one
}

TEST(lonely_fours_never_win) {
  int asked = 0, lonely = 0;
  for (const Rule rule : {Rule::FREESTYLE, Rule::STANDARD})
    for (const int size : {9, 15})
      for (const int fours : {1, 3, 5})
        for (const Colour attacker : {BLACK, WHITE})
          for (const TacticalPosition& position :
               tactical_positions(77, 120, size, rule, attacker, fours)) {
            PatternBoard board(size, rule);
            board.assign(position.cells);
            ++asked;
            if (!board.has_only_lonely_fours(attacker)) continue;
            ++lonely;
            CHECK(wins_by_fours(position.cells, size, rule, attacker, 20'000) == PlainAnswer::NO);
          }
  CHECK(lonely > asked / 20);
}
