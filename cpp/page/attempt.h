// SPDX-License-Identifier: MIT
// Attempts at a problem: whether the last move of a position still wins by force.
#pragma once

#include <atomic>
#include <optional>
#include <string_view>

#include "page/position.h"
#include "solver/solver.h"

namespace tengen::page {

struct Attempt {
  std::string_view verdict;         ///< `right`, `wrong` or `solved`
  std::string_view reason = {};     ///< why it is wrong: `five`, `no_threat` or `defence`
  std::optional<Point> point = {};  ///< of the defender's five or defence
  std::optional<Point> reply = {};  ///< of the defender, after a right move: it resists longest
};

/// Checks the last move of the position; the attacker is the side that made it. Requires at least
/// one move and a goal other than Goal::ANY. Takes hundredths of a second for the problems that
/// ship, and a bounded time for others.
Attempt check_attempt(Solver& solver, const PagePosition& position, Goal goal,
                      const std::atomic<bool>& cancel);

}  // namespace tengen::page
