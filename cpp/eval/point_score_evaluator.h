// SPDX-License-Identifier: MIT
// The point scores as an evaluator.
#pragma once

#include "eval/evaluator.h"
#include "eval/point_score_board.h"

namespace tengen {

class PointScoreEvaluator final : public Evaluator {
 public:
  PointScoreEvaluator(int size, Rule rule, PointScoreUpdate update = PointScoreUpdate::BLOCKED)
      : board_(size, rule, update) {}

  void assign(const PatternBoard& patterns) override { board_.assign(patterns.lines()); }
  void play(const PatternBoard&, Point p, Colour colour) override { board_.play(p, colour); }
  void undo() override { board_.undo(); }
  Value value(const PatternBoard&, Colour side) override { return board_.value(side, side); }
  void score_moves(const PatternBoard&, Colour, std::span<ScoredMove> moves) override {
    for (ScoredMove& move : moves) move.score = board_.importance(move.point);
  }

 private:
  PointScoreBoard board_;
};

}  // namespace tengen
