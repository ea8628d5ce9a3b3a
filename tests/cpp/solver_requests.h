// SPDX-License-Identifier: MIT
// Solver requests and descriptions of their results.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solver/solver.h"
#include "tactical_positions.h"

namespace tengen {

inline constexpr size_t MIB = size_t{1} << 20;
/// Enough for most of the positions here; the others stay unknown.
inline constexpr u64 MANY_NODES = 20000;

inline constexpr std::array<Goal, 3> GOALS = {Goal::VCF, Goal::VCT, Goal::ANY};
inline constexpr std::array<const char*, 3> GOAL_NAMES = {"vcf", "vct", "any"};

inline SolveRequest question_of(Goal goal, u64 nodes = 0) {
  SolveRequest request;
  request.goal = goal;
  request.quiet = goal == Goal::ANY ? 1 : 0;
  request.limits.nodes = nodes;
  return request;
}

/// Fights under all rules, with either colour to attack.
inline std::vector<TacticalPosition> fights(u64 seed, int count_a_side, int size, int fours = 4) {
  std::vector<TacticalPosition> all;
  for (int r = 0; r < RULE_NB; ++r)
    for (const Colour attacker : {BLACK, WHITE})
      for (const TacticalPosition& position :
           tactical_positions(seed, count_a_side, size, static_cast<Rule>(r), attacker, fours))
        all.push_back(position);
  return all;
}

inline Solution solve(Solver& solver, const TacticalPosition& position, const SolveRequest& request,
                      int moves_left = 0) {
  return solver.solve(position.cells, position.attacker, moves_left, request);
}

/// One by a solver that has seen nothing.
inline Solution solve_afresh(const TacticalPosition& position, const SolveRequest& request,
                             int moves_left = 0) {
  Solver solver(position.size, position.rule, 2 * MIB);
  return solve(solver, position, request, moves_left);
}

/// In one word for messages: rule, attacker, goal and the stones row by row from the bottom.
inline std::string describe(const TacticalPosition& position, Goal goal) {
  std::string text = std::string(RULE_NAMES[static_cast<int>(position.rule)]) +
                     (position.attacker == BLACK ? " black " : " white ") +
                     GOAL_NAMES[static_cast<int>(goal)] + " ";
  for (const Point p : board_points(position.size)) text += ".xo"[position.cells[p]];
  return text;
}

inline std::string differs(const Solution& found, const Solution& fresh) {
  constexpr std::array<const char*, 3> NAMES = {"no win", "win", "unknown"};
  return std::string(NAMES[static_cast<int>(found.status)]) + ", by a fresh solver " +
         NAMES[static_cast<int>(fresh.status)] + ": ";
}

/// Two answers must not contradict each other; either may be "unknown".
inline bool agree(const Solution& a, const Solution& b) {
  return a.status == SolveStatus::UNKNOWN || b.status == SolveStatus::UNKNOWN ||
         a.status == b.status;
}

}  // namespace tengen
