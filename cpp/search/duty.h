// SPDX-License-Identifier: MIT
// What the opponent forces on the side to move, and the moves that are left to it. Relies on
// position.h; the searches rely on it.
#pragma once

#include <vector>

#include "search/position.h"

namespace tengen {

/// What the opponent forces on the side to move.
enum class Duty : u8 {
  NONE,
  STOP_FOUR,  ///< an open four, by fours of its own or by points that stop it
  STOP_FIVE,
};

/// What the side to move has to do. Requires that it cannot make a five itself.
Duty duty_of(const Position& position);

/// Adds the moves worth a look, legal ones alone, with scores of 0: what stops the five or the open
/// four, or else every point near a stone (every empty one, if none of those is legal). Each row by
/// row, but for fours, which come before the stops of an open four. `last`: the opponent's last
/// move, near which a five is looked for first, or NO_POINT.
void add_moves(const Position& position, Duty duty, Point last, std::vector<ScoredMove>& moves);

}  // namespace tengen
