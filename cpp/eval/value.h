// SPDX-License-Identifier: MIT
// Values of positions: whole numbers, always from the point of view of the side to move. Relies on
// base; every evaluator and every search speaks in them.
//
//     -MATE ... -MATE_BOUND    lost in so many plies
//     -EVAL_LIMIT ... EVAL_LIMIT    what an evaluator may say
//     MATE_BOUND ... MATE      won in so many plies
//
// The unit is the evaluator's own: POINTS_PER_LOGIT to a logit of the win rate for those that
// learn, the paper's scores for `classical-paper`. All values fit into 24 bits, so that a table
// entry is one word.
#pragma once

#include <algorithm>

#include "base/types.h"

namespace tengen {

using Value = i32;

inline constexpr Value DRAW = 0;
inline constexpr Value EVAL_LIMIT = 8'000'000;
inline constexpr Value MATE = 8'380'000;
/// Longest line that a search follows, in plies; also the longest mate it can tell.
inline constexpr int MAX_PLY = 512;
inline constexpr Value MATE_BOUND = MATE - MAX_PLY;
inline constexpr Value INFINITE = 8'388'000;  ///< beyond every value
inline constexpr Value NO_VALUE = 8'388'607;  ///< "not known"; not a value

inline constexpr int POINTS_PER_LOGIT = 200;

/// Won, or lost, at so many plies from the root.
constexpr Value mate_in(int ply) { return MATE - ply; }
constexpr Value mated_in(int ply) { return ply - MATE; }
constexpr bool is_win(Value value) { return value >= MATE_BOUND; }
constexpr bool is_loss(Value value) { return value <= -MATE_BOUND; }
constexpr bool is_mate(Value value) { return is_win(value) || is_loss(value); }

/// An evaluator never claims a mate: proofs belong to the search.
constexpr Value clamp_eval(i64 value) {
  return static_cast<Value>(std::clamp<i64>(value, -EVAL_LIMIT, EVAL_LIMIT));
}

}  // namespace tengen
