// SPDX-License-Identifier: MIT
// The dimensions of a Mixnet and its fixed-point arithmetic: all scales, bounds and shifts, the
// same as in tengen.nets.scales and docs/formats/net.md.
#pragma once

#include "base/types.h"

namespace tengen::mixnet {

/// Channels: c of the feature map, m inside the mapping nets, p that the policy head reads, v of
/// the value groups.
struct Shape {
  int c, m, p, v;

  int conv() const { return c / 2; }  ///< channels of the depth-wise convolution
  int dynamic() const { return POLICY_OUTPUTS * p + POLICY_OUTPUTS; }
  int joined() const { return c + 4 * v; }  ///< inputs of the last layers of the value head

  bool operator==(const Shape&) const = default;

  static constexpr int POLICY_OUTPUTS = 16;
};

inline constexpr int MAX_CHANNELS = 128;  ///< of the feature map
inline constexpr int VALUE_OUTPUTS = 3;   ///< logits of win, loss, draw
inline constexpr int CHUNKS = 9;          ///< three by three parts of the board
inline constexpr int QUADS = 4;

// Scales: integer units per 1.0.
inline constexpr int FEATURE_SCALE = 32;
inline constexpr int ACTIVATION_SCALE = 64;
inline constexpr int VALUE_SCALE = 4096;
inline constexpr int POLICY_SCALE = 65536;

// Bounds.
inline constexpr int FEATURE_MAX = 512;     ///< of a codebook entry, either sign
inline constexpr int ACTIVATION_MAX = 127;  ///< seven bits, so that no byte product saturates
inline constexpr int DYNAMIC_MAX = 2047;
inline constexpr int DYNAMIC_BIAS_MAX = 1 << 26;
inline constexpr int POLICY_INPUT_MAX = 2047;
inline constexpr int POLICY_FEATURE_MAX = 4095;

// Shifts from the scale of a sum to that of its result.
inline constexpr int ACTIVATION_SHIFT = 6;
inline constexpr int STAR_SHIFT = 12;
inline constexpr int DYNAMIC_SHIFT = 4;
inline constexpr int POLICY_SHIFT = 5;

/// Converts a sum over points to a mean: (min(sum, limit) * factor + 2^15) >> 16.
struct Mean {
  i32 limit, factor;
};
constexpr Mean mean_over(int area) { return {64 * area, (131072 + area / 2) / area}; }

/// A board of `size` lines is cut into chunks of a, size - 2a and a lines.
constexpr int chunk_edge(int size) { return (size + 1) / 3; }
constexpr int chunk_of_line(int line, int size) {
  const int a = chunk_edge(size);
  return line < a ? 0 : line < size - a ? 1 : 2;
}

}  // namespace tengen::mixnet
