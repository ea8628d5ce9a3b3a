// SPDX-License-Identifier: MIT
// Conversion between evaluation units and results, and from move scores to priors. Uses integer
// tables, so that results are the same on every machine.
#pragma once

#include <span>
#include <vector>

#include "eval/evaluator.h"
#include "search/mcts/node.h"

namespace tengen::mcts {

/// Expected result in [-1, 1] of an evaluation.
float result_from_eval(Value eval);
/// Evaluation of an expected result; never a mate.
Value eval_from_result(double result);

/// Softmax from scores to priors.
class Softmax {
 public:
  /// `temperature`: score difference that makes a move e times as likely, in evaluation units.
  explicit Softmax(double temperature);

  /// The moves with their priors, best first; stable. No prior is 0.
  void apply(std::span<const ScoredMove> moves, std::vector<MovePrior>& priors) const;

 private:
  std::vector<u32> weights_;  ///< by score difference to the best, in units of 1 / ONE
};

}  // namespace tengen::mcts
