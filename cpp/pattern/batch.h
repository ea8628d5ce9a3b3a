// SPDX-License-Identifier: MIT
// Batched pattern queries on several threads; each position is computed from scratch. For training
// and data tools.
#pragma once

#include "game/rules.h"
#include "pattern/pattern_board.h"

namespace tengen {

/// `count` positions of one size: count * size * size stones (EMPTY, BLACK, WHITE), row by row from
/// a1.
struct Positions {
  const u8* stones;
  size_t count;
  int size;

  size_t points() const { return static_cast<size_t>(size) * size; }
};

/// Index of the first invalid stone; count * points() if all are valid.
size_t first_bad_stone(const Positions& positions);

/// Threat of every point: out[count][2 colours][points]. NONE for occupied points.
void batch_threats(const Positions& positions, Rule rule, u8* out, int threads);

/// Shape of every point on every line: out[count][2 colours][4 directions][points]. NONE for
/// occupied points.
void batch_shapes(const Positions& positions, Rule rule, u8* out, int threads);

/// Forbidden of each point for black: out[count][points]. NONE for occupied points.
void batch_forbidden(const Positions& positions, Rule rule, u8* out, int threads);

/// 1 for the points that the side to move (to_move[count], a Colour each) may play:
/// out[count][points]. Ignores whether the game is over.
void batch_legal(const Positions& positions, Rule rule, const u8* to_move, u8* out, int threads);

/// Winner: out[count] is EMPTY (none), BLACK, WHITE, or 3 for a full board without a
/// winner. If both have a five, the side that is not to move has won.
void batch_outcome(const Positions& positions, Rule rule, const u8* to_move, u8* out, int threads);

}  // namespace tengen
