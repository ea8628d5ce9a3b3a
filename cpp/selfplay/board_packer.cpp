// SPDX-License-Identifier: MIT
#include "selfplay/board_packer.h"

namespace tengen::selfplay {

BoardPacker::BoardPacker(int size) : size_(size) {
  for (int s = 0; s < SYMMETRY_NB; ++s) {
    auto& points = points_[static_cast<size_t>(s)];
    points.assign(static_cast<size_t>(4 * bytes_of(size)), NO_POINT);
    for (const Point p : board_points(size)) {
      const Point q = transformed(p, s, size);
      const auto i = static_cast<u16>(y_of(q) * size + x_of(q));
      index_[static_cast<size_t>(s)][p] = i;
      points[i] = p;
    }
  }
}

void BoardPacker::pack(const Cells& cells, Colour side, int s, u8* out) const {
  // By stone: empty, black, white, edge.
  const std::array<u8, 4> bits =
      side == BLACK ? std::array<u8, 4>{0, 1, 2, 0} : std::array<u8, 4>{0, 2, 1, 0};
  const Point* p = points_[static_cast<size_t>(s)].data();
  for (int i = 0; i < bytes_of(size_); ++i, p += 4)
    out[i] = static_cast<u8>(bits[cells[p[0]]] | bits[cells[p[1]]] << 2 | bits[cells[p[2]]] << 4 |
                             bits[cells[p[3]]] << 6);
}

}  // namespace tengen::selfplay
