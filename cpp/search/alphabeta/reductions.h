// SPDX-License-Identifier: MIT
// By how much late moves are searched less deep: pure functions, in 1/1024 plies. Relies on base.
#pragma once

#include <array>
#include <cmath>

#include "base/tunable.h"

namespace tengen::reductions {

inline constexpr int PLY = 1024;

TUNABLE(LMR_BASE, 550, -1000, 2000, 100, "1/1024 plies by which every late move is reduced");
TUNABLE(LMR_SCALE, 1051, 100, 1500, 40, "1/1024 plies for the product of the two logarithms");
TUNABLE(LMR_CUT_NODE, 885, 0, 2500, 100, "more at a node that should be cut off");
TUNABLE(LMR_PV, 432, 0, 2500, 100, "less on the principal variation");
TUNABLE(LMR_IMPROVING, 299, 0, 2000, 80, "more where the value is not rising");
TUNABLE(LMR_HISTORY, 5, 2, 40, 2, "points of history that make up for 1/1024 ply");
TUNABLE(LMR_THREAT, 1416, 0, 3000, 100, "less for a four or an open three");
TUNABLE(LMR_SCORE, 500, 0, 1500, 50,
        "more for each 200 points by which a move scores below the best");

/// Logarithms in 1/1024, by depth and by number of the move.
inline int scaled_log(int n) {
  static const auto table = [] {
    std::array<int, 512> logs{};
    for (int i = 1; i < 512; ++i) logs[i] = static_cast<int>(std::lround(std::log(i) * 1024));
    return logs;
  }();
  return table[n < 511 ? n : 511];
}

/// Depth and number of the move alone.
inline int base(int depth, int move_number) {
  const auto product = static_cast<long long>(scaled_log(depth)) * scaled_log(move_number) / 1024;
  return LMR_BASE + static_cast<int>(product * LMR_SCALE / 1024);
}

}  // namespace tengen::reductions
