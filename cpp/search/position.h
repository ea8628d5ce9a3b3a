// SPDX-License-Identifier: MIT
// The position of a search: stones with their patterns, the evaluator that follows them, the side
// to move, and the points near stones. play() and undo() update all of them.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "eval/evaluator.h"
#include "solver/threat_board.h"

namespace tengen {

class Position {
 public:
  /// A set of points, one bit per point: row y + MARGIN, column x + MARGIN, as in a Point.
  using Rows = std::array<u32, GRID>;

  Position(int size, Rule rule, std::unique_ptr<Evaluator> evaluator);

  /// Sets the position. `moves_left`: the game is drawn after that many more moves; 0: no limit.
  void assign(const Cells& cells, Colour side, int moves_left);

  /// The side to move plays an empty point.
  void play(Point p) {
    threats_.play(p, side_);
    evaluator_->play(threats_.patterns(), p, side_);
    push_rows(p);
    --empty_count_;
    side_ = opponent(side_);
  }
  /// Undoes the last play, which was at p.
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
  /// For the solvers, which undo everything they play.
  ThreatBoard& threats() { return threats_; }
  const ThreatBoard& threats() const { return threats_; }
  int empty_count() const { return empty_count_; }
  /// The board is full or the move limit is reached.
  bool is_drawn() const { return empty_count_ == 0 || threats_.moves_left() <= 0; }
  /// Hash of stones, side to move and, if there is one, move limit.
  u64 key() const { return threats_.hash() ^ (side_ == WHITE ? ZOBRIST.white_to_move : 0); }

  /// Evaluation for the side to move. Requires that neither side can make a five.
  Value value() { return evaluator_->value(threats_.patterns(), side_); }
  /// The same for a position whose children and policy are unlikely to be evaluated.
  Value value_without_update() {
    return evaluator_->value_without_update(threats_.patterns(), side_);
  }
  /// Whether a net evaluates.
  bool has_net() const { return evaluator_->is_net(); }
  /// Fast estimate of value(), or NO_VALUE if the evaluator has none.
  Value lazy_value() { return evaluator_->lazy_value(threats_.patterns(), side_); }
  /// Batched evaluation if that is faster, else nullptr.
  BatchedEvaluator* batched() { return evaluator_->batched(); }
  void score_moves(std::span<ScoredMove> moves) {
    evaluator_->score_moves(threats_.patterns(), side_, moves);
  }
  /// Scores moves by the lazy evaluation if there is one.
  void lazy_score_moves(std::span<ScoredMove> moves) {
    evaluator_->lazy_score_moves(threats_.patterns(), side_, moves);
  }

  /// Calls visit(point) for the empty points near a stone, row by row; for all points of an empty
  /// board. Does not check forbidden points.
  template <typename Visit>
  void for_each_near(Visit visit) const {
    const Rows& near = rows_.back().near;
    const Rows& stones = rows_.back().stones;
    for (int y = MARGIN; y < MARGIN + size(); ++y)
      for (u32 mask = near[y] & ~stones[y]; mask; mask &= mask - 1)
        visit(static_cast<Point>(y * GRID + std::countr_zero(mask)));
  }
  /// Calls visit(point) for all empty points.
  template <typename Visit>
  void for_each_empty(Visit visit) const {
    const Rows& stones = rows_.back().stones;
    for (int y = MARGIN; y < MARGIN + size(); ++y)
      for (u32 mask = board_row_ & ~stones[y]; mask; mask &= mask - 1)
        visit(static_cast<Point>(y * GRID + std::countr_zero(mask)));
  }

 private:
  struct PointSets {
    Rows stones, near;
  };

  void push_rows(Point p);
  void mark(PointSets& sets, Point p) const;

  ThreatBoard threats_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<PointSets> rows_;  ///< stack: one entry for the root and one per play
  u32 board_row_;                ///< mask of the board's columns
  Colour side_ = BLACK;
  int empty_count_;
};

}  // namespace tengen
