// SPDX-License-Identifier: MIT
#include "search/mcts/prior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tengen::mcts {

namespace {

/// 20 logits: beyond this the result is saturated.
constexpr int MAX_EVAL = 20 * EVAL_PER_LOGIT;
constexpr u32 ONE = 1 << 24;
constexpr double MAX_LOGITS = 17;  ///< e^-17 is less than 1 / ONE

/// Indexed by 0 to MAX_EVAL.
const std::array<float, MAX_EVAL + 1>& results() {
  static const auto table = [] {
    std::array<float, MAX_EVAL + 1> values{};
    for (int eval = 0; eval <= MAX_EVAL; ++eval)
      values[static_cast<size_t>(eval)] =
          static_cast<float>(std::tanh(eval / (2.0 * EVAL_PER_LOGIT)));
    return values;
  }();
  return table;
}

/// weight / sum in units of 1 / PRIOR_ONE, rounded down, at least 1. Exact with doubles, whose
/// division is faster: the quotient is at least 1 / sum below the next integer.
u16 probability(u32 weight, u64 sum) {
  static_assert(u64{ONE} * MAX_SIZE * MAX_SIZE < u64{1} << 33);
  const double quotient = static_cast<double>(weight) * PRIOR_ONE / static_cast<double>(sum);
  return std::max<u16>(static_cast<u16>(quotient), 1);
}

}  // namespace

float result_from_eval(Value eval) {
  const auto size = static_cast<size_t>(std::min(eval < 0 ? -eval : eval, MAX_EVAL));
  return eval < 0 ? -results()[size] : results()[size];
}

Value eval_from_result(double result) {
  constexpr double MAX = 0.999999999;
  const double bounded = std::clamp(result, -MAX, MAX);
  return static_cast<Value>(std::lround(EVAL_PER_LOGIT * std::log((1 + bounded) / (1 - bounded))));
}

Softmax::Softmax(double temperature) {
  const auto length = static_cast<size_t>(temperature * MAX_LOGITS) + 1;
  weights_.resize(length);
  for (size_t i = 0; i < length; ++i)
    weights_[i] =
        static_cast<u32>(std::lround(std::exp(-static_cast<double>(i) / temperature) * ONE));
}

void Softmax::apply(std::span<const ScoredMove> moves, std::vector<MovePrior>& priors) const {
  priors.clear();
  if (moves.empty()) return;
  // Sort keys: score difference to the maximum in the high bits, index in the low bits.
  std::array<u64, MAX_SIZE * MAX_SIZE> order;
  const size_t count = std::min(moves.size(), order.size());
  for (size_t i = 0; i < count; ++i)
    order[i] = static_cast<u64>(i64{INT32_MAX} - moves[i].score) << 16 | i;
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  const u64 first = order[0] >> 16;
  const auto weight = [&](u64 word) -> u32 {
    const u64 below = (word >> 16) - first;
    return below < weights_.size() ? weights_[below] : 0;
  };
  u64 sum = 0;
  for (size_t i = 0; i < count; ++i) sum += weight(order[i]);
  priors.resize(count);
  for (size_t i = 0; i < count; ++i)
    priors[i] = {moves[order[i] & 0xFFFF].point, probability(weight(order[i]), sum)};
}

}  // namespace tengen::mcts
