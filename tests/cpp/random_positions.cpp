// SPDX-License-Identifier: MIT
#include "random_positions.h"

#include <algorithm>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

class Painter {
 public:
  Painter(Rng& rng, int size) : rng_(rng), size_(size), cells_(empty_cells(size)) {}

  void lay(int x, int y, Colour colour) {
    if (x < 0 || y < 0 || x >= size_ || y >= size_) return;
    const Point p = make_point(x, y);
    if (cells_[p] != EMPTY) return;
    cells_[p] = colour;
    stones_.push_back({p, colour});
  }

  void scatter(int count, u32 black_percent) {
    for (int i = 0; i < count; ++i) {
      const int x = anywhere(), y = anywhere();  // drawn one after the other: C++ leaves the order
      lay(x, y, pick(black_percent));            // of arguments open, and seeds must mean the same
    }
  }

  /// Stones near one spot, as in a fight.
  void cluster(int count, u32 black_percent) {
    const int x = anywhere(), y = anywhere(), radius = 2 + static_cast<int>(rng_.below(3));
    for (int i = 0; i < count; ++i) {
      const int dx = around(radius), dy = around(radius);
      lay(x + dx, y + dy, pick(black_percent));
    }
  }

  /// A few stones of one colour along a line, with gaps: the stuff of threes and fours.
  void stroke(u32 black_percent) {
    const Direction d = DIRECTIONS[rng_.below(DIRECTION_NB)];
    const int dx = d == ALONG_Y ? 0 : 1, dy = d == ALONG_X ? 0 : d == ANTI_DIAGONAL ? -1 : 1;
    const int x = anywhere(), y = anywhere(), length = 2 + static_cast<int>(rng_.below(6));
    const Colour colour = pick(black_percent);
    for (int i = 0; i < length; ++i)
      if (rng_.below(100) < 65) lay(x + i * dx, y + i * dy, colour);
  }

  std::vector<Placed> stones() && { return std::move(stones_); }

 private:
  int anywhere() { return static_cast<int>(rng_.below(static_cast<u32>(size_))); }
  int around(int radius) {
    return static_cast<int>(rng_.below(static_cast<u32>(2 * radius + 1))) - radius;
  }
  Colour pick(u32 black_percent) { return rng_.below(100) < black_percent ? BLACK : WHITE; }

  Rng& rng_;
  int size_;
  Cells cells_;
  std::vector<Placed> stones_;
};

}  // namespace

int random_size(Rng& rng) {
  constexpr std::array<int, 8> SIZES = {9, 9, 15, 15, 20, 20, MIN_SIZE, MAX_SIZE};
  return SIZES[rng.below(SIZES.size())];
}

std::vector<Placed> random_stones(Rng& rng, int size) {
  constexpr std::array<u32, 5> BLACK_PERCENTS = {50, 50, 65, 80, 92};
  const u32 black_percent = BLACK_PERCENTS[rng.below(BLACK_PERCENTS.size())];
  const int points = size * size;
  Painter painter(rng, size);
  switch (rng.below(4)) {
    case 0:
      painter.scatter(static_cast<int>(rng.below(static_cast<u32>(points))), black_percent);
      break;
    case 1:
      painter.scatter(points / 8 + static_cast<int>(rng.below(points / 4)), black_percent);
      break;
    case 2:
      for (u32 n = 1 + rng.below(6); n > 0; --n)
        painter.cluster(4 + static_cast<int>(rng.below(14)), black_percent);
      break;
    default:
      for (u32 n = 2 + rng.below(static_cast<u32>(points / 10)); n > 0; --n)
        painter.stroke(black_percent);
      painter.scatter(static_cast<int>(rng.below(6)), 10);
  }
  return std::move(painter).stones();
}

namespace {

/// A point of the board up to two lines away from a stone, or NO_POINT if it is taken.
Point random_neighbour(Rng& rng, const PatternBoard& patterns, const Cells& cells, Point stone) {
  const int dx = static_cast<int>(rng.below(5)) - 2, dy = static_cast<int>(rng.below(5)) - 2;
  const int x = x_of(stone) + dx, y = y_of(stone) + dy;
  if (x < 0 || y < 0 || x >= patterns.size() || y >= patterns.size()) return NO_POINT;
  const Point p = make_point(x, y);
  return cells[p] == EMPTY ? p : NO_POINT;
}

}  // namespace

std::vector<Placed> random_middle_game(Rng& rng, int size, Rule rule) {
  constexpr int TRIES = 12;
  Cells cells = empty_cells(size);
  PatternBoard patterns(size, rule);
  const Point centre = make_point(size / 2, size / 2);
  std::vector<Placed> stones = {{centre, BLACK}};
  cells[centre] = BLACK;
  patterns.play(centre, BLACK);
  const size_t wanted = 6 + rng.below(static_cast<u32>(std::min(size * size / 2, 60)));
  const u32 choices = 1 + rng.below(5);  // how good the players are
  for (Colour colour = WHITE; stones.size() < wanted; colour = opponent(colour)) {
    Point best = NO_POINT;
    int best_urgency = -1;
    u32 seen = 0;
    for (int i = 0; i < TRIES && seen < choices; ++i) {
      const Point near = stones[rng.below(static_cast<u32>(stones.size()))].point;
      const Point p = random_neighbour(rng, patterns, cells, near);
      if (p == NO_POINT || !patterns.is_legal(colour, p)) continue;
      if (patterns.threat(colour, p) == Threat::FIVE) continue;
      ++seen;
      const int urgency = std::max(static_cast<int>(patterns.threat(colour, p)),
                                   static_cast<int>(patterns.threat(opponent(colour), p)));
      if (urgency > best_urgency) best = p, best_urgency = urgency;
    }
    if (best == NO_POINT) break;
    cells[best] = colour;
    patterns.play(best, colour);
    stones.push_back({best, colour});
  }
  return stones;
}

Point random_empty_point(Rng& rng, const Cells& cells, int size) {
  for (int tries = 0; tries < 64; ++tries) {
    const int index = static_cast<int>(rng.below(static_cast<u32>(size * size)));
    if (const Point p = make_point(index % size, index / size); cells[p] == EMPTY) return p;
  }
  return NO_POINT;
}

}  // namespace tengen
