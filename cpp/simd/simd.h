// SPDX-License-Identifier: MIT
// Operations on many bytes at once, in one version for each instruction set, chosen once at run
// time: the best that the processor has, or the one that the environment variable TENGEN_SIMD
// names. All versions give the same results to the last bit. Relies on base alone, so that every
// layer may use it.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace tengen::simd {

inline constexpr int ROW_WORDS = 32;  ///< of a row of exchange_rows()

/// Two layers: sixteen inputs, sixteen hidden numbers, one output.
struct SmallNet {
  static constexpr int IN = 16, HIDDEN = 16;

  /// Weights by pairs of inputs, then by hidden number: those of the two inputs side by side.
  alignas(64) std::array<i16, IN * HIDDEN> first;
  alignas(64) std::array<i32, HIDDEN> first_bias;
  alignas(64) std::array<i32, HIDDEN> second;

  static constexpr size_t place(size_t in, size_t hidden) {
    return in / 2 * 2 * HIDDEN + 2 * hidden + in % 2;
  }
};

struct Ops {
  std::string_view name;

  /// For each of `rows` rows of 32 bytes: a mask with bit i set where the four bits of byte i that
  /// begin at bit `shift` (0 or 4) are at least `least`.
  void (*nibbles_at_least)(const u8* bytes, int rows, int shift, u8 least, u32* masks);
  /// Adds rows of ROW_WORDS words to as many sums, and takes others away, modulo 2^16. Rows begin
  /// at multiples of 64 bytes.
  void (*exchange_rows)(i16* sums, const i16* const* added, int adds, const i16* const* removed,
                        int removals);
  /// The sum of second[h] * (max(0, first_bias[h] + inputs · first[h]) >> shift). Inner sums are
  /// modulo 2^32.
  i64 (*small_net)(const SmallNet& net, const i16* inputs, int shift);
};

/// The chosen version. Throws std::runtime_error, naming what there is, if TENGEN_SIMD asks for one
/// that this machine does not have.
const Ops& ops();

/// The versions that this machine can run, the plainest first.
const std::vector<const Ops*>& available();

}  // namespace tengen::simd
