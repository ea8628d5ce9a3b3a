// SPDX-License-Identifier: MIT
// The position of the search: the points near stones against a plain count, keys, undoing, draws.
#include <cstdlib>
#include <optional>

#include "check.h"
#include "searches.h"

using namespace tengen;

namespace {

/// Empty points at most two away from a stone, or three along a line; all if there is no stone.
std::vector<Point> plain_near(const Cells& cells, int size) {
  std::vector<Point> stones, near;
  for (const Point p : board_points(size))
    if (cells[p] != EMPTY) stones.push_back(p);
  for (const Point p : board_points(size)) {
    if (cells[p] != EMPTY) continue;
    const bool close = std::any_of(stones.begin(), stones.end(), [p](Point q) {
      const int dx = std::abs(x_of(p) - x_of(q)), dy = std::abs(y_of(p) - y_of(q));
      return (dx <= 2 && dy <= 2) || (dx <= 3 && dy <= 3 && (dx == 0 || dy == 0 || dx == dy));
    });
    if (close || stones.empty()) near.push_back(p);
  }
  return near;
}

std::vector<Point> near_points(const Position& position) {
  std::vector<Point> points;
  position.for_each_near([&](Point p) { points.push_back(p); });
  return points;
}

std::vector<Point> empty_points(const Position& position) {
  std::vector<Point> points;
  position.for_each_empty([&](Point p) { points.push_back(p); });
  return points;
}

Position make_position(int size, Rule rule) {
  return {size, rule, std::make_unique<ClassicalEvaluator>(classical_tables(rule))};
}

/// All that can be read of a position.
struct Seen {
  explicit Seen(Position& position)
      : patterns(position.patterns()),
        near(near_points(position)),
        empty(empty_points(position)),
        key(position.key()),
        value(position.value()),
        side(position.side()),
        empty_count(position.empty_count()),
        moves_left(position.threats().moves_left()) {}
  bool operator==(const Seen&) const = default;

  PatternBoard patterns;
  std::vector<Point> near, empty;
  u64 key;
  Value value;
  Colour side;
  int empty_count, moves_left;
};

/// Plays random points; a pass now and then.
class Wanderer {
 public:
  Wanderer(Position& position, Cells cells) : position_(position), cells_(cells) {}

  void forth(Rng& rng) {
    const Point p = random_empty_point(rng, cells_, position_.size());
    if (p == NO_POINT || rng.below(8) == 0) {
      position_.pass();
      moves_.push_back(NO_POINT);
      return;
    }
    cells_[p] = position_.side();
    position_.play(p);
    moves_.push_back(p);
  }
  void back() {
    const Point p = moves_.back();
    moves_.pop_back();
    if (p == NO_POINT) return position_.undo_pass();
    position_.undo(p);
    cells_[p] = EMPTY;
  }
  const Cells& cells() const { return cells_; }

 private:
  Position& position_;
  Cells cells_;
  std::vector<Point> moves_;
};

}  // namespace

TEST(near_points_equal_a_simple_scan) {
  Rng rng(1);
  for (int i = 0; i < 120; ++i) {
    const int size = random_size(rng);
    Position position = make_position(size, static_cast<Rule>(i % RULE_NB));
    const bool from_nothing = i % 3 == 0;
    const GamePosition start = position_of(
        size, position.rule(), from_nothing ? std::vector<Placed>() : random_stones(rng, size));
    position.assign(start.cells, start.side, 0);
    Wanderer wanderer(position, start.cells);
    int differing = 0;
    for (int step = 0; step < 12; ++step) {
      differing += near_points(position) != plain_near(wanderer.cells(), size);
      wanderer.forth(rng);
    }
    for (int step = 0; step < 12; ++step) {
      wanderer.back();
      differing += near_points(position) != plain_near(wanderer.cells(), size);
    }
    CHECK_EQ(differing, 0);
  }
}

TEST(empty_points_are_all_without_a_stone) {
  Rng rng(2);
  for (int i = 0; i < 60; ++i) {
    const int size = random_size(rng);
    Position position = make_position(size, Rule::STANDARD);
    const GamePosition start = position_of(size, Rule::STANDARD, random_stones(rng, size));
    position.assign(start.cells, BLACK, 0);
    Wanderer wanderer(position, start.cells);
    for (int step = 0; step < 8; ++step) {
      std::vector<Point> expected;
      for (const Point p : board_points(size))
        if (wanderer.cells()[p] == EMPTY) expected.push_back(p);
      CHECK(empty_points(position) == expected);
      CHECK_EQ(position.empty_count(), static_cast<int>(expected.size()));
      CHECK_EQ(position.is_drawn(), expected.empty());
      wanderer.forth(rng);
    }
  }
}

