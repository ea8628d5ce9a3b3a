// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for AVX-512 (F, BW, VL). Use only in functions compiled for it.
#pragma once

#include <immintrin.h>

#include "base/types.h"
#include "simd/vec_avx2.h"

namespace tengen::simd {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

struct VecAvx512 {
  static constexpr int N = 32;

  using Words = __m512i;
  using Sums = __m512i;

  static Words load(const i16* from) { return _mm512_loadu_si512(from); }
  static void store(i16* to, Words words) { _mm512_storeu_si512(to, words); }
  static Words add(Words a, Words b) { return _mm512_add_epi16(a, b); }
  static Words sub(Words a, Words b) { return _mm512_sub_epi16(a, b); }
  static Words relu(Words a) { return _mm512_max_epi16(a, _mm512_setzero_si512()); }
  static Words scaled(Words a, Words b) { return _mm512_mulhrs_epi16(a, b); }
  static Words add_scaled(Words sum, Words a, Words b) { return add(sum, scaled(a, b)); }
  struct Totals {
    __m512i low, high;
  };
  static Totals load_totals(const i32* from) { return {load_sums(from), load_sums(from + N / 2)}; }
  static void store_totals(i32* to, Totals totals) {
    store_sums(to, totals.low);
    store_sums(to + N / 2, totals.high);
  }
  static Totals add(Totals totals, Words words) {
    const auto low = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(words));
    const auto high = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(words, 1));
    return {_mm512_add_epi32(totals.low, low), _mm512_add_epi32(totals.high, high)};
  }

  /// Writes the indices, counted from `first`, of the numbers in the mask `among` that differ.
  /// Returns the end of the list; up to sixteen numbers may be written.
  static i32* list_differing(const i32* a, const i32* b, u32 among, i32 first, i32* to) {
    const auto others =
        _mm512_mask_cmpneq_epi32_mask(static_cast<__mmask16>(among), load_sums(a), load_sums(b));
    const auto counted = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto indices = _mm512_add_epi32(_mm512_set1_epi32(first), counted);
    store_sums(to, _mm512_maskz_compress_epi32(others, indices));
    return to + __builtin_popcount(others);
  }

  using Bytes = __m512i;
  using WordSums = Sums;
  static constexpr int SUMS = 16;
  static constexpr bool SPLITS_WORDS = false;
  using Inputs = Bytes;
  static constexpr int INPUT_GROUPS = 1;
  static constexpr bool HAS_I16_SUMS = true;

  static Bytes load_bytes(const i8* from) { return _mm512_loadu_si512(from); }
  static Inputs load_inputs(const u8* from) {
    int four;
    __builtin_memcpy(&four, from, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  static Words broadcast_words(u32 two) { return _mm512_set1_epi32(static_cast<int>(two)); }

  static Sums load_sums(const i32* from) { return _mm512_loadu_si512(from); }
  static void store_sums(i32* to, Sums sums) { _mm512_storeu_si512(to, sums); }
  static WordSums load_word_sums(const i32* from) { return load_sums(from); }
  static void store_word_sums(i32* to, WordSums sums) { store_sums(to, sums); }

  /// Two seven-bit products stay below 2^15: no saturation.
  static Words pairs(Inputs x, Bytes w) { return _mm512_maddubs_epi16(x, w); }
  static Sums add_pairs(Sums sums, Words pairs) {
    return _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }
  template <int GROUP>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    return add_pairs(sums, pairs(x, w));
  }
  static WordSums add_words(WordSums sums, Words x, Words w) {
    return _mm512_add_epi32(sums, _mm512_madd_epi16(x, w));
  }
};

/// Half as many words per vector as VecAvx512; one 512-bit register holds their totals or two
/// vectors.
struct HalfAvx512 : VecAvx2 {
  using VecAvx2::add;

  using Totals = __m512i;
  static Totals load_totals(const i32* from) { return _mm512_loadu_si512(from); }
  static void store_totals(i32* to, Totals totals) { _mm512_storeu_si512(to, totals); }
  static Totals add(Totals totals, Words words) {
    return _mm512_add_epi32(totals, _mm512_cvtepi16_epi32(words));
  }

  static i32* list_differing(const i32* a, const i32* b, u32 among, i32 first, i32* to) {
    return VecAvx512::list_differing(a, b, among, first, to);
  }

  /// As TwoVectors of kernels_update_inl.h. Requires that `after` follows `before`.
  struct Pair {
    __m512i both;

    static Pair scaled(const i16* before, const i16*, const i16* weights) {
      const auto twice = _mm512_broadcast_i64x4(load(weights));
      return {_mm512_mulhrs_epi16(_mm512_loadu_si512(before), twice)};
    }
    void add_scaled(const i16* before, const i16* after, const i16* weights) {
      both = _mm512_add_epi16(both, scaled(before, after, weights).both);
    }
    Words delta() const {
      return sub(_mm512_extracti64x4_epi64(both, 1), _mm512_castsi512_si256(both));
    }
  };
};

}  // namespace

}  // namespace tengen::simd
