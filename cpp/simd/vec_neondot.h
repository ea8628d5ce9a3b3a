// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for 64-bit ARM with the dot-product extension. Use only in
// functions compiled for it.
#pragma once

#include "simd/vec_neon.h"

namespace tengen::simd {

namespace {

struct VecNeonDot : VecNeon {
  static constexpr bool SPLITS_WORDS = true;  // two byte products are faster than a word product
  static constexpr int INPUT_GROUPS = 4;

  static Words add_scaled(Words sum, Words a, Words b) { return vqrdmlahq_s16(sum, a, b); }

  static Inputs load_inputs(const u8* from) { return vreinterpretq_s8_u8(vld1q_u8(from)); }
  template <int GROUP>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    return vdotq_laneq_s32(sums, w, x, GROUP);
  }
};

}  // namespace

}  // namespace tengen::simd
