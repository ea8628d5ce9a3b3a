// SPDX-License-Identifier: MIT
// The feature sums of a position for one point of view, kept up to date stone by stone. Taking a
// stone away is the same as adding it with the rows exchanged, and leaves every bit as it was.
// Relies on net.h and kernels.h; the evaluator relies on it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "mixnet/kernels.h"
#include "mixnet/net.h"
#include "mixnet/patterns.h"

namespace tengen::mixnet {

class Accumulator {
 public:
  Accumulator(const Net& net, int size, const Kernels& kernels);

  /// The empty board.
  void clear();
  /// A stone is put on, or taken off, a point (y * size + x). `digit` is 1 for the side whose point
  /// of view it is, 2 for the other.
  void add(int point, int digit) { change(point, digit); }
  void remove(int point, int digit) { change(point, -digit); }
  /// The sums of the chunks, [CHUNKS][c], as add() would leave them: that is not done. They hold
  /// until the next call.
  const i32* peek(int point, int digit);
  /// Any number of stones put on and taken off at once, in any order. None of these, nor any
  /// before, can be taken back by undo().
  struct Change {
    u16 point;
    i8 digit;  ///< as of add(); negative: the stone is taken off
  };
  void renew(std::span<const Change> stones);
  /// Takes the last add() back, which is quicker than remove(). Requires `can_undo()`.
  void undo();
  /// Whether what the last add() changed is still kept: of the last UNDO_NB of them, unless a
  /// remove() or renew() came after.
  bool can_undo() const { return undoable_ > 0; }
  /// How often undo() can be called.
  int undoable() const { return undoable_; }

  const Layout& layout() const { return layout_; }
  std::span<const i32> chunk(int which) const {
    return {&chunks_[static_cast<size_t>(which * channels_)], static_cast<size_t>(channels_)};
  }
  /// Sums of the convolution at a point, before the ReLU: c / 2 of them.
  const i16* conv(int point) const { return &conv_[static_cast<size_t>(point * channels_ / 2)]; }
  const i16* features(int point) const {
    return &features_[static_cast<size_t>(point * channels_)];
  }
  /// Numbers of the patterns: four for each point.
  std::span<const i32> patterns() const {
    return {patterns_.data(), static_cast<size_t>(layout_.points * DIRECTION_NB)};
  }

  /// Another number for each state of any accumulator: what was worked out from one with the same
  /// number still holds.
  u64 stamp() const { return stamp_; }

  /// The same sums.
  bool operator==(const Accumulator& other) const;

 private:
  static constexpr int UNDO_NB = 64;

  void change(int point, int digit);
  /// The rows that a stone exchanges, which are asked for; with WRITE the patterns change, too.
  /// Returns their number.
  template <bool WRITE>
  int find_changes(int point, int digit, RowChange* changes);
  void prefetch(const i16* row) const;
  size_t kept_words() const;  ///< of a stone: features and convolution
  Kept slot(int number);
  Planes planes() { return {features_.data(), conv_.data(), chunks_.data()}; }

  const Net& net_;
  const Layout& layout_;
  const PatternSteps& steps_;
  int channels_;
  Kernels::Apply apply_;
  Kernels::PutBack put_back_;
  Kernels::Peek peek_;
  Kernels::Renew renew_;
  u64 stamp_;
  std::vector<i32> patterns_;  ///< and room behind them: see Renewal
  AlignedVector<i16> features_, conv_;
  AlignedVector<i32> chunks_, peeked_chunks_;

  struct Stone {
    u16 point;
    i8 digit;
  };
  /// A ring of the last stones and of what they changed.
  std::array<Stone, UNDO_NB> stones_;
  AlignedVector<i16> kept_words_;
  AlignedVector<i32> kept_chunks_;
  int next_ = 0;      ///< slot of the next stone
  int undoable_ = 0;  ///< stones before it that can be taken back

  std::vector<i32> old_patterns_;  ///< for renew(): the patterns as they were
};

}  // namespace tengen::mixnet
