// SPDX-License-Identifier: MIT
#include "mixnet/accumulator.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tengen::mixnet {

namespace {

static_assert(POINT_PATTERNS == DIRECTION_NB && MAX_LINES == MAX_SIZE);

/// (a * b + 2^14) >> 15, as in the kernels.
i16 scaled(i16 a, i16 b) { return static_cast<i16>((a * b + (1 << 14)) >> 15); }

/// First of a range of 2^32 unique ids.
u64 new_state_ids() {
  static std::atomic<u64> next{0};
  return (next.fetch_add(1, std::memory_order_relaxed) + 1) << 32;
}

}  // namespace

Accumulator::Accumulator(const Net& net, int size, const Kernels& kernels)
    : net_(net),
      layout_(Layout::of(size)),
      point_patterns_(PointPatterns::of(size)),
      channels_(net.shape().c),
      apply_(kernels.apply[channel_index(net.shape().c)]),
      restore_(kernels.restore[channel_index(net.shape().c)]),
      preview_add_(kernels.preview_add[channel_index(net.shape().c)]),
      refresh_(kernels.refresh[channel_index(net.shape().c)]),
      state_id_(new_state_ids()) {
  const auto points = static_cast<size_t>(layout_.points), c = static_cast<size_t>(channels_);
  patterns_.resize(points * DIRECTION_NB + PATTERNS_PER_BLOCK);
  features_.resize(points * c);
  conv_.resize(points * c / 2);
  chunks_.resize(CHUNKS * c);
  preview_chunks_.resize(CHUNKS * c);
  saved_words_.resize(UNDO_NB * saved_words());
  saved_chunks_.resize(UNDO_NB * CHUNKS * c);
  old_patterns_.resize(patterns_.size());
  clear();
}

void Accumulator::clear() {
  const int half = channels_ / 2;
  ++state_id_;
  undoable_ = 0;
  const std::span<const i32> empty_board = point_patterns_.empty_board();
  std::copy(empty_board.begin(), empty_board.end(), patterns_.begin());
  std::fill(chunks_.begin(), chunks_.end(), 0);
  for (int p = 0; p < layout_.points; ++p) {
    i16* features = &features_[static_cast<size_t>(p * channels_)];
    std::fill_n(features, channels_, i16{0});
    for (int d = 0; d < DIRECTION_NB; ++d) {
      const i16* row = net_.row(d, patterns_[static_cast<size_t>(p * DIRECTION_NB + d)]);
      for (int i = 0; i < channels_; ++i) features[i] = static_cast<i16>(features[i] + row[i]);
    }
    std::copy_n(net_.conv_bias.begin(), half, &conv_[static_cast<size_t>(p * half)]);
  }
  for (int p = 0; p < layout_.points; ++p) {
    const i16* features = &features_[static_cast<size_t>(p * channels_)];
    for (int tap = 0; tap < 9; ++tap) {
      const int output_point = layout_.taps[static_cast<size_t>(p)].output_point[tap];
      if (output_point < 0) continue;
      for (int i = 0; i < half; ++i) {
        i16& sum = conv_[static_cast<size_t>(output_point * half + i)];
        const i16 weight = net_.conv_weights[static_cast<size_t>(tap * half + i)];
        sum = static_cast<i16>(sum + scaled(std::max<i16>(features[i], 0), weight));
      }
    }
  }
  for (int p = 0; p < layout_.points; ++p) {
    i32* chunk = &chunks_[static_cast<size_t>(layout_.chunk[static_cast<size_t>(p)] * channels_)];
    const i16* features = &features_[static_cast<size_t>(p * channels_)];
    for (int i = 0; i < half; ++i) chunk[i] += std::max<i16>(conv(p)[i], 0);
    for (int i = half; i < channels_; ++i) chunk[i] += std::max<i16>(features[i], 0);
  }
}

