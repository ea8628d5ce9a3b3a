// SPDX-License-Identifier: MIT
// Pattern indices of lines. A half is the up to five cells on one side of a point, nearest first,
// cut at the edge of the board; halves are numbered by length first, then in base 3 (0 empty, 1
// own, 2 the opponent's):
//
//     pattern = (left half * 3 + the cell itself) * 364 + right half
//
// A stone changes the index of each pattern that contains it by a fixed delta times its digit.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "game/board.h"

namespace tengen::mixnet {

inline constexpr int HALF_REACH = 5;
inline constexpr int HALF_NB = 364;  ///< 1 + 3 + 9 + 27 + 81 + 243
inline constexpr int PATTERN_NB = HALF_NB * 3 * HALF_NB;

/// Bytes of the two codebooks of a net with so many channels.
constexpr u64 codebook_bytes(int channels) {
  return u64{2} * PATTERN_NB * static_cast<u64>(channels) * sizeof(i16);
}

inline constexpr std::array<int, HALF_REACH + 2> POWERS = {1, 3, 9, 27, 81, 243, 729};
/// Number of the first half of each length: the empty one.
inline constexpr std::array<int, HALF_REACH + 1> FIRST_HALF = {0, 1, 4, 13, 40, 121};

/// A pattern that contains a stone, and the change of its index for an own stone.
struct AffectedPattern {
  u16 point;      ///< y * size + x
  u16 direction;  ///< row, column, diagonal, antidiagonal
  i32 index_delta;
};

/// The patterns that contain each point, for one board size; created once per size.
class PointPatterns {
 public:
  static const PointPatterns& of(int size);

  int size() const { return size_; }
  /// The patterns that contain a stone on the point: its own four first, then at most forty of
  /// other points.
  std::span<const AffectedPattern> affected_by(int point) const {
    return {affected_.data() + first_[static_cast<size_t>(point)],
            affected_.data() + first_[static_cast<size_t>(point) + 1]};
  }
  /// Pattern indices of the empty board: four per point.
  std::span<const i32> empty_board() const { return empty_; }

 private:
  explicit PointPatterns(int size);

  int size_;
  std::vector<AffectedPattern> affected_;
  std::vector<u32> first_;
  std::vector<i32> empty_;
};

}  // namespace tengen::mixnet
