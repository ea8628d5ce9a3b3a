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
  static void add_to(i32* sums, Words words) {
    vst1q_s32(sums, vaddw_s16(vld1q_s32(sums), vget_low_s16(words)));
    vst1q_s32(sums + 4, vaddw_high_s16(vld1q_s32(sums + 4), words));
  }

  static Sums load_sums(const i32* from) { return vld1q_s32(from); }
  static void store_sums(i32* to, Sums sums) { vst1q_s32(to, sums); }
  static Sums add_bytes(Sums sums, u32 four, const i8* weights) {
    const int8x16_t x = vreinterpretq_s8_u32(vdupq_n_u32(four));
    const int8x16_t w = vld1q_s8(weights);
    // Two products of seven bits fit into 16 bits.
    const int16x8_t low = vmull_s8(vget_low_s8(x), vget_low_s8(w));
    const int16x8_t high = vmull_high_s8(x, w);
    return vaddq_s32(sums, vpaddlq_s16(vpaddq_s16(low, high)));
  }
  static Sums add_words(Sums sums, u32 two, const i16* weights) {
    const int16x8_t x = vreinterpretq_s16_u32(vdupq_n_u32(two));
    const int16x8_t w = vld1q_s16(weights);
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(w));
    const int32x4_t high = vmull_high_s16(x, w);
    return vaddq_s32(sums, vpaddq_s32(low, high));
  }
};

}  // namespace

}  // namespace tengen::simd
