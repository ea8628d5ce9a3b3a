// SPDX-License-Identifier: MIT
// The moves of a node, best first, made only when they are wanted: the table's move comes before
// any other is looked for. Where a five or an open four has to be stopped, only the moves that do
// so are made. Relies on duty.h and history.h.
#pragma once

#include <vector>

#include "search/alphabeta/history.h"
#include "search/alphabeta/margins.h"
#include "search/alphabeta/net_answers.h"
#include "search/duty.h"
#include "search/position.h"

namespace tengen {

/// What ordering goes by, beside the evaluator's scores.
struct OrderingHints {
  Point table_move = NO_POINT;
  std::array<Point, 2> killers = {NO_POINT, NO_POINT};
  Point counter = NO_POINT;
  const Continuation* replies = nullptr;  ///< nullptr: no history is used
  const Continuation* sequels = nullptr;
};

class MovePicker {
 public:
  /// `room` is a stack that all pickers of a line share; the moves are taken off it again when this
  /// object dies. `last`: the opponent's last move, or NO_POINT. `known`: where the evaluator's
  /// scores are kept; none if nullptr.
  MovePicker(Position& position, History& history, const Margins& margins,
             const OrderingHints& hints, Duty duty, Point last, std::vector<ScoredMove>& room,
             ScoreCache* known = nullptr);
  ~MovePicker() { room_.resize(first_); }
  MovePicker(const MovePicker&) = delete;
  MovePicker& operator=(const MovePicker&) = delete;

  /// The next move; NO_POINT after the last one.
  Point next();
  /// The evaluator's score of the move that next() gave last, as far below the best as it is.
  /// 0 for the table's move.
  int behind_best() const { return behind_best_; }
  /// Keeps the best `count` moves only (the table's move aside).
  void keep(int count) { most_ = count; }
  /// Drops the moves still to come that make neither a four nor an open three.
  void keep_threats();

 private:
  void score();
  void ask_evaluator(std::span<ScoredMove> moves);
  bool is_legal(Point p) const { return position_.patterns().may_play(position_.side(), p); }

  Position& position_;
  History& history_;
  const Margins& margins_;
  const OrderingHints& hints_;
  std::vector<ScoredMove>& room_;
  ScoreCache* known_;
  size_t first_, next_;
  Duty duty_;
  Point last_;
  bool generated_ = false, gave_table_move_ = false, only_threats_ = false;
  int most_ = 1 << 20;
  int best_score_ = 0, behind_best_ = 0;
};

}  // namespace tengen
