// SPDX-License-Identifier: MIT
// The paper's point scores as an evaluator. Relies on paper_board.h and evaluator.h.
#pragma once

#include "eval/evaluator.h"
#include "eval/paper_board.h"

namespace tengen {

class PaperEvaluator final : public Evaluator {
 public:
  PaperEvaluator(int size, Rule rule) : board_(size, rule) {}

  void assign(const PatternBoard& patterns) override { board_.assign(patterns.lines()); }
  void play(const PatternBoard&, Point p, Colour colour) override { board_.play(p, colour); }
  void undo() override { board_.undo(); }
  Value value(const PatternBoard&, Colour side) override { return board_.value(side, side); }
  void score_moves(const PatternBoard&, Colour, std::span<ScoredMove> moves) override {
    for (ScoredMove& move : moves) move.score = board_.importance(move.point);
  }

 private:
  PaperBoard board_;
};

}  // namespace tengen
