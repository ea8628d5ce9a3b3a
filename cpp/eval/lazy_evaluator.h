// SPDX-License-Identifier: MIT
// Lazy evaluation: a net together with a fast evaluator that estimates its value. The search uses
// the estimate where it is far outside the window.
#pragma once

#include <memory>
#include <utility>

#include "eval/evaluator.h"

namespace tengen {

class LazyEvaluator final : public Evaluator {
 public:
  LazyEvaluator(std::unique_ptr<Evaluator> net, std::unique_ptr<Evaluator> lazy)
      : net_(std::move(net)), lazy_(std::move(lazy)) {}

  bool is_net() const override { return net_->is_net(); }
  void assign(const PatternBoard& patterns) override {
    net_->assign(patterns);
    lazy_->assign(patterns);
  }
  void play(const PatternBoard& patterns, Point p, Colour colour) override {
    net_->play(patterns, p, colour);
    lazy_->play(patterns, p, colour);
  }
  void undo() override {
    net_->undo();
    lazy_->undo();
  }
  Value value(const PatternBoard& patterns, Colour side) override {
    return net_->value(patterns, side);
  }
  Value value_without_update(const PatternBoard& patterns, Colour side) override {
    return net_->value_without_update(patterns, side);
  }
  Value lazy_value(const PatternBoard& patterns, Colour side) override {
    return lazy_->value(patterns, side);
  }
  BatchedEvaluator* batched() override { return net_->batched(); }
  void score_moves(const PatternBoard& patterns, Colour side,
                   std::span<ScoredMove> moves) override {
    net_->score_moves(patterns, side, moves);
  }
  void lazy_score_moves(const PatternBoard& patterns, Colour side,
                        std::span<ScoredMove> moves) override {
    lazy_->score_moves(patterns, side, moves);
  }

 private:
  std::unique_ptr<Evaluator> net_, lazy_;
};

}  // namespace tengen
