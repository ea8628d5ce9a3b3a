// SPDX-License-Identifier: MIT
// Conversion of net logits to evaluation units and move scores. Integer arithmetic, so values
// depend on the logits alone.
#pragma once

#include <array>

#include "base/tunable.h"
#include "eval/value.h"

namespace tengen {

/// Value logits are in units of 1 / LOGIT_SCALE.
inline constexpr int LOGIT_SCALE = 4096;

TUNABLE(EVAL_PER_POLICY_LOGIT, 200, 20, 400, 10,
        "evaluation units per policy logit in a move's score");

/// Logits of win, loss and draw for the side to move, scaled by LOGIT_SCALE.
struct ValueLogits {
  i32 win, loss, draw;

  bool operator==(const ValueLogits&) const = default;
};

/// Rounds and clamps real logits of win, loss and draw. Throws std::runtime_error if one is not
/// finite.
ValueLogits nearest_logits(const std::array<float, 3>& logits);

/// Evaluation (EVAL_PER_LOGIT per logit): the logit of the expected score, a draw counting as half
/// a win. Never a mate.
Value eval_from_logits(const ValueLogits& logits);

/// Score of a move with policy logit `logit / scale`.
inline i32 score_of_logit(i32 logit, int scale) {
  return static_cast<i32>(static_cast<i64>(logit) * EVAL_PER_POLICY_LOGIT / scale);
}

}  // namespace tengen
