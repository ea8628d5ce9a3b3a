// SPDX-License-Identifier: MIT
// From the logits of a net to what a search counts in: the curve of the value, and what a logit of
// the policy is worth. In whole numbers, so that a value depends on the logits alone, not on the
// machine. Relies on value.h; all evaluators that are nets rely on it.
#pragma once

#include <array>

#include "base/tunable.h"
#include "eval/value.h"

namespace tengen {

/// Steps that a logit of the value is counted in.
inline constexpr int LOGIT_SCALE = 4096;

TUNABLE(POLICY_POINTS, 200, 20, 400, 10,
        "points that a logit of the policy net is worth in a move's score");

/// Logits of win, loss and draw for the side to move, scaled by LOGIT_SCALE.
struct ValueLogits {
  i32 win, loss, draw;

  bool operator==(const ValueLogits&) const = default;
};

/// The nearest ones to real logits of win, loss and draw, or the last ones that fit. Throws
/// std::runtime_error if one of them is no finite number.
ValueLogits nearest_logits(const std::array<float, 3>& logits);

/// The value of a position in points (POINTS_PER_LOGIT): the logit of the expected score, a draw
/// being half a win. Never a mate.
Value points_of(const ValueLogits& logits);

/// The score of a move whose logit of the policy is `logit / scale`.
inline i32 score_of_logit(i32 logit, int scale) {
  return static_cast<i32>(static_cast<i64>(logit) * POLICY_POINTS / scale);
}

}  // namespace tengen
