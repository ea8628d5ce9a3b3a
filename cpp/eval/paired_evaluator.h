// SPDX-License-Identifier: MIT
// A slow evaluation with a quick one beside it, which is asked where a guess will do. Relies on
// evaluator.h; the engine puts nets and the classical evaluation together by it.
#pragma once

#include <memory>
#include <utility>

#include "eval/evaluator.h"

namespace tengen {

class PairedEvaluator final : public Evaluator {
 public:
  PairedEvaluator(std::unique_ptr<Evaluator> slow, std::unique_ptr<Evaluator> quick)
      : slow_(std::move(slow)), quick_(std::move(quick)) {}

  bool is_net() const override { return slow_->is_net(); }
  void assign(const PatternBoard& patterns) override {
    slow_->assign(patterns);
    quick_->assign(patterns);
  }
  void play(const PatternBoard& patterns, Point p, Colour colour) override {
    slow_->play(patterns, p, colour);
    quick_->play(patterns, p, colour);
  }
  void undo() override {
    slow_->undo();
    quick_->undo();
  }
  Value value(const PatternBoard& patterns, Colour side) override {
    return slow_->value(patterns, side);
  }
  Value leaf_value(const PatternBoard& patterns, Colour side) override {
    return slow_->leaf_value(patterns, side);
  }
  Value rough_value(const PatternBoard& patterns, Colour side) override {
    return quick_->value(patterns, side);
  }
  BatchedEvaluator* batched() override { return slow_->batched(); }
  void score_moves(const PatternBoard& patterns, Colour side,
                   std::span<ScoredMove> moves) override {
    slow_->score_moves(patterns, side, moves);
  }
  void rough_score_moves(const PatternBoard& patterns, Colour side,
                         std::span<ScoredMove> moves) override {
    quick_->score_moves(patterns, side, moves);
  }

 private:
  std::unique_ptr<Evaluator> slow_, quick_;
};

}  // namespace tengen
