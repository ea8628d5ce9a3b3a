// SPDX-License-Identifier: MIT
// For 64-bit ARM, where NEON is part of the base instruction set.
#include <arm_neon.h>

#include "simd/versions.h"

namespace tengen::simd {

namespace {

void rows_at_least(const u8* bytes, int rows, u8 least, u32* masks) {
  static constexpr u8 BIT_OF_BYTE[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bit = vld1q_u8(BIT_OF_BYTE);
  const uint8x16_t limit = vdupq_n_u8(least);
  for (int row = 0; row < rows; ++row, bytes += 32) {
    const uint8x16_t low = vandq_u8(vcgeq_u8(vld1q_u8(bytes), limit), bit);
    const uint8x16_t high = vandq_u8(vcgeq_u8(vld1q_u8(bytes + 16), limit), bit);
    // Three pairwise sums gather eight bytes' bits into one byte: 32 bytes become the four bytes of the mask.
    uint8x16_t sum = vpaddq_u8(low, high);
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    masks[row] = vgetq_lane_u32(vreinterpretq_u32_u8(sum), 0);
  }
}

}  // namespace

const Ops NEON = {"neon", rows_at_least};

}  // namespace tengen::simd
