// SPDX-License-Identifier: MIT
// For positions that nobody evaluates: where the moves or the threats alone are wanted, or where
// the nets are elsewhere. Relies on evaluator.h.
#pragma once

#include "eval/evaluator.h"

namespace tengen {

/// Every position is even, and every move as good as it was said to be.
class NoEvaluator final : public Evaluator {
 public:
  void assign(const PatternBoard&) override {}
  void play(const PatternBoard&, Point, Colour) override {}
  void undo() override {}
  Value value(const PatternBoard&, Colour) override { return DRAW; }
  void score_moves(const PatternBoard&, Colour, std::span<ScoredMove>) override {}
};

}  // namespace tengen
