// SPDX-License-Identifier: MIT
// For 64-bit ARM, where NEON is part of the base instruction set.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "simd/versions.h"

namespace tengen::simd {

namespace {

void nibbles_at_least(const u8* bytes, int rows, int shift, u8 least, u32* masks) {
  static constexpr u8 BIT_OF_BYTE[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bit = vld1q_u8(BIT_OF_BYTE);
  const uint8x16_t limit = vdupq_n_u8(least);
  const uint8x16_t nibble = vdupq_n_u8(15);
  const int8x16_t right =
      vdupq_n_s8(static_cast<i8>(-shift));  // a shift to the left by less than nothing
  for (int row = 0; row < rows; ++row, bytes += 32) {
    const uint8x16_t first = vandq_u8(vshlq_u8(vld1q_u8(bytes), right), nibble);
    const uint8x16_t second = vandq_u8(vshlq_u8(vld1q_u8(bytes + 16), right), nibble);
    const uint8x16_t low = vandq_u8(vcgeq_u8(first, limit), bit);
    const uint8x16_t high = vandq_u8(vcgeq_u8(second, limit), bit);
    // Three pairwise sums gather eight bytes' bits into one byte: 32 bytes become the four bytes of
    // the mask.
    uint8x16_t sum = vpaddq_u8(low, high);
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    masks[row] = vgetq_lane_u32(vreinterpretq_u32_u8(sum), 0);
  }
}

}  // namespace

const Ops NEON = {"neon", nibbles_at_least};
// Processors with products of bytes: that matters to nets, not here.
const Ops NEONDOT = {"neondot", nibbles_at_least};

}  // namespace tengen::simd

#endif
