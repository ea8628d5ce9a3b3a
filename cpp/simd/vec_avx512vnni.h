// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for AVX-512 with VNNI. Use only in functions compiled for it.
#pragma once

#include "simd/vec_avx512.h"

namespace tengen::simd {

namespace {

struct VecAvx512Vnni : VecAvx512 {
  static constexpr bool HAS_I16_SUMS = false;

  template <int GROUP>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    return _mm512_dpbusd_epi32(sums, x, w);
  }
  static WordSums add_words(WordSums sums, Words x, Words w) {
    return _mm512_dpwssd_epi32(sums, x, w);
  }
};

}  // namespace

}  // namespace tengen::simd
