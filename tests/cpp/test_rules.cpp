// SPDX-License-Identifier: MIT
// The referee on its own: outcomes, winning lines, passes, limits. Shapes are in tests/positions.
#include "check.h"
#include "game/rules.h"
#include "game/symmetry.h"
#include "random_positions.h"

using namespace tengen;

namespace {

Board with_row(int size, int from, int to, Colour colour) {
  Board board(size);
  for (int x = from; x <= to; ++x) board.set_up(make_point(x, 2), colour);
  return board;
}

}  // namespace

TEST(runs_that_win) {
  CHECK(run_wins(Rule::FREESTYLE, BLACK, 5, true));
  CHECK(run_wins(Rule::FREESTYLE, WHITE, 9, false));
  CHECK(!run_wins(Rule::FREESTYLE, WHITE, 4, false));
  CHECK(run_wins(Rule::STANDARD, BLACK, 5, true));
  CHECK(!run_wins(Rule::STANDARD, BLACK, 6, false));
  CHECK(!run_wins(Rule::RENJU, BLACK, 6, false));
  CHECK(run_wins(Rule::RENJU, WHITE, 6, false));
  CHECK(!run_wins(Rule::CARO, BLACK, 5, true));
  CHECK(run_wins(Rule::CARO, BLACK, 5, false));
  CHECK(!run_wins(Rule::CARO, BLACK, 6, false));
  CHECK(!run_wins(Rule::CARO6, BLACK, 5, true));
  CHECK(run_wins(Rule::CARO6, BLACK, 6, true));
}

TEST(a_played_five_wins_with_its_line) {
  Board board = with_row(15, 3, 6, BLACK);
  board.play(make_point(7, 2));
  const Outcome result = outcome(board, Rule::STANDARD);
  CHECK_EQ(result.ending, Ending::FIVE);
  CHECK_EQ(result.winner, BLACK);
  CHECK_EQ(result.lines.size(), size_t{1});
  CHECK_EQ(result.lines.at(0).first, make_point(3, 2));
  CHECK_EQ(result.lines.at(0).last, make_point(7, 2));
}

TEST(positions_set_up_are_searched_for_fives) {
  for (int r = 0; r < RULE_NB; ++r) {
    Board board = with_row(15, 0, 4, WHITE);
    const Outcome result = outcome(board, static_cast<Rule>(r));
    CHECK_EQ(result.winner, WHITE);
  }
  CHECK_EQ(outcome(with_row(15, 0, 5, BLACK), Rule::STANDARD).ending, Ending::NONE);
  CHECK_EQ(outcome(with_row(15, 0, 5, BLACK), Rule::FREESTYLE).winner, BLACK);
}

TEST(of_two_fives_that_of_the_last_mover_wins) {
  Board board = with_row(15, 0, 4, BLACK);
  for (int x = 0; x < 5; ++x) board.set_up(make_point(x, 7), WHITE);
  CHECK_EQ(outcome(board, Rule::FREESTYLE).winner, WHITE);  // black to move
  board.set_side_to_move(WHITE);
  CHECK_EQ(outcome(board, Rule::FREESTYLE).winner, BLACK);
}

TEST(draws) {
  Board board(15);
  board.pass();
  CHECK_EQ(outcome(board, Rule::RENJU).ending, Ending::NONE);
  board.pass();
  CHECK_EQ(outcome(board, Rule::RENJU).ending, Ending::PASSES);
  CHECK_EQ(outcome(board, Rule::RENJU).winner, EMPTY);

  Board limited(15);
  limited.play(make_point(0, 0));
  CHECK_EQ(outcome(limited, Rule::RENJU, 2).ending, Ending::NONE);
  limited.play(make_point(1, 0));
  CHECK_EQ(outcome(limited, Rule::RENJU, 2).ending, Ending::MOVE_LIMIT);
  CHECK_EQ(outcome(limited, Rule::RENJU, 0).ending, Ending::NONE);
}

TEST(a_five_comes_before_every_draw) {
  Board limited = with_row(15, 3, 6, BLACK);
  limited.play(make_point(7, 2));
  CHECK_EQ(outcome(limited, Rule::FREESTYLE, 1).ending, Ending::FIVE);
  Board full(5);
  for (const Point p : board_points(5)) {
    if (p == make_point(4, 4)) continue;
    const bool black = y_of(p) == 4 || (x_of(p) / 2 + y_of(p)) % 2 == 0;
    full.set_up(p, black ? BLACK : WHITE);
  }
  full.play(make_point(4, 4));
  CHECK(full.is_full());
  CHECK_EQ(outcome(full, Rule::FREESTYLE).ending, Ending::FIVE);
}

TEST(passes_come_before_the_move_limit) {
  Board board(15);
  board.pass();
  board.pass();
  CHECK_EQ(outcome(board, Rule::RENJU, 2).ending, Ending::PASSES);
}

TEST(a_full_board_without_a_five_is_a_draw) {
  // Columns in pairs, shifted every row: no run on any line is longer than three.
  Board board(5);
  for (const Point p : board_points(5)) {
    if (p == make_point(4, 4)) continue;
    board.set_up(p, (x_of(p) / 2 + y_of(p)) % 2 == 0 ? BLACK : WHITE);
  }
  CHECK_EQ(outcome(board, Rule::FREESTYLE).ending, Ending::NONE);
  board.play(make_point(4, 4));
  CHECK_EQ(outcome(board, Rule::FREESTYLE).ending, Ending::FULL_BOARD);
}

TEST(the_referee_does_not_change_the_cells) {
  Rng rng(3);
  for (int n = 0; n < 200; ++n) {
    const int size = random_size(rng);
    Cells cells = empty_cells(size);
    for (const Placed& stone : random_stones(rng, size)) cells[stone.point] = stone.colour;
    Referee referee(cells, Rule::RENJU);
    for (const Point p : board_points(size))
      if (cells[p] == EMPTY) referee.classify(p, BLACK);
    CHECK(referee.cells() == cells);
  }
}

TEST(verdicts_commute_with_symmetries) {
  Rng rng(4);
  for (int n = 0; n < 300; ++n) {
    const int size = random_size(rng);
    const auto rule = static_cast<Rule>(rng.below(RULE_NB));
    const int s = static_cast<int>(rng.below(SYMMETRY_NB));
    Cells cells = empty_cells(size), image = cells;
    for (const Placed& stone : random_stones(rng, size)) {
      cells[stone.point] = stone.colour;
      image[transformed(stone.point, s, size)] = stone.colour;
    }
    Referee here(cells, rule), there(image, rule);
    for (const Point p : board_points(size)) {
      if (cells[p] != EMPTY) continue;
      for (const Colour colour : {BLACK, WHITE}) {
        const PointReport a = here.classify(p, colour),
                          b = there.classify(transformed(p, s, size), colour);
        CHECK(a.five == b.five && a.fours == b.fours && a.open_four == b.open_four);
        CHECK(a.overline == b.overline && a.forbidden == b.forbidden);
      }
    }
    for (const Colour colour : {BLACK, WHITE})
      CHECK_EQ(winning_runs(cells, size, rule, colour).size(),
               winning_runs(image, size, rule, colour).size());
  }
}
