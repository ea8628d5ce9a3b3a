// SPDX-License-Identifier: MIT
// NEON versions; every 64-bit ARM CPU supports NEON.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "simd/versions.h"

namespace tengen::simd {

namespace {

void nibbles_at_least(const u8* bytes, int rows, int shift, u8 min, u32* masks) {
  static constexpr u8 BIT_OF_BYTE[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bit = vld1q_u8(BIT_OF_BYTE);
  const uint8x16_t limit = vdupq_n_u8(min);
  const uint8x16_t nibble = vdupq_n_u8(15);
  const int8x16_t right =
      vdupq_n_s8(static_cast<i8>(-shift));  // a negative left shift is a right shift
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

void exchange_rows(i16* sums, const i16* const* added, int adds, const i16* const* removed,
                   int removals) {
  // Unsigned lanes: sums wrap modulo 2^16, and GCC compiles vaddq_s16 to a signed sum, which must
  // not overflow.
  constexpr int PARTS = ROW_WORDS / 8;
  const auto load = [](const i16* words, int k) {
    return vreinterpretq_u16_s16(vld1q_s16(words + 8 * k));
  };
  uint16x8_t parts[PARTS];
  for (int k = 0; k < PARTS; ++k) parts[k] = load(sums, k);
  for (int i = 0; i < adds; ++i)
    for (int k = 0; k < PARTS; ++k) parts[k] = vaddq_u16(parts[k], load(added[i], k));
  for (int i = 0; i < removals; ++i)
    for (int k = 0; k < PARTS; ++k) parts[k] = vsubq_u16(parts[k], load(removed[i], k));
  for (int k = 0; k < PARTS; ++k) vst1q_s16(sums + 8 * k, vreinterpretq_s16_u16(parts[k]));
}

i64 small_net(const SmallNet& net, const i16* inputs, int shift) {
  constexpr int PARTS = SmallNet::HIDDEN / 8;
  int32x4_t low[PARTS], high[PARTS];
  for (int k = 0; k < PARTS; ++k) {
    low[k] = vld1q_s32(&net.first_bias[static_cast<size_t>(8 * k)]);
    high[k] = vld1q_s32(&net.first_bias[static_cast<size_t>(8 * k + 4)]);
  }
  const i16* weights = net.first.data();
  for (int i = 0; i < SmallNet::IN; i += 2)
    for (int k = 0; k < PARTS; ++k, weights += 16) {
      const int16x8x2_t both = vld2q_s16(weights);
      low[k] = vmlal_n_s16(low[k], vget_low_s16(both.val[0]), inputs[i]);
      high[k] = vmlal_high_n_s16(high[k], both.val[0], inputs[i]);
      low[k] = vmlal_n_s16(low[k], vget_low_s16(both.val[1]), inputs[i + 1]);
      high[k] = vmlal_high_n_s16(high[k], both.val[1], inputs[i + 1]);
    }
  const int32x4_t right = vdupq_n_s32(-shift), zero = vdupq_n_s32(0);
  int64x2_t sum = vdupq_n_s64(0);
  const auto add = [&](int32x4_t hidden, const i32* second) {
    const int32x4_t active = vshlq_s32(vmaxq_s32(hidden, zero), right), weight = vld1q_s32(second);
    sum = vmlal_s32(sum, vget_low_s32(active), vget_low_s32(weight));
    sum = vmlal_high_s32(sum, active, weight);
  };
  for (int k = 0; k < PARTS; ++k) {
    add(low[k], &net.second[static_cast<size_t>(8 * k)]);
    add(high[k], &net.second[static_cast<size_t>(8 * k + 4)]);
  }
  return vaddvq_s64(sum);
}

}  // namespace

const Ops NEON = {"neon", nibbles_at_least, exchange_rows, small_net};
// The dot-product extension only matters to the net kernels.
const Ops NEONDOT = {"neondot", nibbles_at_least, exchange_rows, small_net};

}  // namespace tengen::simd

#endif
