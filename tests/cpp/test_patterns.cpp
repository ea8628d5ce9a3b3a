// SPDX-License-Identifier: MIT
// Patterns: equal to a recomputation after any moves, exact undo, symmetry, defences to threats.
// (conformance.cpp compares them with the referee.)
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "check.h"
#include "game/rules.h"
#include "game/symmetry.h"
#include "pattern/batch.h"
#include "pattern/pattern_board.h"
#include "random_positions.h"

using namespace tengen;

namespace {

struct Sample {
  Cells cells;
  PatternBoard patterns;

  Sample(Rng& rng, int size, Rule rule) : cells(empty_cells(size)), patterns(size, rule) {
    for (const Placed& stone : random_stones(rng, size)) {
      cells[stone.point] = stone.colour;
      patterns.play(stone.point, stone.colour);
    }
  }
};

/// Everything that can be read of a point.
bool same_point(const PatternBoard& a, Point p, const PatternBoard& b, Point q) {
  return a.threat(BLACK, p) == b.threat(BLACK, q) && a.threat(WHITE, p) == b.threat(WHITE, q) &&
         a.shape_set(BLACK, p) == b.shape_set(BLACK, q) &&
         a.shape_set(WHITE, p) == b.shape_set(WHITE, q);
}

/// Number of walks, from the environment variable TENGEN_WALKS.
int walks() {
  const char* wanted = std::getenv("TENGEN_WALKS");
  return wanted ? std::atoi(wanted) : 20000;
}

}  // namespace

TEST(shapes_add_up_to_threats) {
  struct Sum {
    std::array<Shape, 4> shapes;
    Threat threat;  ///< for white, and under other rules
    Threat black_in_renju;
  };
  using S = Shape;
  using T = Threat;
  const std::vector<Sum> sums = {
      {{S::NONE, S::ONE, S::OPEN_ONE, S::NONE}, T::NONE, T::NONE},
      {{S::NONE, S::TWO, S::OPEN_ONE, S::NONE}, T::TWO, T::TWO},
      {{S::OPEN_TWO, S::TWO, S::NONE, S::NONE}, T::OPEN_TWO, T::OPEN_TWO},
      {{S::OPEN_TWO, S::THREE, S::NONE, S::NONE}, T::THREE, T::THREE},
      {{S::OPEN_THREE, S::THREE, S::OPEN_TWO, S::NONE}, T::OPEN_THREE, T::OPEN_THREE},
      {{S::OPEN_THREE, S::NONE, S::OPEN_THREE, S::NONE}, T::DOUBLE_THREE, T::DOUBLE_THREE},
      {{S::OPEN_THREE, S::OPEN_THREE, S::OPEN_THREE, S::TWO}, T::DOUBLE_THREE, T::DOUBLE_THREE},
      {{S::NONE, S::FOUR, S::THREE, S::NONE}, T::FOUR, T::FOUR},
      {{S::OPEN_THREE, S::FOUR, S::NONE, S::NONE}, T::FOUR_THREE, T::FOUR_THREE},
      {{S::OPEN_THREE, S::FOUR, S::OPEN_THREE, S::NONE}, T::FOUR_THREE, T::FOUR_DOUBLE_THREE},
      {{S::OPEN_THREE, S::OPEN_FOUR, S::OPEN_THREE, S::NONE}, T::OPEN_FOUR, T::FOUR_DOUBLE_THREE},
      {{S::FOUR, S::NONE, S::FOUR, S::NONE}, T::DOUBLE_FOUR, T::FORBIDDEN},
      {{S::NONE, S::DOUBLE_FOUR, S::NONE, S::NONE}, T::DOUBLE_FOUR, T::FORBIDDEN},
      {{S::OPEN_FOUR, S::FOUR, S::NONE, S::NONE}, T::OPEN_FOUR, T::FORBIDDEN},
      {{S::OPEN_FOUR, S::OPEN_THREE, S::NONE, S::NONE}, T::OPEN_FOUR, T::OPEN_FOUR},
      {{S::OVERLINE, S::NONE, S::NONE, S::NONE}, T::NONE, T::FORBIDDEN},
      {{S::OVERLINE, S::FOUR, S::NONE, S::NONE}, T::FOUR, T::FORBIDDEN},
      {{S::OVERLINE, S::FIVE, S::FOUR, S::FOUR}, T::FIVE, T::FIVE},
  };
  for (int r = 0; r < RULE_NB; ++r)
    for (const Colour colour : {BLACK, WHITE})
      for (const Sum& sum : sums) {
        ShapeSet set = 0;
        for (int d = 0; d < DIRECTION_NB; ++d)
          set |= static_cast<ShapeSet>(static_cast<int>(sum.shapes[d]) << (4 * d));
        const auto rule = static_cast<Rule>(r);
        const ThreatPair pair = pattern_tables(rule).threats[side_index(colour)][set];
        CHECK_EQ(threat_of(pair, colour),
                 has_forbidden_moves(rule, colour) ? sum.black_in_renju : sum.threat);
        CHECK_EQ(threat_of(pair, opponent(colour)), Threat::NONE);
      }
}

