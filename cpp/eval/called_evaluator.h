// SPDX-License-Identifier: MIT
// An evaluation that a net outside of the core works out: for each position one call gives the
// value and the policy. Relies on evaluator.h; who answers the calls is the composition root's
// affair.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "eval/evaluator.h"

namespace tengen {

/// What a net says of a position. Logits, for the side to move.
struct NetAnswer {
  std::array<float, 3> value;  ///< win, loss, draw
  std::span<float> policy;     ///< room for one of each point, row by row from y = 0
};

/// Asks a net about a board of that size: planes [2][size][size], 1 where the side to move, then
/// where its opponent has a stone, else 0. Fills in the answer. Called from every thread that
/// searches; may block and may throw, which ends the search.
using AskNet = std::function<void(int size, std::span<const float> planes, NetAnswer& answer)>;

/// Unlike other evaluators it is as slow as what it asks, so it remembers answers: value() and
/// score_moves() of a position share one, also when its children come in between.
class CalledEvaluator final : public Evaluator {
 public:
  CalledEvaluator(int size, AskNet ask);

  bool is_net() const override { return true; }
  void assign(const PatternBoard& patterns) override;
  void play(const PatternBoard& patterns, Point p, Colour colour) override;
  void undo() override { hashes_.pop_back(); }
  /// Both throw what the call throws, and std::runtime_error if its answer is no number.
  Value value(const PatternBoard& patterns, Colour side) override;
  void score_moves(const PatternBoard& patterns, Colour side, std::span<ScoredMove> moves) override;

 private:
  /// An answer: where its scores are follows from its place.
  struct Known {
    u64 key = 0;
    bool is_known = false;
    Value value = 0;
  };

  /// The place of the answer for the side to move, asked for if it is not there.
  size_t answer(const PatternBoard& patterns, Colour side);
  void ask(const PatternBoard& patterns, Colour side, size_t place);

  int size_;
  size_t points_;
  AskNet ask_;
  std::vector<u64> hashes_ = {0};  ///< of the stones, after each play
  std::vector<Known> known_;
  std::vector<i32> scores_;  ///< [place][point]
  std::vector<float> planes_, policy_;
};

}  // namespace tengen
