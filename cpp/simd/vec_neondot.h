// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for 64-bit ARM with products of bytes. Only to be used in
// functions compiled for it.
#pragma once

#include "simd/vec_neon.h"

namespace tengen::simd {

namespace {

struct VecNeonDot : VecNeon {
  static constexpr bool SPLITS_WORDS = true;  // two of these are quicker than products of words
  static constexpr int FOURS = 4;

  static Words add_scaled(Words sum, Words a, Words b) { return vqrdmlahq_s16(sum, a, b); }

  static Inputs load_inputs(const u8* from) { return vreinterpretq_s8_u8(vld1q_u8(from)); }
  template <int FOUR>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    return vdotq_laneq_s32(sums, w, x, FOUR);
  }
};

}  // namespace

}  // namespace tengen::simd