TEST(assign_clears_played_stones) {
  Rng rng(19);
  Sample sample(rng, 15, Rule::RENJU);
  sample.patterns.assign(sample.cells);
  PatternBoard fresh(15, Rule::RENJU);
  fresh.assign(sample.cells);
  CHECK(sample.patterns == fresh);
  PatternBoard other(15, Rule::RENJU);
  CHECK(!(other == fresh));
}

TEST(a_board_moved_from_can_be_assigned_and_played) {
  Rng rng(20);
  Sample sample(rng, 15, Rule::RENJU);
  const PatternBoard moved = std::move(sample.patterns);
  PatternBoard& left = sample.patterns;
  left.assign(empty_cells(15));
  for (const Point p : board_points(15)) left.play(p, x_of(p) % 2 ? BLACK : WHITE);
  for (int i = 0; i < 225; ++i) left.undo();
  CHECK(left == PatternBoard(15, Rule::RENJU));
  CHECK(!(moved == left));
}

TEST(key_is_cut_out_of_the_line) {
  Board board(15);
  const Point p = make_point(7, 7);
  board.set_up(shifted(p, DIAGONAL, 2), BLACK);
  board.set_up(shifted(p, DIAGONAL, -5), WHITE);
  PatternBoard patterns(15, Rule::RENJU);
  patterns.assign(board.cells());
  const LineKey key = patterns.lines().key(p, DIAGONAL);
  for (int i = 0; i < KEY_CELLS; ++i) {
    CHECK_EQ(key_cell(key_offset(i)), i);
    CHECK_EQ(key_stone(key, i), board.at(shifted(p, DIAGONAL, key_offset(i))));
  }
  CHECK_EQ(key_stone(patterns.lines().key(make_point(0, 3), ALONG_X), 4), EDGE);
}

TEST(play_equals_assign) {
  Rng rng(11);
  for (int n = 0; n < 1500; ++n) {
    const int size = MIN_SIZE + static_cast<int>(rng.below(MAX_SIZE - MIN_SIZE + 1));
    const Sample sample(rng, size, static_cast<Rule>(rng.below(RULE_NB)));
    PatternBoard fresh(size, sample.patterns.rule());
    fresh.assign(sample.cells);
    for (const Point p : board_points(size))
      if (sample.cells[p] == EMPTY) CHECK(same_point(sample.patterns, p, fresh, p));
    for (const Colour colour : {BLACK, WHITE})
      CHECK(sample.patterns.counts(colour) == fresh.counts(colour));
  }
}

TEST(counts_equal_a_recount) {
  Rng rng(12);
  for (int n = 0; n < 500; ++n) {
    const int size = random_size(rng);
    const Sample sample(rng, size, static_cast<Rule>(rng.below(RULE_NB)));
    for (const Colour colour : {BLACK, WHITE}) {
      PatternBoard::Counts recount{};
      for (const Point p : board_points(size))
        if (sample.cells[p] == EMPTY)
          ++recount[static_cast<int>(sample.patterns.threat(colour, p))];
      CHECK(recount == sample.patterns.counts(colour));
    }
  }
}

