// SPDX-License-Identifier: MIT
// The position that a search walks on: stones with their patterns, the evaluation that follows
// them, whose turn it is, and where moves are worth a look. The only place where a move fans out.
// Relies on threat/threat_board.h and eval; alphabeta, mcts and simple rely on it.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "eval/evaluator.h"
#include "search/threat/threat_board.h"

namespace tengen {

class Position {
 public:
  /// A set of points, one bit each: row y + MARGIN, column x + MARGIN, as in a Point.
  using Rows = std::array<u32, GRID>;

  Position(int size, Rule rule, std::unique_ptr<Evaluator> evaluator);

  /// Takes over a position. `moves_left`: the game is drawn after so many more moves; 0: no limit.
  void assign(const Cells& cells, Colour side, int moves_left);

  /// The side to move puts a stone on an empty point.
  void play(Point p) {
    threats_.play(p, side_);
    evaluator_->play(threats_.patterns(), p, side_);
    push_rows(p);
    --empty_count_;
    side_ = opponent(side_);
  }
  /// Takes back the last play, which was this one.
  void undo(Point p) {
    side_ = opponent(side_);
    ++empty_count_;
    rows_.pop_back();
    evaluator_->undo();
    threats_.undo(p, side_);
  }
  void pass() {
    threats_.pass();
    side_ = opponent(side_);
  }
  void undo_pass() {
    side_ = opponent(side_);
    threats_.undo_pass();
  }

  Colour side() const { return side_; }
  int size() const { return threats_.size(); }
  Rule rule() const { return threats_.rule(); }
  const PatternBoard& patterns() const { return threats_.patterns(); }
  /// For the solvers, which play on it and take everything back.
  ThreatBoard& threats() { return threats_; }
  const ThreatBoard& threats() const { return threats_; }
  int empty_count() const { return empty_count_; }
  /// Neither a full board nor the move limit leaves another move.
  bool is_drawn() const { return empty_count_ == 0 || threats_.moves_left() <= 0; }
  /// Of stones, side to move and, if there is one, move limit.
  u64 key() const { return threats_.hash() ^ (side_ == WHITE ? ZOBRIST.white_to_move : 0); }

  /// Value for the side to move. Requires that neither side can make a five.
  Value value() { return evaluator_->value(threats_.patterns(), side_); }
  /// The same where most likely nothing else will be asked.
  Value leaf_value() { return evaluator_->leaf_value(threats_.patterns(), side_); }
  /// Whether a net evaluates.
  bool has_net() const { return evaluator_->is_net(); }
  /// A guess at it, or NO_VALUE.
  Value rough_value() { return evaluator_->rough_value(threats_.patterns(), side_); }
  /// Where several positions are evaluated at once, if that is quicker; else nullptr.
  BatchedEvaluator* batched() { return evaluator_->batched(); }
  void score_moves(std::span<ScoredMove> moves) {
    evaluator_->score_moves(threats_.patterns(), side_, moves);
  }
  /// Quickly, by a guess, where there is one.
  void rough_score_moves(std::span<ScoredMove> moves) {
    evaluator_->rough_score_moves(threats_.patterns(), side_, moves);
  }

  /// Calls visit(point) for the empty points near a stone, row by row; for all, if no stone is
  /// there. Does not ask what is forbidden.
  template <typename Visit>
  void for_each_near(Visit visit) const {
    const Rows& near = rows_.back().near;
    const Rows& stones = rows_.back().stones;
    for (int y = MARGIN; y < MARGIN + size(); ++y)
      for (u32 mask = near[y] & ~stones[y]; mask; mask &= mask - 1)
        visit(static_cast<Point>(y * GRID + std::countr_zero(mask)));
  }
  /// The same for all empty points.
  template <typename Visit>
  void for_each_empty(Visit visit) const {
    const Rows& stones = rows_.back().stones;
    for (int y = MARGIN; y < MARGIN + size(); ++y)
      for (u32 mask = board_row_ & ~stones[y]; mask; mask &= mask - 1)
        visit(static_cast<Point>(y * GRID + std::countr_zero(mask)));
  }

 private:
  struct Marked {
    Rows stones, near;
  };

  void push_rows(Point p);
  void mark(Marked& marked, Point p) const;

  ThreatBoard threats_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<Marked> rows_;  ///< a stack: of the position, and after each play
  u32 board_row_;             ///< the columns that are on the board
  Colour side_ = BLACK;
  int empty_count_;
};

}  // namespace tengen
