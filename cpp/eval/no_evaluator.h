// SPDX-License-Identifier: MIT
// A null evaluator, for code that needs only moves or threats.
#pragma once

#include "eval/evaluator.h"

namespace tengen {

/// Every position is even; scores stay unchanged.
class NoEvaluator final : public Evaluator {
 public:
  void assign(const PatternBoard&) override {}
  void play(const PatternBoard&, Point, Colour) override {}
  void undo() override {}
  Value value(const PatternBoard&, Colour) override { return DRAW; }
  void score_moves(const PatternBoard&, Colour, std::span<ScoredMove>) override {}
};

}  // namespace tengen
