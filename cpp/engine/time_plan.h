// SPDX-License-Identifier: MIT
// Time management. Pure functions.
#pragma once

#include "base/types.h"

namespace tengen {

/// Time control in seconds; 0: no limit.
struct TimeLimits {
  double turn = 0;       ///< for this move
  double clock = 0;      ///< left for the game
  double increment = 0;  ///< added after each move
};

struct TimePlan {
  /// Planned time; 0: up to the maximum. May exceed the maximum if the move limit is the tighter
  /// one: time saved on such a move is of no use later.
  double optimum = 0;
  double maximum = 0;  ///< hard limit; 0: none
};

/// `stones`: on the board; `points`: of the board.
TimePlan plan_time(const TimeLimits& limits, int stones, int points);

}  // namespace tengen