TEST(undo_restores_every_bit_in_random_walks) {
  Rng rng(13);
  for (int n = walks(); n > 0;) {
    const int size = random_size(rng);
    Sample sample(rng, size, static_cast<Rule>(rng.below(RULE_NB)));
    const PatternBoard before = sample.patterns;
    for (int walk = 0; walk < 50 && n > 0; ++walk, --n) {
      Cells cells = sample.cells;
      const u32 wanted = 1 + rng.below(12);
      u32 played = 0;
      for (; played < wanted; ++played) {
        const Point p = random_empty_point(rng, cells, size);
        if (p == NO_POINT) break;
        const Colour colour = rng.below(2) ? BLACK : WHITE;
        cells[p] = colour;
        sample.patterns.play(p, colour);
      }
      for (; played > 0; --played) sample.patterns.undo();
      CHECK(sample.patterns == before);
    }
  }
}

TEST(patterns_commute_with_symmetries) {
  Rng rng(14);
  for (int n = 0; n < 400; ++n) {
    const int size = random_size(rng), s = static_cast<int>(rng.below(SYMMETRY_NB));
    const Sample sample(rng, size, static_cast<Rule>(rng.below(RULE_NB)));
    Cells image = empty_cells(size);
    for (const Point p : board_points(size)) image[transformed(p, s, size)] = sample.cells[p];
    PatternBoard turned(size, sample.patterns.rule());
    turned.assign(image);
    for (const Point p : board_points(size)) {
      if (sample.cells[p] != EMPTY) continue;
      const Point q = transformed(p, s, size);
      for (const Colour colour : {BLACK, WHITE})
        CHECK_EQ(sample.patterns.threat(colour, p), turned.threat(colour, q));
      CHECK_EQ(sample.patterns.forbidden(p), turned.forbidden(q));
    }
  }
}

TEST(for_each_at_least_finds_all_and_only_those) {
  Rng rng(15);
  for (int n = 0; n < 300; ++n) {
    const int size = random_size(rng);
    const Sample sample(rng, size, static_cast<Rule>(rng.below(RULE_NB)));
    for (const Colour colour : {BLACK, WHITE})
      for (int least = 1; least < THREAT_NB; ++least) {
        std::vector<Point> found, expected;
        sample.patterns.for_each_at_least(colour, static_cast<Threat>(least),
                                          [&](Point p) { found.push_back(p); });
        for (const Point p : board_points(size))
          if (static_cast<int>(sample.patterns.threat(colour, p)) >= least) expected.push_back(p);
        CHECK(found == expected);
      }
  }
}

TEST(for_each_forbidden_finds_all_and_only_those) {
  Rng rng(16);
  for (int n = 0; n < 300; ++n) {
    const int size = random_size(rng);
    const Sample sample(rng, size, Rule::RENJU);
    Referee referee(sample.cells, Rule::RENJU);
    std::vector<Point> found, expected;
    sample.patterns.for_each_forbidden([&](Point p, Forbidden why) {
      CHECK_EQ(why, referee.forbidden(p));
      found.push_back(p);
    });
    for (const Point p : board_points(size))
      if (sample.cells[p] == EMPTY && referee.forbidden(p) != Forbidden::NONE)
        expected.push_back(p);
    CHECK(found == expected);
  }
}

TEST(answers_are_exactly_the_points_that_stop_a_threat) {
  Rng rng(17);
  u64 asked = 0;
  for (int n = 0; n < 400; ++n) {
    const int size = random_size(rng);
    const auto rule = static_cast<Rule>(rng.below(RULE_NB));
    const Sample sample(rng, size, rule);
    for (const Colour colour : {BLACK, WHITE})
      for (const Point p : board_points(size)) {
        if (sample.cells[p] != EMPTY) continue;
        const bool five = sample.patterns.threat(colour, p) == Threat::FIVE;
        const auto holds = [five](Shape shape) {
          return five ? shape == Shape::FIVE
                      : shape == Shape::OPEN_FOUR || shape == Shape::DOUBLE_FOUR;
        };
        bool threatened = false;
        for (const Direction d : DIRECTIONS)
          threatened |= holds(sample.patterns.shape(colour, p, d));
        const DefencePoints defences = sample.patterns.defences(colour, p);
        CHECK_EQ(!defences.empty(), threatened);
        CHECK(std::is_sorted(defences.begin(), defences.end()));
        if (!threatened || ++asked % 16 != 0) continue;
        // Ask by playing: an answer is a point whose occupation leaves no such shape at p.
        Cells cells = sample.cells;
        PatternBoard after(size, rule);
        for (const Point r : board_points(size)) {
          if (sample.cells[r] != EMPTY) continue;
          cells[r] = opponent(colour);
          after.assign(cells);
          cells[r] = EMPTY;
          bool still = false;
          if (r != p)
            for (const Direction d : DIRECTIONS) still |= holds(after.shape(colour, p, d));
          CHECK_EQ(defences.contains(r), !still);
        }
      }
  }
  CHECK(asked > 1000);
}

