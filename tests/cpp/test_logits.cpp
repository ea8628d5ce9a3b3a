// SPDX-License-Identifier: MIT
// Conversion of logits: against floating point, at its limits, and for values that are not finite.
#include "eval/logits.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/rng.h"
#include "check.h"

using namespace tengen;

namespace {

Value points_of_reals(const std::array<float, 3>& logits) {
  return eval_from_logits(nearest_logits(logits));
}

}  // namespace

TEST(evaluation_is_that_of_the_expected_score) {
  CHECK_EQ(points_of_reals({0, 0, 0}), 0);
  CHECK_EQ(points_of_reals({1, 0, -80}), EVAL_PER_LOGIT);
  CHECK_EQ(points_of_reals({-2, 1, -80}), -3 * EVAL_PER_LOGIT);
  CHECK_EQ(points_of_reals({0, 0, 60}), 0);
  Rng rng(1);
  const auto draw = [&] { return static_cast<float>(rng.below(16001)) / 1000 - 8; };
  for (int i = 0; i < 2000; ++i) {
    const std::array<float, 3> logits = {draw(), draw(), draw()};
    const double half = std::exp(logits[2]) / 2;
    const double exact =
        EVAL_PER_LOGIT * std::log((std::exp(logits[0]) + half) / (std::exp(logits[1]) + half));
    CHECK(std::abs(points_of_reals(logits) - exact) < 2.5);
  }
}

TEST(evaluation_stays_within_its_limit) {
  CHECK_EQ(points_of_reals({1e30F, -1e30F, 0}), EVAL_LIMIT);
  CHECK_EQ(points_of_reals({-1e30F, 1e30F, 0}), -EVAL_LIMIT);
  constexpr i32 MOST = std::numeric_limits<i32>::max();
  CHECK(nearest_logits({1e30F, -1e30F, 0.25F}) == (ValueLogits{MOST, -MOST, LOGIT_SCALE / 4}));
}

TEST(non_finite_logits_are_rejected) {
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (const size_t place : {0, 1, 2}) {
      std::array<float, 3> logits = {};
      logits[place] = wrong;
      bool thrown = false;
      try {
        nearest_logits(logits);
      } catch (const std::runtime_error& error) {
        thrown = std::string(error.what()).find("not a number") != std::string::npos;
      }
      CHECK(thrown);
    }
}

TEST(policy_logit_in_evaluation_units) {
  CHECK_EQ(score_of_logit(3 * 65536, 65536), 3 * EVAL_PER_POLICY_LOGIT);
  CHECK_EQ(score_of_logit(-65536, 65536), -EVAL_PER_POLICY_LOGIT);
  CHECK_EQ(score_of_logit(std::numeric_limits<i32>::max(), 65536),
           32768 * EVAL_PER_POLICY_LOGIT - 1);
}
