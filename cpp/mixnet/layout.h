// SPDX-License-Identifier: MIT
// A board of one size as the net sees it: which chunk a point is in, its eight neighbours, and the
// means that are taken. Relies on shape.h; the accumulators and kernels rely on it.
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
  std::array<Mean, CHUNKS + 1> means;  ///< over the points of each chunk, and over all

  /// A stone changes the features of the points that see it, in the order of PatternSteps (its own
  /// first), and with them the convolution of all points next to one of these: which, and by what,
  /// is the same for every stone on that point.
  struct Read {
    u16 changed;  ///< place among the points that see the stone, times READ_STEP
    u16 tap;      ///< times READ_STEP
  };
  /// With this, kernels of 32 and 64 channels come to addresses by the scale of an instruction.
  static constexpr int READ_STEP = 16;
  struct Touched {
    u16 point;
    u8 chunk;
    u8 reads;  ///< how many of the changed points it reads
  };
  struct Reach {
    u32 touched, reads;  ///< where its parts begin; they end where the next point's do
  };
  std::vector<Touched> touched;
  std::vector<Read> reads;     ///< of each touched point, one after the other
  std::vector<Reach> reaches;  ///< of each point, and the end
  int max_touched = 0;         ///< by a stone on any point

 private:
  void find_reach(int point);
};

}  // namespace tengen::mixnet