template <bool WRITE>
int Accumulator::find_changes(int point, int state_delta, RowChange* changes) {
  int count = 0;
  for (const AffectedPattern& affected : point_patterns_.affected_by(point)) {
    i32& pattern =
        patterns_[static_cast<size_t>(affected.point * DIRECTION_NB + affected.direction)];
    const i32 after = pattern + state_delta * affected.index_delta;
    const i16* const removed = net_.row(affected.direction, pattern);
    const i16* const added = net_.row(affected.direction, after);
    prefetch(added);
    prefetch(removed);
    changes[count++] = {affected.point, added, removed};
    if constexpr (WRITE) pattern = after;
  }
  return count;
}

const i32* Accumulator::preview_add(int point, int state_delta) {
  RowChange changes[MAX_CHANGES];
  const int count = find_changes<false>(point, state_delta, changes);
  preview_add_(StoneView(layout_, point), net_.conv_weights.data(), state(), changes, count,
               preview_chunks_.data());
  return preview_chunks_.data();
}

void Accumulator::change(int point, int state_delta) {
  RowChange changes[MAX_CHANGES];
  const int count = find_changes<true>(point, state_delta, changes);
  apply_(StoneView(layout_, point), net_.conv_weights.data(), state(), changes, count, slot(next_));
  ++state_id_;
  if (state_delta < 0) {  // the saved values do not apply to this state
    undoable_ = 0;
    return;
  }
  stones_[static_cast<size_t>(next_)] = {static_cast<u16>(point), static_cast<i8>(state_delta)};
  next_ = (next_ + 1) % UNDO_NB;
  undoable_ = std::min(undoable_ + 1, UNDO_NB);
}

void Accumulator::prefetch(const i16* row) const {
  for (int i = 0; i < channels_; i += CACHE_LINE_WORDS) __builtin_prefetch(row + i);
}

void Accumulator::refresh(std::span<const StoneChange> stones) {
  // Most patterns change, many by several stones: all are copied and compared afterwards.
  std::memcpy(old_patterns_.data(), patterns_.data(), patterns_.size() * sizeof patterns_[0]);
  for (const StoneChange& stone : stones)
    for (const AffectedPattern& affected : point_patterns_.affected_by(stone.point))
      patterns_[static_cast<size_t>(affected.point * DIRECTION_NB + affected.direction)] +=
          stone.state_delta * affected.index_delta;
  refresh_(BoardView(layout_), {net_.conv_weights.data(), net_.conv_bias.data()}, state(),
           {old_patterns_.data(), patterns_.data(), {net_.row(0, 0), net_.row(2, 0)}});
  ++state_id_;
  undoable_ = 0;
}

void Accumulator::undo() {
  next_ = (next_ + UNDO_NB - 1) % UNDO_NB;
  --undoable_;
  ++state_id_;
  const StoneChange stone = stones_[static_cast<size_t>(next_)];
  u16 points[MAX_CHANGES];
  int count = 0;
  for (const AffectedPattern& affected : point_patterns_.affected_by(stone.point)) {
    patterns_[static_cast<size_t>(affected.point * DIRECTION_NB + affected.direction)] -=
        stone.state_delta * affected.index_delta;
    if (count == 0 || points[count - 1] != affected.point) points[count++] = affected.point;
  }
  restore_(StoneView(layout_, stone.point), state(), points, count, slot(next_));
}

size_t Accumulator::saved_words() const {
  const auto c = static_cast<size_t>(channels_);
  return MAX_CHANGES * c + static_cast<size_t>(layout_.max_affected) * c / 2;
}

SavedValues Accumulator::slot(int number) {
  const auto c = static_cast<size_t>(channels_), index = static_cast<size_t>(number);
  i16* const words = &saved_words_[index * saved_words()];
  return {words, words + MAX_CHANGES * c, &saved_chunks_[index * CHUNKS * c]};
}

bool Accumulator::operator==(const Accumulator& other) const {
  return patterns_ == other.patterns_ && features_ == other.features_ && conv_ == other.conv_ &&
         chunks_ == other.chunks_;
}

}  // namespace tengen::mixnet
