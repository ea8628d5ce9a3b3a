// SPDX-License-Identifier: MIT
#include "engine/time_plan.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(TIME_MOVES, 26, 10, 60, 2, "moves of its own that a game lasts");
TUNABLE(TIME_MOVES_LEFT, 9, 4, 30, 1, "moves that are always still to come");
TUNABLE(TIME_MAXIMUM, 350, 120, 800, 25, "per cent of the optimum that a hard move may take");
TUNABLE(TIME_CLOCK_SHARE, 30, 5, 80, 3, "per cent of the clock that one move may take at most");

/// Time that moves cannot use: messages have to travel.
constexpr double RESERVE = 0.030;
constexpr double LEAST = 0.001;

}  // namespace

TimePlan plan_time(const TimeLimits& limits, int stones, int points) {
  TimePlan plan;
  if (limits.turn > 0) plan.maximum = limits.turn;
  if (limits.clock <= 0) return plan;
  const double usable = std::max(limits.clock - RESERVE, LEAST);
  const int ours = std::min(points - stones, points) / 2 + 1;
  const int to_come =
      std::min(std::max<int>(TIME_MOVES - stones / 2, TIME_MOVES_LEFT), std::max(ours, 1));
  plan.optimum = std::min(usable, usable / to_come + limits.increment * 0.75);
  double maximum = std::min(plan.optimum * TIME_MAXIMUM / 100,
                            std::max(usable * TIME_CLOCK_SHARE / 100, limits.increment * 0.75));
  maximum = std::clamp(maximum, LEAST, usable);
  plan.optimum = std::min(plan.optimum, maximum);
  plan.maximum = plan.maximum > 0 ? std::min(plan.maximum, maximum) : maximum;
  return plan;
}

}  // namespace tengen
