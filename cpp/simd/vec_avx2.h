// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for AVX2. Use only in functions compiled for it.
#pragma once

#include <immintrin.h>

#include "base/types.h"

namespace tengen::simd {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

struct VecAvx2 {
  static constexpr int N = 16;

  using Words = __m256i;
  using Sums = __m256i;

  static Words load(const i16* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(i16* to, Words words) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
  }
  static Words add(Words a, Words b) { return _mm256_add_epi16(a, b); }
  static Words sub(Words a, Words b) { return _mm256_sub_epi16(a, b); }
  static Words relu(Words a) { return _mm256_max_epi16(a, _mm256_setzero_si256()); }
  static Words scaled(Words a, Words b) { return _mm256_mulhrs_epi16(a, b); }
  static Words add_scaled(Words sum, Words a, Words b) { return add(sum, scaled(a, b)); }
  struct Totals {
    __m256i low, high;
  };
  static Totals load_totals(const i32* from) { return {load_sums(from), load_sums(from + N / 2)}; }
  static void store_totals(i32* to, Totals totals) {
    store_sums(to, totals.low);
    store_sums(to + N / 2, totals.high);
  }
  static Totals add(Totals totals, Words words) {
    const auto low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(words));
    const auto high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(words, 1));
    return {_mm256_add_epi32(totals.low, low), _mm256_add_epi32(totals.high, high)};
  }

  static u32 differing(const i32* a, const i32* b) {
    const auto equal = [&](int i) {
      const auto same = _mm256_cmpeq_epi32(load_sums(a + i), load_sums(b + i));
      return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
    };
    return ~(equal(0) | equal(8) << 8) & 0xFFFF;
  }

  using Bytes = __m256i;
  using WordSums = Sums;
  static constexpr int SUMS = 8;
  static constexpr bool SPLITS_WORDS = false;
  using Inputs = Bytes;
  static constexpr int INPUT_GROUPS = 1;
  static constexpr bool HAS_I16_SUMS = true;

  static Bytes load_bytes(const i8* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Inputs load_inputs(const u8* from) {
    int four;
    __builtin_memcpy(&four, from, sizeof(four));
    return _mm256_set1_epi32(four);
  }
  static Words broadcast_words(u32 two) { return _mm256_set1_epi32(static_cast<int>(two)); }

  static Sums load_sums(const i32* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store_sums(i32* to, Sums sums) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums);
  }
  static WordSums load_word_sums(const i32* from) { return load_sums(from); }
  static void store_word_sums(i32* to, WordSums sums) { store_sums(to, sums); }

  /// Two seven-bit products stay below 2^15: no saturation.
  static Words pairs(Inputs x, Bytes w) { return _mm256_maddubs_epi16(x, w); }
  static Sums add_pairs(Sums sums, Words pairs) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  template <int GROUP>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    return add_pairs(sums, pairs(x, w));
  }
  static WordSums add_words(WordSums sums, Words x, Words w) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(x, w));
  }
};

}  // namespace

}  // namespace tengen::simd
