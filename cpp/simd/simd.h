// SPDX-License-Identifier: MIT
// SIMD operations, one version per instruction set, selected once at run time: the best that the
// CPU supports, or the one named by the environment variable TENGEN_SIMD. All versions give
// identical results.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace tengen::simd {

inline constexpr int ROW_WORDS = 32;  ///< words per row of exchange_rows()

/// A two-layer net: 16 inputs, 16 hidden units, one output.
struct SmallNet {
  static constexpr int IN = 16, HIDDEN = 16;

  /// [IN / 2][HIDDEN][2]: weights of input pairs are adjacent.
  alignas(64) std::array<i16, IN * HIDDEN> first;
  alignas(64) std::array<i32, HIDDEN> first_bias;
  alignas(64) std::array<i32, HIDDEN> second;

  static constexpr size_t weight_index(size_t in, size_t hidden) {
    return in / 2 * 2 * HIDDEN + 2 * hidden + in % 2;
  }
};

struct Ops {
  std::string_view name;

  /// For each of `rows` rows of 32 bytes: a mask with bit i set where the four bits of byte i that
  /// begin at bit `shift` (0 or 4) are at least `min`.
  void (*nibbles_at_least)(const u8* bytes, int rows, int shift, u8 min, u32* masks);
  /// Adds and subtracts rows of ROW_WORDS words, modulo 2^16. Rows are aligned to 64 bytes.
  void (*exchange_rows)(i16* sums, const i16* const* added, int adds, const i16* const* removed,
                        int removals);
  /// The sum of second[h] * (max(0, first_bias[h] + inputs · first[h]) >> shift). Inner sums are
  /// modulo 2^32. Requires shift >= 4, so that the outer sum fits.
  i64 (*small_net)(const SmallNet& net, const i16* inputs, int shift);
};

/// The selected version. Throws std::runtime_error, listing the available ones, if TENGEN_SIMD
/// names one that this machine does not support.
const Ops& ops();

/// The versions that this machine supports, simplest first.
const std::vector<const Ops*>& available();

}  // namespace tengen::simd
