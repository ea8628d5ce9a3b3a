// SPDX-License-Identifier: MIT
// The moves of a node, best first. The move of the transposition table is returned before any move
// is generated. If a five or an open four must be stopped, only the forced replies are generated.
#pragma once

#include <vector>

#include "search/alphabeta/eval_cache.h"
#include "search/alphabeta/history.h"
#include "search/alphabeta/search_params.h"
#include "search/movegen.h"
#include "search/position.h"

namespace tengen {

/// Ordering information besides the evaluator's scores.
struct OrderingHints {
  Point tt_move = NO_POINT;
  std::array<Point, 2> killers = {NO_POINT, NO_POINT};
  Point counter_move = NO_POINT;
  const ContinuationHistory* continuation1 = nullptr;  ///< nullptr: no history
  const ContinuationHistory* continuation2 = nullptr;
};

class MovePicker {
 public:
  /// `stack` holds the moves of all pickers of a line; the destructor removes those of this one.
  /// `last`: the opponent's last move, or NO_POINT. `score_cache`: may be nullptr.
  MovePicker(Position& position, History& history, const SearchParams& params,
             const OrderingHints& hints, ForcedReply forced, Point last,
             std::vector<ScoredMove>& stack, ScoreCache* score_cache = nullptr);
  ~MovePicker() { stack_.resize(first_); }
  MovePicker(const MovePicker&) = delete;
  MovePicker& operator=(const MovePicker&) = delete;

  /// The next move; NO_POINT after the last.
  Point next();
  /// Score of the best move minus the score of the last returned move; 0 for the TT move.
  int score_below_best() const { return score_below_best_; }
  /// Limits the picker to the best `count` moves (the TT move not counted).
  void limit(int count) { max_moves_ = count; }
  /// Drops the remaining moves that make neither a four nor an open three.
  void skip_quiet_moves();

 private:
  void score();
  void score_by_evaluator(std::span<ScoredMove> moves);
  bool is_legal(Point p) const { return position_.patterns().is_legal(position_.side(), p); }

  Position& position_;
  History& history_;
  const SearchParams& params_;
  const OrderingHints& hints_;
  std::vector<ScoredMove>& stack_;
  ScoreCache* score_cache_;
  size_t first_, next_;
  ForcedReply forced_;
  Point last_;
  bool generated_ = false, returned_tt_move_ = false, only_threats_ = false;
  int max_moves_ = 1 << 20;
  int best_score_ = 0, score_below_best_ = 0;
};

}  // namespace tengen
