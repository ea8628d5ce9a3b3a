// SPDX-License-Identifier: MIT
#include "search/alphabeta/move_picker.h"

#include <algorithm>
#include <utility>

namespace tengen {

MovePicker::MovePicker(Position& position, History& history, const Margins& margins,
                       const OrderingHints& hints, Duty duty, Point last,
                       std::vector<ScoredMove>& room, ScoreCache* known)
    : position_(position),
      history_(history),
      margins_(margins),
      hints_(hints),
      room_(room),
      known_(known),
      first_(room.size()),
      next_(room.size()),
      duty_(duty),
      last_(last) {}

Point MovePicker::next() {
  const Point table_move = hints_.table_move;
  if (!gave_table_move_) {
    gave_table_move_ = true;
    behind_best_ = 0;
    // An entry of another position under the same key must not put a stone on a stone.
    if (table_move != NO_POINT && position_.patterns().is_empty(table_move) && is_legal(table_move))
      return table_move;
  }
  if (!generated_) {
    generated_ = true;
    add_moves(position_, duty_, last_, room_);
    score();
  }
  while (next_ < room_.size() && static_cast<int>(next_ - first_) < most_) {
    // Of equals the first by rows: std::max_element keeps it, so the order is the same everywhere.
    const auto best = std::max_element(
        room_.begin() + static_cast<std::ptrdiff_t>(next_), room_.end(),
        [](const ScoredMove& a, const ScoredMove& b) { return a.score < b.score; });
    std::swap(*best, room_[next_]);
    const ScoredMove move = room_[next_++];
    if (move.point == table_move) continue;
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

/// Of forced moves there are few, and the search will tell them apart: a rough order will do.
void MovePicker::ask_evaluator(std::span<ScoredMove> moves) {
  if (duty_ != Duty::NONE) return position_.rough_score_moves(moves);
  const u64 key = position_.key();
  if (known_ && known_->find(key, moves)) return;
  position_.score_moves(moves);
  if (known_) known_->keep(key, moves);
}

void MovePicker::score() {
  const std::span<ScoredMove> moves(room_.data() + first_, room_.size() - first_);
  if (moves.size() > 1) ask_evaluator(moves);
  if (hints_.replies != nullptr) {
    for (ScoredMove& move : moves) {
      const int d = dense(move.point);
      move.score += history_.move(position_.side(), move.point) / margins_.order_move +
                    (*hints_.replies)[d] / margins_.order_reply +
                    (*hints_.sequels)[d] / margins_.order_sequel;
      if (move.point == hints_.killers[0] || move.point == hints_.killers[1])
        move.score += margins_.order_killer;
      if (move.point == hints_.counter) move.score += margins_.order_counter;
    }
  }
  best_score_ = -INFINITE;
  for (const ScoredMove& move : moves) best_score_ = std::max(best_score_, move.score);
}

}  // namespace tengen