TEST(undo_restores_the_position) {
  Rng rng(3);
  for (int i = 0; i < 80; ++i) {
    const int size = random_size(rng);
    Position position = make_position(size, static_cast<Rule>(i % RULE_NB));
    const GamePosition start = position_of(size, position.rule(), random_stones(rng, size));
    position.assign(start.cells, start.side, i % 2 ? 60 : 0);
    Wanderer wanderer(position, start.cells);
    std::vector<Seen> seen;
    const int depth = 1 + static_cast<int>(rng.below(25));
    for (int step = 0; step < depth; ++step) {
      seen.emplace_back(position);
      wanderer.forth(rng);
    }
    for (; !seen.empty(); seen.pop_back()) {
      wanderer.back();
      CHECK(Seen(position) == seen.back());
    }
  }
}

TEST(assign_clears_the_old_position) {
  Rng rng(4);
  for (int i = 0; i < 40; ++i) {
    Position used = make_position(15, static_cast<Rule>(i % RULE_NB));
    Position fresh = make_position(15, used.rule());
    const GamePosition first = position_of(15, used.rule(), random_stones(rng, 15));
    const GamePosition second = position_of(15, used.rule(), random_stones(rng, 15));
    used.assign(first.cells, first.side, 30);
    Wanderer wanderer(used, first.cells);
    for (int step = 0; step < 5; ++step) wanderer.forth(rng);
    used.assign(second.cells, second.side, i % 2 ? 9 : 0);
    fresh.assign(second.cells, second.side, i % 2 ? 9 : 0);
    CHECK(Seen(used) == Seen(fresh));
  }
}

TEST(transpositions_have_one_key) {
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    const int moves_left = i % 2 ? 40 : 0;
    Position one = make_position(15, Rule::FREESTYLE), two = make_position(15, Rule::FREESTYLE);
    one.assign(empty_cells(15), BLACK, moves_left);
    two.assign(empty_cells(15), BLACK, moves_left);
    std::array<Point, 4> points{};
    Cells cells = empty_cells(15);
    for (Point& p : points) {
      p = random_empty_point(rng, cells, 15);
      cells[p] = BLACK;
    }
    for (const size_t k : {0u, 1u, 2u, 3u}) one.play(points[k]);
    for (const size_t k : {2u, 3u, 0u, 1u}) two.play(points[k]);
    CHECK_EQ(one.key(), two.key());
    CHECK_EQ(one.value(), two.value());
    // The same stones set up are the same position too, if as many moves are left.
    cells[points[1]] = cells[points[3]] = WHITE;
    two.assign(cells, BLACK, moves_left ? moves_left - 4 : 0);
    CHECK_EQ(one.key(), two.key());
    // The colours' stones exchanged, the other side to move, one move less to go: all differ.
    two.assign(cells, WHITE, moves_left ? moves_left - 4 : 0);
    CHECK(one.key() != two.key());
    two.assign(cells, BLACK, 20);
    CHECK(one.key() != two.key());
    std::swap(cells[points[0]], cells[points[1]]);
    two.assign(cells, BLACK, moves_left ? moves_left - 4 : 0);
    CHECK(one.key() != two.key());
    // A pass costs a move: with a limit, two of them do not lead back.
    const u64 key = one.key();
    one.pass();
    CHECK(one.key() != key);
    one.pass();
    CHECK_EQ(one.key() == key, moves_left == 0);
  }
}

TEST(games_are_drawn_by_move_limit_and_full_board) {
  Position position = make_position(5, Rule::RENJU);
  for (const int moves_left : {1, 2, 7}) {
    position.assign(empty_cells(5), WHITE, moves_left);
    const auto& points = board_points(5);
    for (int i = 0; i < moves_left; ++i) {
      CHECK(!position.is_drawn());
      position.play(points[static_cast<size_t>(i)]);
    }
    CHECK(position.is_drawn());
    position.undo(points[static_cast<size_t>(moves_left - 1)]);
    CHECK(!position.is_drawn());
    position.pass();  // counts as a move
    CHECK(position.is_drawn());
    position.undo_pass();
    CHECK(!position.is_drawn());
  }
  position.assign(empty_cells(5), BLACK, 0);
  for (const Point p : board_points(5)) {
    CHECK(!position.is_drawn());
    position.play(p);
  }
  CHECK(position.is_drawn());
  position.undo(board_points(5).back());
  CHECK(!position.is_drawn());
}
