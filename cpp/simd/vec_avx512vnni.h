// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for AVX-512 with VNNI. Only to be used in functions compiled for
// it.
#pragma once

#include "simd/vec_avx512.h"

namespace tengen::simd {

namespace {

struct VecAvx512Vnni : VecAvx512 {
  static constexpr bool JOINS_FOURS = false;

  template <int FOUR>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    return _mm512_dpbusd_epi32(sums, x, w);
  }
  static WordSums add_words(WordSums sums, Words x, Words w) {
    return _mm512_dpwssd_epi32(sums, x, w);
  }
};

}  // namespace

}  // namespace tengen::simd
