// SPDX-License-Identifier: MIT
#include "tactical_positions.h"

#include <algorithm>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

int count_from(const PatternBoard& patterns, Colour colour, Threat least) {
  int sum = 0;
  for (int t = static_cast<int>(least); t < THREAT_NB; ++t)
    sum += patterns.counts(colour)[static_cast<size_t>(t)];
  return sum;
}

class Maker {
 public:
  Maker(Rng& rng, int size, Rule rule)
      : rng_(rng), size_(size), patterns_(size, rule), cells_(empty_cells(size)) {}

  /// Two sides that make threes, stop what has to be stopped, and keep their fours; until the
  /// position suits. False if it never does.
  bool play_game(Colour attacker, int fours) {
    lay(make_point(size_ / 2, size_ / 2), BLACK);
    const int least = size_ * size_ / 10, most = size_ * size_ / 2;
    for (Colour side = WHITE; static_cast<int>(stones_.size()) < most; side = opponent(side)) {
      const Point p = choose(side);
      if (p == NO_POINT) return false;
      lay(p, side);
      if (static_cast<int>(stones_.size()) >= least && suits(attacker, fours)) return true;
    }
    return false;
  }

  /// Stones along lines through the middle, with gaps, of both colours; until the position suits.
  bool draw_strokes(Colour attacker, int fours) {
    for (int i = 0; i < 2 * size_; ++i) {
      const Direction d = DIRECTIONS[rng_.below(DIRECTION_NB)];
      const Colour colour = rng_.below(2) ? BLACK : WHITE;
      Point p = middle();
      for (u32 length = 3 + rng_.below(4); length > 0 && is_free(p, colour); --length) {
        if (rng_.below(100) < 65) lay(p, colour);
        p = shifted(p, d, 1);
      }
      if (suits(attacker, fours)) return true;
    }
    return false;
  }

  TacticalPosition position(Colour attacker) && {
    return {size_, patterns_.rule(), attacker, cells_, std::move(stones_)};
  }

 private:
  void lay(Point p, Colour colour) {
    patterns_.play(p, colour);
    cells_[p] = colour;
    stones_.push_back({p, colour});
  }

  /// May the colour play there, and does that leave the game open?
  bool is_free(Point p, Colour colour) const {
    return cells_[p] == EMPTY && patterns_.threat(colour, p) < Threat::FIVE &&
           patterns_.is_legal(colour, p);
  }

  bool suits(Colour attacker, int fours) const {
    return patterns_.count(opponent(attacker), Threat::FIVE) == 0 &&
           count_from(patterns_, attacker, Threat::FOUR_THREE) == 0 &&
           count_from(patterns_, attacker, Threat::FOUR) >= fours;
  }

  Point middle() {
    const auto half = static_cast<u32>(size_ * 2 / 3);
    const int x = size_ / 6 + static_cast<int>(rng_.below(half));
    const int y = size_ / 6 + static_cast<int>(rng_.below(half));
    return make_point(x, y);
  }

  Point near_a_stone() {
    const Point stone = stones_[rng_.below(static_cast<u32>(stones_.size()))].point;
    const int x = x_of(stone) + static_cast<int>(rng_.below(5)) - 2;
    const int y = y_of(stone) + static_cast<int>(rng_.below(5)) - 2;
    return x < 0 || y < 0 || x >= size_ || y >= size_ ? NO_POINT : make_point(x, y);
  }

  /// NO_POINT if the game ends here.
  Point choose(Colour side) {
    const Colour other = opponent(side);
    for (const Threat danger : {Threat::FIVE, Threat::OPEN_FOUR})
      if (const Point p = stop(side, other, danger); p != NO_POINT) return p;
    Point best = NO_POINT;
    int best_score = -1;
    for (int tries = 0; tries < 12; ++tries) {
      const Point p = near_a_stone();
      if (p == NO_POINT || !is_free(p, side)) continue;
      const int score = worth(side, p) * 2 + worth(other, p) + static_cast<int>(rng_.below(4));
      if (score > best_score) {
        best = p;
        best_score = score;
      }
    }
    return best;
  }

  /// A point against the first five, or open four, of the other side.
  Point stop(Colour side, Colour other, Threat danger) {
    if (patterns_.count(other, danger) == 0) return NO_POINT;
    Point first = NO_POINT;
    patterns_.for_each_at_least(other, danger, [&](Point p) {
      if (first == NO_POINT) first = p;
    });
    DefencePoints defences = patterns_.defences(other, first);
    defences.keep_if([&](Point p) { return is_free(p, side); });
    if (defences.empty()) return NO_POINT;
    return *(defences.begin() + rng_.below(static_cast<u32>(defences.size())));
  }

  /// Threes are what fours come from; a four that is played is spent.
  int worth(Colour colour, Point p) const {
    switch (patterns_.threat(colour, p)) {
      case Threat::TWO: return 1;
      case Threat::OPEN_TWO: return 3;
      case Threat::THREE: return 4;
      case Threat::OPEN_THREE:
      case Threat::DOUBLE_THREE: return 5;
      default: return 0;
    }
  }

  Rng& rng_;
  int size_;
  PatternBoard patterns_;
  Cells cells_;
  std::vector<Placed> stones_;
};

}  // namespace

TacticalPosition tactical_position(Rng& rng, int size, Rule rule, Colour attacker, int fours) {
  const bool played = rng.below(2) == 0;
  for (;;) {
    Maker maker(rng, size, rule);
    if (played ? maker.play_game(attacker, fours) : maker.draw_strokes(attacker, fours))
      return std::move(maker).position(attacker);
  }
}

std::vector<TacticalPosition> tactical_positions(u64 seed, int count, int size, Rule rule,
                                                 Colour attacker, int fours) {
  Rng rng(seed);
  std::vector<TacticalPosition> positions;
  for (int i = 0; i < count; ++i)
    positions.push_back(tactical_position(rng, size, rule, attacker, fours));
  return positions;
}

}  // namespace tengen
