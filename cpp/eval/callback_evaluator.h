// SPDX-License-Identifier: MIT
// Evaluation by a callback, for nets outside the core: one call evaluates one or several positions.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "eval/evaluator.h"

namespace tengen {

/// Logits of one or several positions, for the side to move.
struct NetOutput {
  std::span<std::array<float, 3>> value;  ///< win, loss, draw per position
  std::span<float> policy;                ///< one per point and position, row by row from y = 0
};

/// Evaluates boards of that size: planes [n][2][size][size] are 1 for stones of the side to move,
/// then of its opponent. Fills in the output. Called from every search thread; may block and may
/// throw, which ends the search.
using NetCallback = std::function<void(int size, std::span<const float> planes, NetOutput& output)>;

/// A call is slow, so results are cached: value() and score_moves() of a position share one call,
/// even with its children evaluated in between.
class CallbackEvaluator final : public Evaluator, public BatchedEvaluator {
 public:
  /// `white`: for white to move; empty: `evaluate` serves both sides.
  CallbackEvaluator(int size, NetCallback evaluate, NetCallback white = {});

  bool is_net() const override { return true; }
  void assign(const PatternBoard& patterns) override;
  void play(const PatternBoard& patterns, Point p, Colour colour) override;
  void undo() override { hashes_.pop_back(); }
  /// Throws what the callback throws, and std::runtime_error if an output is not finite.
  Value value(const PatternBoard& patterns, Colour side) override;
  void score_moves(const PatternBoard& patterns, Colour side, std::span<ScoredMove> moves) override;

  BatchedEvaluator* batched() override { return this; }
  size_t add(const PatternBoard& patterns, Colour side) override;
  /// Throws like value().
  void run() override;
  Value value_at(size_t index) const override { return batches_[index & 1].values[index / 2]; }
  void score_moves_at(size_t index, std::span<ScoredMove> moves) const override;

 private:
  /// A cached result; its scores are at the same index.
  struct CacheEntry {
    u64 key = 0;
    bool is_valid = false;
    Value value = 0;
  };

  /// Positions for one net: inputs [index][plane][point] and outputs.
  struct Batch {
    size_t size = 0;
    std::vector<float> planes, policy;
    std::vector<std::array<float, 3>> logits;
    std::vector<Value> values;
    std::vector<i32> scores;
  };

  /// 1 for white's own net, else 0.
  size_t net_of(Colour side) const { return side == WHITE && nets_[1] ? 1 : 0; }
  /// Cache index of the result for the side to move; evaluates on a miss.
  size_t find_or_evaluate(const PatternBoard& patterns, Colour side);
  void evaluate(const PatternBoard& patterns, Colour side, size_t index);
  void write_planes(const PatternBoard& patterns, Colour side, float* planes) const;
  static void copy_scores(const i32* scores, int size, std::span<ScoredMove> moves);

  int size_;
  size_t points_;
  std::array<NetCallback, 2> nets_;  ///< the second may be empty
  std::vector<u64> hashes_ = {0};    ///< of the stones, one per play
  std::vector<CacheEntry> cache_;
  std::vector<i32> scores_;  ///< [index][point]
  std::vector<float> planes_, policy_;

  std::array<Batch, 2> batches_;  ///< by net; the place of a position is 2 * index + net
  bool batch_done_ = false;       ///< the next add() starts a new batch
};

}  // namespace tengen
