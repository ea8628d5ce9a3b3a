// SPDX-License-Identifier: MIT
// Solver positions in which the attacker has many plain fours. Made from patterns and a seed alone,
// so they do not depend on the solvers.
#pragma once

#include <vector>

#include "base/rng.h"
#include "game/rules.h"
#include "random_positions.h"

namespace tengen {

struct TacticalPosition {
  int size;
  Rule rule;
  Colour attacker;  ///< to move
  Cells cells;
  std::vector<Placed> stones;  ///< the same, in the order in which they were laid
};

/// Nobody has a five to make; the attacker has at least `fours` points that make a four, but none
/// that makes another threat beside it. Half of them were played by two sides that attack and
/// defend, half are strokes across the middle. Requires size >= 9; beyond eight fours it takes long
/// to find one.
TacticalPosition tactical_position(Rng& rng, int size, Rule rule, Colour attacker, int fours);

/// So many of them from one seed.
std::vector<TacticalPosition> tactical_positions(u64 seed, int count, int size, Rule rule,
                                                 Colour attacker, int fours);

}  // namespace tengen
