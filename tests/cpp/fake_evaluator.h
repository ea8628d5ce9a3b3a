// SPDX-License-Identifier: MIT
// A pseudo-random evaluation for tests: values and scores are hashes of the stones.
#pragma once

#include <vector>

#include "base/rng.h"
#include "eval/evaluator.h"
#include "game/zobrist.h"

namespace tengen {

class FakeEvaluator final : public Evaluator {
 public:
  void assign(const PatternBoard& patterns) override {
    u64 hash = 0;
    for (const Point p : board_points(patterns.size()))
      if (const Stone stone = patterns.lines().stone(p); stone != EMPTY)
        hash ^= ZOBRIST.stone[side_index(stone)][p];
    hashes_.assign(1, hash);
  }
  void play(const PatternBoard&, Point p, Colour colour) override {
    hashes_.push_back(hashes_.back() ^ ZOBRIST.stone[side_index(colour)][p]);
  }
  void undo() override { hashes_.pop_back(); }

  Value value(const PatternBoard&, Colour side) override {
    const auto drawn = static_cast<Value>(Rng(hashes_.back()).below(2 * RANGE + 1)) - RANGE;
    return side == BLACK ? drawn : -drawn;
  }
  void score_moves(const PatternBoard&, Colour side, std::span<ScoredMove> moves) override {
    for (ScoredMove& move : moves)
      move.score = static_cast<i32>(
          Rng(hashes_.back() ^ ZOBRIST.stone[side_index(side)][move.point]).below(RANGE));
  }

 private:
  static constexpr int RANGE = 1000;

  std::vector<u64> hashes_ = {0};
};

}  // namespace tengen
