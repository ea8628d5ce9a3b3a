// SPDX-License-Identifier: MIT
#include "mixnet/mixnet_evaluator.h"

#include <algorithm>

namespace tengen::mixnet {

MixnetEvaluator::MixnetEvaluator(const Nets& nets, int size, const Kernels& kernels)
    : size_(size), views_{View(nets[0], size, kernels), View(nets[1], size, kernels)} {
  const auto points = static_cast<size_t>(size * size);
  stones_.reserve(points);
  for (View& view : views_) view.stones.reserve(points);
  points_.reserve(points);
  logits_.resize(points);
}

void MixnetEvaluator::assign(const PatternBoard& patterns) {
  stones_.clear();
  for (View& view : views_) view.shared = 0;
  for (int y = 0; y < size_; ++y)
    for (int x = 0; x < size_; ++x) {
      const Point p = make_point(x, y);
      const Stone stone = patterns.lines().stone(p);
      if (stone == EMPTY) continue;
      stones_.push_back({index_of(p), static_cast<u8>(side_index(stone))});
    }
}

void MixnetEvaluator::play(const PatternBoard&, Point p, Colour colour) {
  stones_.push_back({index_of(p), static_cast<u8>(side_index(colour))});
}

void MixnetEvaluator::undo() {
  stones_.pop_back();
  for (View& view : views_) view.shared = std::min(view.shared, stones_.size());
}

size_t MixnetEvaluator::shared_stones(View& view) const {
  const size_t max = std::min(stones_.size(), view.stones.size());
  while (view.shared < max && stones_[view.shared] == view.stones[view.shared]) ++view.shared;
  return view.shared;
}

/// Whether a refresh is faster than single updates for the stones after the first `shared`.
bool MixnetEvaluator::is_refresh_faster(const View& view, size_t shared, size_t count) const {
  const size_t removed = view.stones.size() - shared, added = count - shared;
  const size_t undoable = std::min(removed, static_cast<size_t>(view.sums.undoable()));
  return added + (removed - undoable) >= refresh_threshold(view.net->shape());
}

MixnetEvaluator::View& MixnetEvaluator::with_stones(Colour side, size_t count) {
  View& view = view_of(side);
  const size_t shared = std::min(shared_stones(view), count);
  view.shared = count;
  const auto cell_state = [side](const Placed& stone) { return cell_state_of(stone, side); };
  if (is_refresh_faster(view, shared, count)) {
    changes_.clear();
    for (size_t i = shared; i < view.stones.size(); ++i)
      changes_.push_back({view.stones[i].point, static_cast<i8>(-cell_state(view.stones[i]))});
    for (size_t i = shared; i < count; ++i)
      changes_.push_back({stones_[i].point, static_cast<i8>(cell_state(stones_[i]))});
    view.sums.refresh(changes_);
    view.stones.assign(stones_.begin(), stones_.begin() + static_cast<std::ptrdiff_t>(count));
    return view;
  }
  while (view.stones.size() > shared) {
    if (view.sums.can_undo())
      view.sums.undo();
    else
      view.sums.remove(view.stones.back().point, cell_state(view.stones.back()));
    view.stones.pop_back();
  }
  for (size_t i = shared; i < count; ++i) {
    view.sums.add(stones_[i].point, cell_state(stones_[i]));
    view.stones.push_back(stones_[i]);
  }
  return view;
}

Value MixnetEvaluator::value(const PatternBoard&, Colour side) {
  View& view = up_to_date(side);
  return eval_from_logits(view.heads.value(view.sums));
}

Value MixnetEvaluator::value_without_update(const PatternBoard& patterns, Colour side) {
  if (shared_stones(view_of(side)) == stones_.size()) return value(patterns, side);
  View& view = with_stones(side, stones_.size() - 1);
  const Placed& last = stones_.back();
  return eval_from_logits(view.heads.value_after(view.sums, last.point, cell_state_of(last, side)));
}

void MixnetEvaluator::score_moves(const PatternBoard&, Colour side, std::span<ScoredMove> moves) {
  points_.clear();
  for (const ScoredMove& move : moves) points_.push_back(index_of(move.point));
  View& view = up_to_date(side);
  view.heads.policy(view.sums, points_, {logits_.data(), moves.size()});
  for (size_t i = 0; i < moves.size(); ++i)
    moves[i].score = score_of_logit(logits_[i], POLICY_SCALE);
}

}  // namespace tengen::mixnet
