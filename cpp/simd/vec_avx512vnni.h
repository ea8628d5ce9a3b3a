// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for AVX-512 with VNNI. Only to be used in functions compiled for
// it.
#pragma once

#include <immintrin.h>

#include "base/types.h"

namespace tengen::simd {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

struct VecAvx512Vnni {
  static constexpr int N = 32;

  using Words = __m512i;
  using Sums = __m512i;

  static Words load(const i16* from) { return _mm512_loadu_si512(from); }
  static void store(i16* to, Words words) { _mm512_storeu_si512(to, words); }
  static Words add(Words a, Words b) { return _mm512_add_epi16(a, b); }
  static Words sub(Words a, Words b) { return _mm512_sub_epi16(a, b); }
  static Words relu(Words a) { return _mm512_max_epi16(a, _mm512_setzero_si512()); }
  static Words scaled(Words a, Words b) { return _mm512_mulhrs_epi16(a, b); }
  static void add_to(i32* sums, Words words) {
    const auto low = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(words));
    const auto high = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(words, 1));
    store_sums(sums, _mm512_add_epi32(load_sums(sums), low));
    store_sums(sums + 16, _mm512_add_epi32(load_sums(sums + 16), high));
  }

  static Sums load_sums(const i32* from) { return _mm512_loadu_si512(from); }
  static void store_sums(i32* to, Sums sums) { _mm512_storeu_si512(to, sums); }
  static Sums add_bytes(Sums sums, u32 four, const i8* weights) {
    return _mm512_dpbusd_epi32(sums, _mm512_set1_epi32(static_cast<int>(four)),
                               _mm512_loadu_si512(weights));
  }
  static Sums add_words(Sums sums, u32 two, const i16* weights) {
    const auto x = _mm512_set1_epi32(static_cast<int>(two));
    return _mm512_add_epi32(sums, _mm512_madd_epi16(x, _mm512_loadu_si512(weights)));
  }
};

}  // namespace

}  // namespace tengen::simd
