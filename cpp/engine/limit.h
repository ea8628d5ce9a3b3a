// SPDX-License-Identifier: MIT
// `Limit`: how long the search of one move may take.
#pragma once

#include <optional>

#include "engine/time_plan.h"

namespace tengen {

/// A search ends at the first of these; without any, at stop().
struct Limit {
  std::optional<double> time = {};   ///< seconds for this move
  std::optional<double> clock = {};  ///< seconds left for the game
  double increment = 0;              ///< seconds that the clock gains with each move
  u64 nodes = 0;                     ///< 0: no limit
  int depth = 0;                     ///< plies; 0: no limit

  /// Approximate seconds for the next move; nullopt: time is not limited.
  std::optional<double> for_move() const;
  /// The limit after some seconds; a little is always left.
  Limit after(double seconds) const;
  /// For plan_time().
  TimeLimits times() const;

  bool operator==(const Limit&) const = default;
};

}  // namespace tengen
