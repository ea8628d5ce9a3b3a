// SPDX-License-Identifier: MIT
#include "engine/time_plan.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(TIME_MOVES, 26, 10, 60, 2, "expected own moves of a game");
TUNABLE(TIME_MOVES_LEFT, 9, 4, 30, 1, "minimum of expected own moves still to come");
TUNABLE(TIME_MAXIMUM, 350, 120, 800, 25, "per cent of the planned time that a move may take");
TUNABLE(TIME_CLOCK_SHARE, 30, 5, 80, 3, "maximum per cent of the clock for one move");
TUNABLE(TIME_INCREMENT_SHARE, 75, 0, 100, 5, "per cent of the increment that a move uses");
TUNABLE(TIME_RESERVE, 30, 0, 500, 10, "milliseconds kept in reserve for communication");

constexpr double MIN_SECONDS = 0.001;

}  // namespace

TimePlan plan_time(const TimeLimits& limits, int stones, int points) {
  TimePlan plan;
  if (limits.turn > 0) plan.maximum = limits.turn;
  if (limits.clock <= 0) return plan;
  const double usable = std::max(limits.clock - TIME_RESERVE / 1000.0, MIN_SECONDS);
  const double increment = limits.increment * (TIME_INCREMENT_SHARE / 100.0);
  const int own_moves_left = std::min(points - stones, points) / 2 + 1;
  const int to_come = std::min(std::max<int>(TIME_MOVES - stones / 2, TIME_MOVES_LEFT),
                               std::max(own_moves_left, 1));
  plan.optimum = std::min(usable, usable / to_come + increment);
  double maximum = std::min(plan.optimum * TIME_MAXIMUM / 100,
                            std::max(usable * TIME_CLOCK_SHARE / 100, increment));
  maximum = std::clamp(maximum, MIN_SECONDS, usable);
  plan.optimum = std::min(plan.optimum, maximum);
  plan.maximum = plan.maximum > 0 ? std::min(plan.maximum, maximum) : maximum;
  return plan;
}

}  // namespace tengen
