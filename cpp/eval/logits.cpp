// SPDX-License-Identifier: MIT
#include "eval/logits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tengen {

namespace {

constexpr int SOFT_STEP = 32;  ///< table step in units of 1 / LOGIT_SCALE
constexpr int SOFT_NB = 12 * LOGIT_SCALE / SOFT_STEP;

/// ln(1 + e^-x) in units of 1 / LOGIT_SCALE; 0 beyond the table.
const std::array<i16, SOFT_NB>& softplus() {
  static const auto table = [] {
    std::array<i16, SOFT_NB> values{};
    for (int i = 0; i < SOFT_NB; ++i) {
      const double x = static_cast<double>(i) * SOFT_STEP / LOGIT_SCALE;
      values[static_cast<size_t>(i)] =
          static_cast<i16>(std::lround(std::log1p(std::exp(-x)) * LOGIT_SCALE));
    }
    return values;
  }();
  return table;
}

/// ln(e^a + e^b).
i64 log_sum(i64 a, i64 b) {
  const i64 step = (std::max(a, b) - std::min(a, b)) / SOFT_STEP;
  return std::max(a, b) + (step < SOFT_NB ? softplus()[static_cast<size_t>(step)] : 0);
}

i32 nearest(float logit) {
  if (!std::isfinite(logit))
    throw std::runtime_error("the value of the net is not a number (nan, or infinite)");
  constexpr double MAX = std::numeric_limits<i32>::max();
  return static_cast<i32>(
      std::lround(std::clamp(static_cast<double>(logit) * LOGIT_SCALE, -MAX, MAX)));
}

}  // namespace

ValueLogits nearest_logits(const std::array<float, 3>& logits) {
  return {nearest(logits[0]), nearest(logits[1]), nearest(logits[2])};
}

Value eval_from_logits(const ValueLogits& logits) {
  constexpr i64 LN_2 = 2839;  // in units of 1 / LOGIT_SCALE: a draw is half a win and half a loss
  const i64 half = logits.draw - LN_2;
  const i64 logit = log_sum(logits.win, half) - log_sum(logits.loss, half);
  return clamp_eval(logit * EVAL_PER_LOGIT / LOGIT_SCALE);
}

}  // namespace tengen
