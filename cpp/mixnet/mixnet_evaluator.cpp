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

void MixnetEvaluator::undo() { stones_.pop_back(); }

/// Whether the stones beyond the first `same` ones are better exchanged all at once than one by
/// one.
bool MixnetEvaluator::is_quicker_at_once(const View& view, size_t same) const {
  const size_t gone = view.stones.size() - same, come = stones_.size() - same;
  const size_t undoable = std::min(gone, static_cast<size_t>(view.sums.undoable()));
  return come + (gone - undoable) >= STONES_AT_ONCE;
}

MixnetEvaluator::View& MixnetEvaluator::up_to_date(Colour side) {
  const int own = side_index(side);
  View& view = views_[static_cast<size_t>(own)];
  size_t same = 0;
  const size_t most = std::min(stones_.size(), view.stones.size());
  while (same < most && stones_[same] == view.stones[same]) ++same;
  const auto digit = [own](const Placed& stone) { return stone.side == own ? 1 : 2; };
  if (is_quicker_at_once(view, same)) {
    changes_.clear();
    for (size_t i = same; i < view.stones.size(); ++i)
      changes_.push_back({view.stones[i].point, static_cast<i8>(-digit(view.stones[i]))});
    for (size_t i = same; i < stones_.size(); ++i)
      changes_.push_back({stones_[i].point, static_cast<i8>(digit(stones_[i]))});
    view.sums.renew(changes_);
    view.stones = stones_;
    return view;
  }
  while (view.stones.size() > same) {
    if (view.sums.can_undo())
      view.sums.undo();
    else
      view.sums.remove(view.stones.back().point, digit(view.stones.back()));
    view.stones.pop_back();
  }
  for (size_t i = same; i < stones_.size(); ++i) {
    view.sums.add(stones_[i].point, digit(stones_[i]));
    view.stones.push_back(stones_[i]);
  }
  return view;
}

Value MixnetEvaluator::value(const PatternBoard&, Colour side) {
  View& view = up_to_date(side);
  return points_of(view.heads.value(view.sums));
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
