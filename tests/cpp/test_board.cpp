// SPDX-License-Identifier: MIT
#include <set>

#include "check.h"
#include "game/board.h"
#include "game/symmetry.h"
#include "random_positions.h"

using namespace tengen;

TEST(points_and_coordinates) {
  for (int y = 0; y < MAX_SIZE; ++y)
    for (int x = 0; x < MAX_SIZE; ++x) {
      const Point p = make_point(x, y);
      CHECK_EQ(x_of(p), x);
      CHECK_EQ(y_of(p), y);
      CHECK(p != NO_POINT);
    }
  CHECK_EQ(shifted(make_point(3, 3), DIAGONAL, 2), make_point(5, 5));
  CHECK_EQ(shifted(make_point(3, 3), ANTI_DIAGONAL, 2), make_point(5, 1));
}

TEST(empty_boards_of_every_size) {
  for (int size = MIN_SIZE; size <= MAX_SIZE; ++size) {
    const Board board(size);
    CHECK_EQ(board.empty_count(), size * size);
    CHECK_EQ(board.hash(), u64{0});
    int empty = 0;
    for (const Stone stone : board.cells()) empty += stone == EMPTY;
    CHECK_EQ(empty, size * size);
    CHECK_EQ(board_points(size).size(), static_cast<size_t>(size) * size);
  }
}

TEST(undo_restores_the_board) {
  Rng rng(1);
  for (int walk = 0; walk < 2000; ++walk) {
    Board board(5 + static_cast<int>(rng.below(18)));
    std::vector<Board> history;
    const u32 moves = 1 + rng.below(30);
    for (u32 i = 0; i < moves; ++i) {
      const Point p = random_empty_point(rng, board.cells(), board.size());
      history.push_back(board);
      if (p == NO_POINT || rng.below(10) == 0) {
        board.pass();
      } else {
        board.play(p);
      }
    }
    for (; !history.empty(); history.pop_back()) {
      board.undo();
      CHECK(board == history.back());
    }
  }
}

TEST(hash_depends_on_the_position_alone) {
  Board a(15), b(15);
  for (const Point p : {make_point(7, 7), make_point(8, 8), make_point(6, 6)}) a.play(p);
  for (const Point p : {make_point(6, 6), make_point(8, 8), make_point(7, 7)}) b.play(p);
  CHECK_EQ(a.hash(), b.hash());
  b.pass();
  CHECK(a.hash() != b.hash());  // another side to move
  a.pass();
  CHECK_EQ(a.hash(), b.hash());
  a.pass();
  b.play(make_point(0, 0));
  b.undo();
  CHECK(a.hash() != b.hash());
}

TEST(trailing_pass_is_part_of_the_hash) {
  Board passed(15), fresh(15);
  passed.pass();
  fresh.set_side_to_move(WHITE);
  CHECK(passed.hash() != fresh.hash());
  passed.play(make_point(0, 0));
  fresh.play(make_point(0, 0));
  CHECK_EQ(passed.hash(), fresh.hash());
}

TEST(hashes_of_small_games_differ) {
  std::set<u64> seen;
  Board board(9);
  for (const Point p : board_points(9))
    for (const Point q : board_points(9)) {
      if (p == q) continue;
      board.play(p);
      board.play(q);
      seen.insert(board.hash());
      board.undo();
      board.undo();
    }
  CHECK_EQ(seen.size(), size_t{81 * 80});
}

TEST(hash_distinguishes_one_pass_from_two) {
  Board once(15), twice(15);
  once.set_side_to_move(WHITE);
  once.pass();
  twice.pass();
  twice.pass();
  CHECK(once.hash() != twice.hash());
  CHECK(twice.hash() != Board(15).hash());
}

TEST(stones_set_up_hash_like_stones_played) {
  Board played(15), set_up(15);
  played.play(make_point(7, 7));
  played.play(make_point(8, 8));
  set_up.set_up(make_point(7, 7), BLACK);
  set_up.set_up(make_point(8, 8), WHITE);
  CHECK_EQ(set_up.hash(), played.hash());
}

TEST(a_stone_between_passes_counts) {
  Board board(15);
  board.pass();
  board.play(make_point(0, 0));
  board.pass();
  CHECK(!board.passed_twice());
}

TEST(two_passes_are_detected) {
  Board board(15);
  board.pass();
  CHECK(!board.passed_twice());
  board.pass();
  CHECK(board.passed_twice());
  board.undo();
  CHECK(!board.passed_twice());
}

TEST(symmetries_are_a_group) {
  for (const int size : {5, 8, 15, 22})
    for (int s = 0; s < SYMMETRY_NB; ++s) {
      std::set<Point> images;
      for (const Point p : board_points(size)) {
        const Point q = transformed(p, s, size);
        images.insert(q);
        // Only the quarter turns (5 and 6) differ from their inverses.
        CHECK_EQ(transformed(q, s == 5 ? 6 : s == 6 ? 5 : s, size), p);
        CHECK_EQ(transformed(p, 0, size), p);
      }
      CHECK_EQ(images.size(), static_cast<size_t>(size) * size);
    }
}
