// SPDX-License-Identifier: MIT
// Packed boards for nets and shards: two bits per point, own and opponent's stones, under one of
// the eight symmetries.
#pragma once

#include <array>
#include <vector>

#include "game/board.h"
#include "game/symmetry.h"

namespace tengen::selfplay {

/// Bytes of a packed board (docs/formats/shards.md).
constexpr int bytes_of(int size) { return (size * size + 3) / 4; }
inline constexpr int MAX_BYTES = bytes_of(MAX_SIZE);

class BoardPacker {
 public:
  explicit BoardPacker(int size);

  /// Writes bytes_of(size) bytes: the cells from the point of view of `side`, transformed by
  /// symmetry `s`.
  void pack(const Cells& cells, Colour side, int s, u8* out) const;
  /// Index (y * size + x) of a point under symmetry `s`.
  int index(Point p, int s) const { return index_[static_cast<size_t>(s)][p]; }

  int size() const { return size_; }

 private:
  int size_;
  std::array<std::array<u16, GRID_CELLS>, SYMMETRY_NB> index_{};
  /// Source point of each index; NO_POINT (EDGE) pads the last byte.
  std::array<std::vector<Point>, SYMMETRY_NB> points_;
};

}  // namespace tengen::selfplay
