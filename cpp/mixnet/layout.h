// SPDX-License-Identifier: MIT
// A board of one size as the net sees it: which chunk a point is in, its eight neighbours, and the
// areas that means are taken over. Relies on shape.h; the accumulators and kernels rely on it.
#pragma once

#include <array>
#include <vector>

#include "mixnet/shape.h"

namespace tengen::mixnet {

struct Layout {
  /// Where a point's feature goes in the depth-wise convolution: for each of the nine taps the
  /// point that reads it there; -1: off the board.
  struct Taps {
    i16 reader[9];
  };

  static const Layout& of(int size);

  explicit Layout(int size);

  int size, points;
  std::vector<u8> chunk;  ///< of each point
  std::vector<Taps> taps;
  std::array<int, CHUNKS> areas;
};

}  // namespace tengen::mixnet
