// SPDX-License-Identifier: MIT
// The feed-forward heads: from the sums of an accumulator to the logits of the value, and of the
// policy at the points that are asked for. Integers to the last logit. Relies on accumulator.h.
#pragma once

#include <span>

#include "eval/logits.h"
#include "mixnet/accumulator.h"

namespace tengen::mixnet {

using tengen::points_of, tengen::ValueLogits;
static_assert(VALUE_SCALE == LOGIT_SCALE);

/// Working room for the heads of one net; belongs to one thread.
class Heads {
 public:
  Heads(const Net& net, const Kernels& kernels);

  /// For the side whose point of view the sums have.
  ValueLogits value(const Accumulator& sums);
  /// The same, with a stone put on them in thought: Accumulator::peek().
  ValueLogits value_after(Accumulator& sums, int point, int digit);
  /// Logits of the points (y * size + x), scaled by POLICY_SCALE.
  void policy(const Accumulator& sums, std::span<const u16> points, std::span<i32> logits);

 private:
  using Bytes = u8[5 * MAX_CHANNELS];

  /// Of all chunks and the whole board, unless they are known.
  void take_means(const Accumulator& sums);
  void take_means(const Layout& layout, const i32* chunks);
  ValueLogits value_of_means();
  /// The value groups of the chunks whose means are others than last time: these, a bit each.
  u32 work_out_groups();
  /// A star block for up to MAX_ROWS inputs at once.
  void run(const Star& star, const u8* const* from, u8* const* to, int rows);
  void run(const PackedBytes& layer, const u8* from, u8* to);

  const Net& net_;
  const Kernels& kernels_;
  u64 means_of_ = 0;  ///< stamp of the sums whose means are known; 0: of none
  alignas(64) u8 chunk_means_[CHUNKS][MAX_CHANNELS];
  alignas(64) u8 groups_[CHUNKS][MAX_CHANNELS];
  /// That the groups were worked out from.
  alignas(64) u8 group_means_[CHUNKS][MAX_CHANNELS] = {};
  bool groups_known_ = false;
  alignas(64) Bytes joined_;  ///< the mean of all points, then the quads
  alignas(64) u8 room_[8 * MAX_CHANNELS];
  /// Of the last layer of the value, or of that which makes the policy's weights.
  alignas(64) i32 sums_[Shape::POLICY_OUTPUTS * (MAX_CHANNELS / 2 + 1)];
  alignas(64) i16 dynamic_[Shape::POLICY_OUTPUTS * MAX_CHANNELS / 2];
};

}  // namespace tengen::mixnet
