// SPDX-License-Identifier: MIT
// The feed-forward heads: from accumulator sums to the logits of the value and of the policy at
// given points. Integer arithmetic throughout.
#pragma once

#include <span>

#include "eval/logits.h"
#include "mixnet/accumulator.h"

namespace tengen::mixnet {

using tengen::eval_from_logits, tengen::ValueLogits;
static_assert(VALUE_SCALE == LOGIT_SCALE);

/// Buffers of the heads of one net; one per thread.
class Heads {
 public:
  Heads(const Net& net, const Kernels& kernels);

  /// For the point of view of the sums.
  ValueLogits value(const Accumulator& sums);
  /// The same after a stone that is not made: Accumulator::preview_add().
  ValueLogits value_after(Accumulator& sums, int point, int cell_state);
  /// Logits of the points (y * size + x), scaled by POLICY_SCALE.
  void policy(const Accumulator& sums, std::span<const u16> points, std::span<i32> logits);

 private:
  using Bytes = u8[5 * MAX_CHANNELS];

  /// Means of all chunks and of the board, unless cached.
  void compute_means(const Accumulator& sums);
  void compute_means(const Layout& layout, const i32* chunks);
  ValueLogits value_of_means();
  /// Recomputes the value groups of chunks whose means changed; returns those as bits.
  u32 update_groups();
  /// A star block for up to MAX_ROWS inputs at once.
  void run(const Star& star, const u8* const* from, u8* const* to, int rows);
  void run(const PackedBytes& layer, const u8* from, u8* to);

  const Net& net_;
  const Kernels& kernels_;
  u64 means_id_ = 0;  ///< state_id() of the sums of the cached means; 0: none
  alignas(64) u8 chunk_means_[CHUNKS][MAX_CHANNELS];
  alignas(64) u8 groups_[CHUNKS][MAX_CHANNELS];
  /// Means from which the groups were computed.
  alignas(64) u8 group_means_[CHUNKS][MAX_CHANNELS] = {};
  bool groups_valid_ = false;
  alignas(64) Bytes joined_;  ///< mean of all points, then the quads
  alignas(64) u8 buffer_[8 * MAX_CHANNELS];
  /// Of the last layer of the value, or of the policy's weights.
  alignas(64) i32 sums_[Shape::POLICY_OUTPUTS * (MAX_CHANNELS / 2 + 1)];
  alignas(64) i16 dynamic_[Shape::POLICY_OUTPUTS * MAX_CHANNELS / 2];
};

}  // namespace tengen::mixnet
