// SPDX-License-Identifier: MIT
// The first layers of Mixnet for a position, from one side's point of view: the sum of codebook
// rows at each point, their depth-wise convolution, and the sums over the 3x3 chunks of the board.
// A stone changes them incrementally; removing it restores every bit.
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

  /// Resets to the empty board.
  void clear();
  /// Adds or removes a stone at a point (y * size + x). `cell_state`: 1 for the side whose point of
  /// view it is, 2 for the other: the digit of the cell in pattern indices (patterns.h).
  void add(int point, int cell_state) { change(point, cell_state); }
  void remove(int point, int cell_state) { change(point, -cell_state); }
  /// Sums over the 3x3 pooling regions of the board (chunks), [CHUNKS][c], as add() would leave
  /// them; changes nothing else. Valid until the next call.
  const i32* preview_add(int point, int cell_state);
  /// Adds and removes any number of stones at once, in any order: recomputes only what they change.
  /// Clears the undo stack.
  struct StoneChange {
    u16 point;
    i8 state_delta;  ///< cell_state of add(), negative if the stone is removed
  };
  void refresh(std::span<const StoneChange> stones);
  /// Undoes the last add(), faster than remove(). Requires can_undo().
  void undo();
  /// Whether the last add() can be undone: the last UNDO_NB of them, unless a remove() or refresh()
  /// followed.
  bool can_undo() const { return undoable_ > 0; }
  /// How often undo() can be called.
  int undoable() const { return undoable_; }

  const Layout& layout() const { return layout_; }
  std::span<const i32> chunk(int which) const {
    return {&chunks_[static_cast<size_t>(which * channels_)], static_cast<size_t>(channels_)};
  }
  /// Convolution sums at a point before the ReLU, c / 2 values.
  const i16* conv(int point) const { return &conv_[static_cast<size_t>(point * channels_ / 2)]; }
  const i16* features(int point) const {
    return &features_[static_cast<size_t>(point * channels_)];
  }
  /// Pattern indices, four per point.
  std::span<const i32> patterns() const {
    return {patterns_.data(), static_cast<size_t>(layout_.points * DIRECTION_NB)};
  }

  /// Differs for any two states of any accumulators; for caching results.
  u64 state_id() const { return state_id_; }

  /// Equal sums.
  bool operator==(const Accumulator& other) const;

 private:
  static constexpr int UNDO_NB = 64;

  void change(int point, int state_delta);
  /// Finds and prefetches the codebook rows that a stone replaces, and returns their number. WRITE:
  /// also updates patterns_.
  template <bool WRITE>
  int find_changes(int point, int state_delta, RowChange* changes);
  void prefetch(const i16* row) const;
  size_t saved_words() const;  ///< 16-bit values saved per stone: features and convolution
  SavedValues slot(int number);
  AccumulatorState state() { return {features_.data(), conv_.data(), chunks_.data()}; }

  const Net& net_;
  const Layout& layout_;
  const PointPatterns& point_patterns_;
  int channels_;
  Kernels::Apply apply_;
  Kernels::Restore restore_;
  Kernels::PreviewAdd preview_add_;
  Kernels::Refresh refresh_;
  u64 state_id_;
  std::vector<i32> patterns_;  ///< padded, see RefreshInput
  AlignedVector<i16> features_, conv_;
  AlignedVector<i32> chunks_, preview_chunks_;

  /// A ring buffer of the last added stones, and of the values before each.
  std::array<StoneChange, UNDO_NB> stones_;
  AlignedVector<i16> saved_words_;
  AlignedVector<i32> saved_chunks_;
  int next_ = 0;      ///< slot of the next stone
  int undoable_ = 0;  ///< stones before it that can be undone

  std::vector<i32> old_patterns_;  ///< for refresh()
};

}  // namespace tengen::mixnet
