// SPDX-License-Identifier: MIT
// A simple reference VCF search: every four and every reply, checked by the referee. It shares only
// the rules with the fast solver.
//
// The attacker is to move.
//   - He wins if some empty point makes a five for him.
//   - Otherwise he may only play a four: a legal move after which, if the defender did nothing,
//   some
//     point would make a five for him. He plays nothing else, not even to answer a four.
//   - The four fails if the defender then has a point that makes a five.
//   - Otherwise the replies that count are all legal moves of the defender after which no point
//     makes a five for the attacker any more. (After all others, the pass among them, he makes it.)
//   - The four wins if the attacker wins after each of these replies; without such a reply it wins.
//
// Does not check whether the game is over: the board may have winning runs.
#pragma once

#include <vector>

#include "game/rules.h"

namespace tengen {

enum class PlainAnswer : u8 { NO, YES, GAVE_UP };

/// Does the attacker, to move, win by fours? Gives up after looking at `max_positions` positions
/// with the attacker to move, each counted once.
PlainAnswer wins_by_fours(Cells cells, int size, Rule rule, Colour attacker, u64 max_positions);

/// The first moves that win, in the order of board_points(): the fives if there is one, otherwise
/// the fours that win. `gave_up`, if given, says whether some four was left undecided.
std::vector<Point> winning_fours(Cells cells, int size, Rule rule, Colour attacker,
                                 u64 max_positions, bool* gave_up = nullptr);

}  // namespace tengen
