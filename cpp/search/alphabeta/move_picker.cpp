// SPDX-License-Identifier: MIT
#include "search/alphabeta/move_picker.h"

#include <algorithm>
#include <utility>

namespace tengen {

MovePicker::MovePicker(Position& position, History& history, const SearchParams& params,
                       const OrderingHints& hints, ForcedReply forced, Point last,
                       std::vector<ScoredMove>& stack, ScoreCache* score_cache)
    : position_(position),
      history_(history),
      params_(params),
      hints_(hints),
      stack_(stack),
      score_cache_(score_cache),
      first_(stack.size()),
      next_(stack.size()),
      forced_(forced),
      last_(last) {}

Point MovePicker::next() {
  const Point tt_move = hints_.tt_move;
  if (!returned_tt_move_) {
    returned_tt_move_ = true;
    score_below_best_ = 0;
    // A key collision may give a move that is not legal here.
    if (tt_move != NO_POINT && position_.patterns().is_empty(tt_move) && is_legal(tt_move))
      return tt_move;
  }
  if (!generated_) {
    generated_ = true;
    generate_moves(position_, forced_, last_, stack_);
    score();
  }
  while (next_ < stack_.size() && static_cast<int>(next_ - first_) < max_moves_) {
    // Among equal scores the first in row order, so that the order is the same on every platform.
    const auto best = std::max_element(
        stack_.begin() + static_cast<std::ptrdiff_t>(next_), stack_.end(),
        [](const ScoredMove& a, const ScoredMove& b) { return a.score < b.score; });
    std::swap(*best, stack_[next_]);
    const ScoredMove move = stack_[next_++];
    if (move.point == tt_move) continue;
    score_below_best_ = best_score_ - move.score;
    return move.point;
  }
  return NO_POINT;
}

void MovePicker::skip_quiet_moves() {
  if (!generated_ || only_threats_) return;
  only_threats_ = true;
  const PatternBoard& patterns = position_.patterns();
  const auto is_quiet = [&](const ScoredMove& move) {
    return patterns.threat(position_.side(), move.point) < Threat::OPEN_THREE;
  };
  const auto remaining = stack_.begin() + static_cast<std::ptrdiff_t>(next_);
  stack_.erase(std::remove_if(remaining, stack_.end(), is_quiet), stack_.end());
}

/// Forced replies are few, so their order matters little: lazy scores are enough.
void MovePicker::score_by_evaluator(std::span<ScoredMove> moves) {
  if (forced_ != ForcedReply::NONE) return position_.lazy_score_moves(moves);
  const u64 key = position_.key();
  if (score_cache_ && score_cache_->find(key, moves)) return;
  position_.score_moves(moves);
  if (score_cache_) score_cache_->store(key, moves);
}

void MovePicker::score() {
  const std::span<ScoredMove> moves(stack_.data() + first_, stack_.size() - first_);
  if (moves.size() > 1) score_by_evaluator(moves);
  if (hints_.continuation1 != nullptr) {
    for (ScoredMove& move : moves) {
      const int index = board_index(move.point);
      move.score += history_.move(position_.side(), move.point) / params_.order_move +
                    (*hints_.continuation1)[index] / params_.order_continuation1 +
                    (*hints_.continuation2)[index] / params_.order_continuation2;
      if (move.point == hints_.killers[0] || move.point == hints_.killers[1])
        move.score += params_.order_killer;
      if (move.point == hints_.counter_move) move.score += params_.order_counter_move;
    }
  }
  best_score_ = -INFINITE;
  for (const ScoredMove& move : moves) best_score_ = std::max(best_score_, move.score);
}

}  // namespace tengen
