// SPDX-License-Identifier: MIT
// Board geometry of one size for the net: the chunk of each point, the taps of the convolution, and
// the factors of the means.
#pragma once

#include <array>
#include <vector>

#include "mixnet/shape.h"

namespace tengen::mixnet {

struct Layout {
  /// For each of the nine taps of the depth-wise convolution, the point that reads this point's
  /// features through it; -1: off the board.
  struct Taps {
    i16 output_point[9];
  };

  static const Layout& of(int size);

  explicit Layout(int size);

  int size, points;
  std::vector<u8> chunk;  ///< of each point
  std::vector<Taps> taps;
  std::array<Mean, CHUNKS + 1> means;  ///< over the points of each chunk, and over all

  /// A stone changes the features of the points whose patterns contain it, in the order of
  /// PointPatterns (its own first), and the convolution of all their neighbours. These lists depend
  /// only on the stone's point.
  struct Read {
    u16 changed;  ///< index among the changed points, times READ_STEP
    u16 tap;      ///< times READ_STEP
  };
  /// Lets kernels of 32 and 64 channels use scaled addressing.
  static constexpr int READ_STEP = 16;
  struct Touched {
    u16 point;
    u8 chunk;
    u8 reads;  ///< how many of the changed points it reads
  };
  struct Reach {
    u32 touched, reads;  ///< start of its lists; they end where those of the next point start
  };
  std::vector<Touched> touched;
  std::vector<Read> reads;     ///< of each touched point, one after the other
  std::vector<Reach> reaches;  ///< of each point, and the end
  int max_affected = 0;        ///< by a stone on any point

 private:
  void find_reach(int point);
};

}  // namespace tengen::mixnet
