// SPDX-License-Identifier: MIT
// An evaluation that a net outside of the core works out: one call gives value and policy of one
// position, or of several. Relies on evaluator.h; who answers the calls is the composition root's
// affair.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "eval/evaluator.h"

namespace tengen {

/// What a net says of one or several positions. Logits, for the side to move.
struct NetAnswer {
  std::span<std::array<float, 3>> value;  ///< win, loss, draw of each
  std::span<float> policy;  ///< room for one of each point, row by row from y = 0, of each
};

/// Asks a net about boards of that size: planes [n][2][size][size], 1 where the side to move, then
/// where its opponent has a stone, else 0. Fills in the answer. Called from every thread that
/// searches; may block and may throw, which ends the search.
using AskNet = std::function<void(int size, std::span<const float> planes, NetAnswer& answer)>;

/// Unlike other evaluators it is as slow as what it asks, so it remembers answers: value() and
/// score_moves() of a position share one, also when its children come in between.
class CalledEvaluator final : public Evaluator, public BatchedEvaluator {
 public:
  CalledEvaluator(int size, AskNet ask);

  bool is_net() const override { return true; }
  void assign(const PatternBoard& patterns) override;
  void play(const PatternBoard& patterns, Point p, Colour colour) override;
  void undo() override { hashes_.pop_back(); }
  /// Both throw what the call throws, and std::runtime_error if its answer is no number.
  Value value(const PatternBoard& patterns, Colour side) override;
  void score_moves(const PatternBoard& patterns, Colour side, std::span<ScoredMove> moves) override;

  BatchedEvaluator* batched() override { return this; }
  size_t add(const PatternBoard& patterns, Colour side) override;
  /// Throws as value() does.
  void run() override;
  Value value_at(size_t place) const override { return batch_values_[place]; }
  void score_moves_at(size_t place, std::span<ScoredMove> moves) const override;

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
  void write_planes(const PatternBoard& patterns, Colour side, float* planes) const;
  static void fill_in(const i32* scores, int size, std::span<ScoredMove> moves);

  int size_;
  size_t points_;
  AskNet ask_;
  std::vector<u64> hashes_ = {0};  ///< of the stones, after each play
  std::vector<Known> known_;
  std::vector<i32> scores_;  ///< [place][point]
  std::vector<float> planes_, policy_;

  // The batch: what is asked, [place][plane][point], and what was answered.
  size_t batch_size_ = 0;
  bool batch_answered_ = false;  ///< the next add() begins another
  std::vector<float> batch_planes_, batch_policy_;
  std::vector<std::array<float, 3>> batch_logits_;
  std::vector<Value> batch_values_;
  std::vector<i32> batch_scores_;
};

}  // namespace tengen
