// SPDX-License-Identifier: MIT
// Values of positions: integers from the point of view of the side to move.
//
//     -MATE ... -MATE_BOUND         lost in that many plies
//     -EVAL_LIMIT ... EVAL_LIMIT    static evaluations
//     MATE_BOUND ... MATE           won in that many plies
//
// Evaluation units: EVAL_PER_LOGIT per logit of the win rate for trained evaluators, the paper's
// scores for `classical-paper`. Values fit into 24 bits of a transposition-table entry.
#pragma once

#include <algorithm>

#include "base/types.h"

namespace tengen {

using Value = i32;

inline constexpr Value DRAW = 0;
inline constexpr Value EVAL_LIMIT = 8'000'000;
inline constexpr Value MATE = 8'380'000;
/// Maximum search line and mate distance, in plies.
inline constexpr int MAX_PLY = 512;
inline constexpr Value MATE_BOUND = MATE - MAX_PLY;
inline constexpr Value INFINITE = 8'388'000;  ///< above every value
inline constexpr Value NO_VALUE = 8'388'607;  ///< unknown

inline constexpr int EVAL_PER_LOGIT = 200;

/// Win or loss at a ply from the root.
constexpr Value mate_in(int ply) { return MATE - ply; }
constexpr Value mated_in(int ply) { return ply - MATE; }
constexpr bool is_win(Value value) { return value >= MATE_BOUND; }
constexpr bool is_loss(Value value) { return value <= -MATE_BOUND; }
constexpr bool is_mate(Value value) { return is_win(value) || is_loss(value); }

/// An evaluator never returns a mate.
constexpr Value clamp_eval(i64 value) {
  return static_cast<Value>(std::clamp<i64>(value, -EVAL_LIMIT, EVAL_LIMIT));
}

}  // namespace tengen
