// SPDX-License-Identifier: MIT
// Move generation: the replies that threats force, or all moves near stones.
#pragma once

#include <vector>

#include "search/position.h"

namespace tengen {

/// What the opponent's threats force the side to move to do.
enum class ForcedReply : u8 {
  NONE,
  BLOCK_OPEN_THREE,  ///< the opponent threatens an open four: play a four, or block it
  BLOCK_FOUR,        ///< the opponent threatens a five: block it
};

/// Requires that the side to move cannot make a five.
ForcedReply forced_reply(const Position& position);

/// Appends legal moves with score 0: the forced replies, or else every point near a stone (every
/// empty point if none of those is legal). The order is row by row, except that fours come before
/// other replies to an open four. `last`: the opponent's last move, near which its five is searched
/// first, or NO_POINT.
void generate_moves(const Position& position, ForcedReply forced, Point last,
                    std::vector<ScoredMove>& moves);

}  // namespace tengen
