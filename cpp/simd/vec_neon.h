// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for 64-bit ARM.
#pragma once

#include <arm_neon.h>

#include "base/types.h"

namespace tengen::simd {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

struct VecNeon {
  static constexpr int N = 8;

  using Words = int16x8_t;
  using Sums = int32x4_t;

  static Words load(const i16* from) { return vld1q_s16(from); }
  static void store(i16* to, Words words) { vst1q_s16(to, words); }
  static Words add(Words a, Words b) { return vaddq_s16(a, b); }
  static Words sub(Words a, Words b) { return vsubq_s16(a, b); }
  static Words relu(Words a) { return vmaxq_s16(a, vdupq_n_s16(0)); }
  static Words scaled(Words a, Words b) { return vqrdmulhq_s16(a, b); }
  static Words add_scaled(Words sum, Words a, Words b) { return add(sum, scaled(a, b)); }
  struct Totals {
    int32x4_t low, high;
  };
  static Totals load_totals(const i32* from) { return {vld1q_s32(from), vld1q_s32(from + 4)}; }
  static void store_totals(i32* to, Totals totals) {
    vst1q_s32(to, totals.low);
    vst1q_s32(to + 4, totals.high);
  }
  static Totals add(Totals totals, Words words) {
    return {vaddw_s16(totals.low, vget_low_s16(words)), vaddw_high_s16(totals.high, words)};
  }

  static u32 differing(const i32* a, const i32* b) {
    const auto equal = [&](int i) {
      return vmovn_u32(vceqq_s32(vld1q_s32(a + i), vld1q_s32(b + i)));
    };
    const auto bits = [&](int i) {
      constexpr u8 PLACES[8] = {1, 2, 4, 8, 16, 32, 64, 128};
      const uint8x8_t same = vmovn_u16(vcombine_u16(equal(i), equal(i + 4)));
      return u32{vaddv_u8(vbic_u8(vld1_u8(PLACES), same))};
    };
    return bits(0) | bits(8) << 8;
  }

  using Bytes = int8x16_t;
  struct WordSums {  ///< two partial sums per output: of the first and of the second words
    int32x4_t low, high;
  };
  static constexpr int SUMS = 16;
  static constexpr bool SPLITS_WORDS = false;
  using Inputs = Bytes;
  static constexpr int INPUT_GROUPS = 1;
  static constexpr bool HAS_I16_SUMS = false;

  static Bytes load_bytes(const i8* from) { return vld1q_s8(from); }
  static Inputs load_inputs(const u8* from) {
    u32 four;
    __builtin_memcpy(&four, from, sizeof(four));
    return vreinterpretq_s8_u32(vdupq_n_u32(four));
  }
  static Words broadcast_words(u32 two) { return vreinterpretq_s16_u32(vdupq_n_u32(two)); }

  static Sums load_sums(const i32* from) { return vld1q_s32(from); }
  static void store_sums(i32* to, Sums sums) { vst1q_s32(to, sums); }
  static WordSums load_word_sums(const i32* from) {
    const int32x4_t sums = vld1q_s32(from), none = vdupq_n_s32(0);
    return {vzip1q_s32(sums, none), vzip2q_s32(sums, none)};
  }
  static void store_word_sums(i32* to, WordSums sums) {
    vst1q_s32(to, vpaddq_s32(sums.low, sums.high));
  }

  template <int GROUP>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    // Two seven-bit products fit into 16 bits.
    const int16x8_t low = vmull_s8(vget_low_s8(x), vget_low_s8(w));
    const int16x8_t high = vmull_high_s8(x, w);
    return vaddq_s32(sums, vpaddlq_s16(vpaddq_s16(low, high)));
  }
  static WordSums add_words(WordSums sums, Words x, Words w) {
    return {vmlal_s16(sums.low, vget_low_s16(x), vget_low_s16(w)), vmlal_high_s16(sums.high, x, w)};
  }
};

}  // namespace

}  // namespace tengen::simd