TEST(batches_equal_single_boards) {
  Rng rng(18);
  constexpr int SIZE = 15, COUNT = 150, POINTS = SIZE * SIZE;
  std::vector<u8> stones, to_move;
  std::vector<Sample> samples;
  for (int i = 0; i < COUNT; ++i) {
    const Sample& sample = samples.emplace_back(rng, SIZE, Rule::RENJU);
    for (const Point p : board_points(SIZE)) stones.push_back(sample.cells[p]);
    to_move.push_back(static_cast<u8>(1 + rng.below(2)));
  }
  const Positions positions{stones.data(), COUNT, SIZE};
  CHECK_EQ(first_bad_stone(positions), stones.size());
  std::vector<u8> threats(2 * stones.size()), shapes(8 * stones.size()), forbidden(stones.size()),
      legal(stones.size()), winners(COUNT);
  for (const int threads : {1, 3}) {
    batch_threats(positions, Rule::RENJU, threats.data(), threads);
    batch_shapes(positions, Rule::RENJU, shapes.data(), threads);
    batch_forbidden(positions, Rule::RENJU, forbidden.data(), threads);
    batch_legal(positions, Rule::RENJU, to_move.data(), legal.data(), threads);
    batch_outcome(positions, Rule::RENJU, to_move.data(), winners.data(), threads);
    for (int i = 0; i < COUNT; ++i) {
      const Sample& sample = samples[i];
      for (int j = 0; j < POINTS; ++j) {
        const Point p = board_points(SIZE)[j];
        const bool empty = sample.cells[p] == EMPTY;
        const Forbidden why = empty ? sample.patterns.forbidden(p) : Forbidden::NONE;
        CHECK_EQ(int{forbidden[i * POINTS + j]}, static_cast<int>(why));
        CHECK_EQ(legal[i * POINTS + j] != 0,
                 empty && (to_move[i] == WHITE || why == Forbidden::NONE));
        for (const Colour colour : {BLACK, WHITE}) {
          const int side = side_index(colour);
          CHECK_EQ(int{threats[(i * 2 + side) * POINTS + j]},
                   static_cast<int>(sample.patterns.threat(colour, p)));
          for (const Direction d : DIRECTIONS)
            CHECK_EQ(int{shapes[((i * 2 + side) * 4 + d) * POINTS + j]},
                     empty ? static_cast<int>(sample.patterns.shape(colour, p, d)) : 0);
        }
      }
      Board board(SIZE);
      for (const Point p : board_points(SIZE))
        if (sample.cells[p] != EMPTY) board.set_up(p, sample.cells[p]);
      board.set_side_to_move(static_cast<Colour>(to_move[i]));
      CHECK_EQ(int{winners[i]}, static_cast<int>(outcome(board, Rule::RENJU).winner));
    }
  }
  stones[777] = 3;
  CHECK_EQ(first_bad_stone(positions), size_t{777});
}

TEST(batches_handle_full_boards) {
  std::vector<u8> stones;
  for (const Point p : board_points(5))
    stones.push_back((x_of(p) / 2 + y_of(p)) % 2 == 0 ? BLACK : WHITE);
  const u8 to_move = BLACK;
  u8 winner = 0;
  batch_outcome({stones.data(), 1, 5}, Rule::FREESTYLE, &to_move, &winner, 1);
  CHECK_EQ(int{winner}, 3);
}
