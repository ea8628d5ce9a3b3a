// SPDX-License-Identifier: MIT
#include "search/alphabeta/move_picker.h"

#include <algorithm>
#include <utility>

namespace tengen {

MovePicker::MovePicker(Position& position, History& history, const Margins& margins,
                       const OrderingHints& hints, ForcedReply forced, Point last,
                       std::vector<ScoredMove>& room, ScoreCache* known)
    : position_(position),
      history_(history),
      margins_(margins),
      hints_(hints),
      room_(room),
      known_(known),
      first_(room.size()),
      next_(room.size()),
      forced_(forced),
      last_(last) {}

Point MovePicker::next() {
  const Point tt_move = hints_.tt_move;
  if (!returned_tt_move_) {
    returned_tt_move_ = true;
    behind_best_ = 0;
    // A key collision may give a move that is not legal here.
    if (tt_move != NO_POINT && position_.patterns().is_empty(tt_move) && is_legal(tt_move))
      return tt_move;
  }
  if (!generated_) {
    generated_ = true;
    generate_moves(position_, forced_, last_, room_);
    score();
  }
  while (next_ < room_.size() && static_cast<int>(next_ - first_) < most_) {
    // Among equal scores the first in row order, so that the order is the same on every platform.
    const auto best = std::max_element(
        room_.begin() + static_cast<std::ptrdiff_t>(next_), room_.end(),
        [](const ScoredMove& a, const ScoredMove& b) { return a.score < b.score; });
    std::swap(*best, room_[next_]);
    const ScoredMove move = room_[next_++];
    if (move.point == tt_move) continue;
    behind_best_ = best_score_ - move.score;
    return move.point;
  }
  return NO_POINT;
}

void MovePicker::keep_threats() {
  if (!generated_ || only_threats_) return;
  only_threats_ = true;
  const PatternBoard& patterns = position_.patterns();
  const auto is_quiet = [&](const ScoredMove& move) {
    return patterns.threat(position_.side(), move.point) < Threat::OPEN_THREE;
  };
  const auto rest = room_.begin() + static_cast<std::ptrdiff_t>(next_);
  room_.erase(std::remove_if(rest, room_.end(), is_quiet), room_.end());
}

/// Forced moves are few and the search separates them: lazy scores are enough.
void MovePicker::score_by_evaluator(std::span<ScoredMove> moves) {
  if (forced_ != ForcedReply::NONE) return position_.lazy_score_moves(moves);
  const u64 key = position_.key();
  if (known_ && known_->find(key, moves)) return;
  position_.score_moves(moves);
  if (known_) known_->keep(key, moves);
}

void MovePicker::score() {
  const std::span<ScoredMove> moves(room_.data() + first_, room_.size() - first_);
  if (moves.size() > 1) score_by_evaluator(moves);
  if (hints_.continuation1 != nullptr) {
    for (ScoredMove& move : moves) {
      const int d = dense(move.point);
      move.score += history_.move(position_.side(), move.point) / margins_.order_move +
                    (*hints_.continuation1)[d] / margins_.order_continuation1 +
                    (*hints_.continuation2)[d] / margins_.order_continuation2;
      if (move.point == hints_.killers[0] || move.point == hints_.killers[1])
        move.score += margins_.order_killer;
      if (move.point == hints_.counter_move) move.score += margins_.order_counter_move;
    }
  }
  best_score_ = -INFINITE;
  for (const ScoredMove& move : moves) best_score_ = std::max(best_score_, move.score);
}

}  // namespace tengen
