// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for 64-bit ARM with products of bytes. Only to be used in
// functions compiled for it.
#pragma once

#include "simd/vec_neon.h"

namespace tengen::simd {

namespace {

struct VecNeonDot : VecNeon {
  static constexpr bool SPLITS_WORDS = true;  // two of these are quicker than products of words

  static Sums add_bytes(Sums sums, Bytes x, Bytes w) { return vdotq_s32(sums, x, w); }
};

}  // namespace

}  // namespace tengen::simd
