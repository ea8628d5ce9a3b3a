// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for 64-bit ARM with products of bytes. Only to be used in
// functions compiled for it.
#pragma once

#include "simd/vec_neon.h"

namespace tengen::simd {

namespace {

struct VecNeonDot : VecNeon {
  static Sums add_bytes(Sums sums, u32 four, const i8* weights) {
    return vdotq_s32(sums, vld1q_s8(weights), vreinterpretq_s8_u32(vdupq_n_u32(four)));
  }
};

}  // namespace

}  // namespace tengen::simd
