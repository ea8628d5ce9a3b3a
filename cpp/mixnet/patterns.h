// SPDX-License-Identifier: MIT
// Line patterns by number. A half is the up to five cells next to a point, going outwards, cut at
// the edge of the board; halves are numbered by length first, then as numbers to the base 3 with
// the nearest cell first (0 empty, 1 own, 2 the opponent's):
//
//     pattern = (left half * 3 + the cell itself) * 364 + right half
//
// So a stone changes the number of a pattern that sees it by a fixed step, times its digit. Relies
// on game; the codebook and the accumulators rely on it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "game/board.h"

namespace tengen::mixnet {

inline constexpr int HALF_REACH = 5;
inline constexpr int HALF_NB = 364;  ///< 1 + 3 + 9 + 27 + 81 + 243
inline constexpr int PATTERN_NB = HALF_NB * 3 * HALF_NB;

inline constexpr std::array<int, HALF_REACH + 2> POWERS = {1, 3, 9, 27, 81, 243, 729};
/// Number of the first half of each length: the empty one.
inline constexpr std::array<int, HALF_REACH + 1> FIRST_HALF = {0, 1, 4, 13, 40, 121};

/// A pattern that sees a stone, and the step that its number makes for an own one.
struct Seen {
  u16 point;      ///< y * size + x
  u16 direction;  ///< row, column, diagonal, antidiagonal
  i32 step;
};

/// What each point of a board of one size is seen by. Made once for each size.
class PatternSteps {
 public:
  static const PatternSteps& of(int size);

  int size() const { return size_; }
  /// The patterns that see a stone on the point: its own four first, then at most forty others,
  /// each of another point.
  std::span<const Seen> seen_from(int point) const {
    return {seen_.data() + first_[static_cast<size_t>(point)],
            seen_.data() + first_[static_cast<size_t>(point) + 1]};
  }
  /// Numbers of the patterns of the empty board: four for each point.
  std::span<const i32> empty_board() const { return empty_; }

 private:
  explicit PatternSteps(int size);

  int size_;
  std::vector<Seen> seen_;
  std::vector<u32> first_;
  std::vector<i32> empty_;
};

}  // namespace tengen::mixnet
