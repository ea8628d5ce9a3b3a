// SPDX-License-Identifier: MIT
// Move generation: the replies that threats force, or all moves near stones.
#pragma once

#include <vector>

#include "search/position.h"

namespace tengen {

/// What the opponent's threats force on the side to move.
enum class ForcedReply : u8 {
  NONE,
  ANSWER_THREE,  ///< block an open four: by its own four or by a defending point
  ANSWER_FOUR,
};

/// Requires that the side to move cannot make a five.
ForcedReply forced_reply(const Position& position);

/// Appends legal moves with score 0: those that stop the five or the open four, or else every point
/// near a stone (every empty point if none of those is legal). Row by row, except that fours come
/// before the defences against an open four. `last`: the opponent's last move, where a five is
/// searched first, or NO_POINT.
void generate_moves(const Position& position, ForcedReply forced, Point last,
                    std::vector<ScoredMove>& moves);

}  // namespace tengen
