// SPDX-License-Identifier: MIT
// Boards as nets and shards see them: two bits a point, own and the opponent's stones, turned by
// one of the eight symmetries; and where a point lies then. Relies on game.
#pragma once

#include <array>
#include <vector>

#include "game/board.h"
#include "game/symmetry.h"

namespace tengen::selfplay {

/// Bytes of a packed board, as docs/formats/shards.md has it.
constexpr int bytes_of(int size) { return (size * size + 3) / 4; }
inline constexpr int MAX_BYTES = bytes_of(MAX_SIZE);

class View {
 public:
  explicit View(int size);

  /// Writes bytes_of(size) bytes: the cells as `side` sees them, turned by symmetry `s`.
  void pack(const Cells& cells, Colour side, int s, u8* out) const;
  /// Index (y * size + x) of a point after it was turned by symmetry `s`.
  int index(Point p, int s) const { return index_[static_cast<size_t>(s)][p]; }

  int size() const { return size_; }

 private:
  int size_;
  std::array<std::array<u16, GRID_CELLS>, SYMMETRY_NB> index_{};
  /// The point that is seen at each index; NO_POINT, which is EDGE, fills the last byte up.
  std::array<std::vector<Point>, SYMMETRY_NB> points_;
};

}  // namespace tengen::selfplay
