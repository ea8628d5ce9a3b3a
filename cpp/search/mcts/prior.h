// SPDX-License-Identifier: MIT
// Between what evaluators say and what a tree counts in: points and results, scores of moves and
// their probabilities. By tables of whole numbers, so that it is the same on every machine. Relies
// on eval and node.h.
#pragma once

#include <span>
#include <vector>

#include "eval/evaluator.h"
#include "search/mcts/node.h"

namespace tengen::mcts {

/// The expected result, from -1 to 1, of a value in points.
float result_of(Value points);
/// The value in points of an expected result; never a mate.
Value points_of_result(double result);

/// From scores to probabilities: a softmax.
class Softmax {
 public:
  /// `points`: by how much a move must score more to be e times as likely.
  explicit Softmax(double points);

  /// The moves with their probabilities, best first; of equals the first one. None is 0.
  void apply(std::span<const ScoredMove> moves, std::vector<Choice>& choices) const;

 private:
  std::vector<u32> weights_;  ///< by points below the best, in 1 / ONE
};

}  // namespace tengen::mcts
