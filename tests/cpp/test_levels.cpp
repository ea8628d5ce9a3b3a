// SPDX-License-Identifier: MIT
// Levels of play, limits of moves, and the swap2 opening.
#include <algorithm>
#include <set>

#include "check.h"
#include "engine/levels.h"
#include "engine/swap2.h"

using namespace tengen;

namespace {

SearchInfo line(Value value, std::vector<Point> pv = {make_point(7, 7)}) {
  SearchInfo info;
  info.value = value;
  info.pv = std::move(pv);
  return info;
}

SearchResult played(Value value, std::vector<Point> pv) {
  return {make_point(7, 7), NO_POINT, line(value, std::move(pv))};
}

}  // namespace

TEST(levels_grow) {
  for (int number = 2; number <= FULL_LEVEL; ++number) {
    const Level &below = level_of(number - 1), &level = level_of(number);
    CHECK_EQ(level.number, number);
    CHECK(level.nodes == 0 ? number == FULL_LEVEL : level.nodes > below.nodes);
    CHECK(level.spread <= below.spread);
  }
  CHECK(level_of(FULL_LEVEL).plays_best_move());
  const Limit limit{.time = 3};
  CHECK(limit_of_level(level_of(FULL_LEVEL), limit, false) == limit);
}

TEST(limits_of_levels_are_within_those_of_the_move) {
  const Limit given{.time = 0.5, .clock = 9, .increment = 1, .nodes = 100};
  const Limit limit = limit_of_level(level_of(3), given, false);
  CHECK_EQ(*limit.time, 0.5);
  CHECK_EQ(limit.nodes, 100u);
  CHECK_EQ(*limit.clock, 9.0);
  CHECK_EQ(limit.increment, 1.0);
  CHECK_EQ(limit_of_level(level_of(3), {}, false).nodes, level_of(3).nodes);
  for (int number = 1; number <= FULL_LEVEL; ++number) {
    CHECK_EQ(limit_of_level(level_of(number), {.depth = 9}, true).depth, 9);
    CHECK_EQ(limit_of_level(level_of(number), {}, true).depth, 0);
  }
  CHECK_EQ(limit_of_level(level_of(1), {}, false).depth, 1);
}

TEST(strengths_are_levels) {
  CHECK_EQ(level_of_strength(0), 1);
  CHECK_EQ(level_of_strength(10), 1);
  CHECK_EQ(level_of_strength(11), 2);
  CHECK_EQ(level_of_strength(50), 5);
  CHECK_EQ(level_of_strength(100), 10);
}

TEST(levels_choose_close_lines_more_often) {
  const std::vector<SearchInfo> lines = {line(0), line(-10), line(-400)};
  Rng rng(1);
  std::array<int, 3> count{};
  for (int n = 0; n < 500; ++n) ++count[choose_line(level_of(3), lines, rng)];
  CHECK(count[0] > 150);
  CHECK(count[1] > 100);
  CHECK(count[2] < 20);
}

TEST(levels_play_wins_and_avoid_losses) {
  const std::vector<SearchInfo> wins = {line(mate_in(3)), line(300)};
  const std::vector<SearchInfo> losses = {line(-50), line(mated_in(4))};
  Rng rng(1);
  for (int n = 0; n < 50; ++n) {
    CHECK_EQ(choose_line(level_of(1), wins, rng), 0u);
    CHECK_EQ(choose_line(level_of(1), losses, rng), 0u);
  }
}

TEST(limits_after_a_wait) {
  const Limit limit{.time = 1, .clock = 5, .increment = 1, .nodes = 7};
  CHECK(limit.after(0.25) == (Limit{.time = 0.75, .clock = 4.75, .increment = 1, .nodes = 7}));
  CHECK(limit.after(100) == (Limit{.time = 0.001, .clock = 0, .increment = 1, .nodes = 7}));
  CHECK((Limit{.depth = 3}.after(100) == Limit{.depth = 3}));
  CHECK_EQ(limit.times().clock, 5.0);
  CHECK(limit.after(100).times().clock > 0);  // 0 would be no limit
  CHECK_EQ(Limit{}.times().clock, 0.0);
}

TEST(limits_have_an_expected_time) {
  CHECK(!Limit{}.for_move());
  CHECK(!(Limit{.nodes = 3}.for_move()));
  CHECK_EQ(*(Limit{.time = 2}.for_move()), 2.0);
  CHECK_EQ(*(Limit{.clock = 26}.for_move()), 1.0);
  CHECK_EQ(*(Limit{.time = 0.5, .clock = 26}.for_move()), 0.5);
  CHECK_EQ(*(Limit{.clock = 1, .increment = 9}.for_move()), 1.0);  // no more than is left
}

TEST(swap2_openings_fit_on_every_board) {
  for (int size = MIN_SIZE; size <= MAX_SIZE; ++size) {
    std::set<std::vector<Point>> found;
    for (u32 number = 0; number < 200; ++number) {
      const std::vector<Point> stones = swap2_opening(size, number);
      CHECK_EQ(std::set<Point>(stones.begin(), stones.end()).size(), 3u);
      for (const Point p : stones)
        CHECK(x_of(p) >= 0 && x_of(p) < size && y_of(p) >= 0 && y_of(p) < size);
      found.insert(stones);
    }
    CHECK(found.size() >= 20);
  }
}

TEST(swap2_takes_the_better_colour) {
  const Point a = make_point(7, 7), b = make_point(8, 8);
  const std::vector<Point> move = {a}, two = {a, b}, swap;
  CHECK(swap2_choice({a, NO_POINT, SearchInfo{}}, 3) == move);  // no score
  CHECK(swap2_choice(played(0, {a, b}), 3) == two);
  CHECK(swap2_choice(played(10, {a, b}), 3) == two);
  CHECK(swap2_choice(played(0, {a, b}), 5) == move);
  CHECK(swap2_choice(played(0, {a}), 3) == move);
  CHECK(swap2_choice(played(0, {a, NO_POINT}), 3) == move);
  CHECK(swap2_choice(played(11, {a, b}), 3) == move);
  CHECK(swap2_choice(played(-11, {a, b}), 3) == swap);
  CHECK(swap2_choice(played(-1, {a, b}), 5) == swap);
  CHECK(swap2_choice(played(mate_in(3), {a, b}), 3) == move);
  CHECK(swap2_choice(played(mated_in(4), {a, b}), 3) == swap);
}
