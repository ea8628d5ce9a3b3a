// SPDX-License-Identifier: MIT
#include "engine/limit.h"

#include <algorithm>

namespace tengen {

namespace {

/// 0 is no limit in TimeLimits: a clock that has run out has this many seconds left.
constexpr double NO_TIME = 0.001;
/// Moves that a clock is expected to last for.
constexpr double MOVES = 26;

}  // namespace

std::optional<double> Limit::for_move() const {
  std::optional<double> share = time;
  if (clock) {
    const double of_clock = std::min(*clock, *clock / MOVES + increment);
    share = share ? std::min(*share, of_clock) : of_clock;
  }
  return share;
}

Limit Limit::after(double seconds) const {
  Limit left = *this;
  if (time) left.time = std::max(NO_TIME, *time - seconds);
  if (clock) left.clock = std::max(0.0, *clock - seconds);
  return left;
}

TimeLimits Limit::times() const {
  return {time.value_or(0), clock ? std::max(*clock, NO_TIME) : 0, increment};
}

}  // namespace tengen
