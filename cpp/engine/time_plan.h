// SPDX-License-Identifier: MIT
// How long to think about a move. Pure; relies on base.
#pragma once

#include "base/types.h"

namespace tengen {

/// What the rules of the match say; 0 means "no such limit". All in seconds.
struct TimeLimits {
  double turn = 0;       ///< for this move
  double clock = 0;      ///< left for the whole game
  double increment = 0;  ///< added to the clock after each move
};

struct TimePlan {
  /// What the clock has for the move; 0: up to the maximum. More than the maximum where the limit
  /// of the move is the narrower one: what such a move would save is of no use to later ones.
  double optimum = 0;
  double maximum = 0;  ///< what it must not exceed; 0: no limit
};

/// `stones`: on the board; `points`: of the board.
TimePlan plan_time(const TimeLimits& limits, int stones, int points);

}  // namespace tengen
