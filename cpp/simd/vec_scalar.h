// SPDX-License-Identifier: MIT
// Vector operations of the nets in plain C++: the reference for the other versions (vec_neon.h,
// vec_avx2.h, vec_avx512.h and so on).
#pragma once

#include <algorithm>
#include <cstring>

#include "base/types.h"

namespace tengen::simd {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

/// N lanes of 16 bits, or N / 2 lanes of 32 bits.
struct VecScalar {
  static constexpr int N = 8;

  struct Words {
    i16 lane[N];
  };
  struct Sums {
    i32 lane[N / 2];
  };

  static Words load(const i16* from) {
    Words result;
    std::memcpy(result.lane, from, sizeof(result.lane));
    return result;
  }
  static void store(i16* to, Words words) { std::memcpy(to, words.lane, sizeof(words.lane)); }

  /// Requires results within 16 bits, like all operations on words.
  static Words add(Words a, Words b) {
    for (int i = 0; i < N; ++i) a.lane[i] = static_cast<i16>(a.lane[i] + b.lane[i]);
    return a;
  }
  static Words sub(Words a, Words b) {
    for (int i = 0; i < N; ++i) a.lane[i] = static_cast<i16>(a.lane[i] - b.lane[i]);
    return a;
  }
  static Words relu(Words a) {
    for (int i = 0; i < N; ++i) a.lane[i] = std::max<i16>(a.lane[i], 0);
    return a;
  }
  /// (a * b + 2^14) >> 15. Requires that not both are -2^15.
  static Words scaled(Words a, Words b) {
    for (int i = 0; i < N; ++i)
      a.lane[i] = static_cast<i16>((a.lane[i] * b.lane[i] + (1 << 14)) >> 15);
    return a;
  }
  /// sum + scaled(a, b).
  static Words add_scaled(Words sum, Words a, Words b) { return add(sum, scaled(a, b)); }
  /// 32-bit sums of words, one per lane.
  struct Totals {
    i32 lane[N];
  };
  static Totals load_totals(const i32* from) {
    Totals result;
    std::memcpy(result.lane, from, sizeof(result.lane));
    return result;
  }
  static void store_totals(i32* to, Totals totals) {
    std::memcpy(to, totals.lane, sizeof(totals.lane));
  }
  static Totals add(Totals totals, Words words) {
    for (int i = 0; i < N; ++i) totals.lane[i] += words.lane[i];
    return totals;
  }

  /// Bit i: a[i] != b[i], for sixteen numbers.
  static u32 differing(const i32* a, const i32* b) {
    u32 result = 0;
    for (int i = 0; i < 16; ++i) result |= u32{a[i] != b[i]} << i;
    return result;
  }

  struct Bytes {
    i8 lane[2 * N];
  };
  /// Accumulator of word products; some versions keep two partial sums per output.
  using WordSums = Sums;
  /// Accumulator registers of a layer.
  static constexpr int SUMS = 4;
  /// Whether word products are computed from byte products: two for word times byte, three for
  /// twelve bits times twelve bits.
  static constexpr bool SPLITS_WORDS = false;
  using Inputs = Bytes;
  /// Groups of four inputs per register: 1 (broadcast) or 4.
  static constexpr int INPUT_GROUPS = 1;
  /// Whether the version can add products of two groups in 16 bits (ByteWeights::fits_i16). It then
  /// has pairs(), sums of two products each, and add_pairs(), which adds two of those to each sum.
  static constexpr bool HAS_I16_SUMS = false;

  static Bytes load_bytes(const i8* from) {
    Bytes result;
    std::memcpy(result.lane, from, sizeof(result.lane));
    return result;
  }
  /// Reads 4 * INPUT_GROUPS bytes.
  static Inputs load_inputs(const u8* from) {
    Inputs result;
    for (int i = 0; i < 2 * N; ++i) result.lane[i] = static_cast<i8>(from[i % 4]);
    return result;
  }
  /// Broadcasts two words.
  static Words broadcast_words(u32 two) {
    Words result;
    for (int i = 0; i < N; ++i) result.lane[i] = static_cast<i16>(two >> (16 * (i % 2)));
    return result;
  }

  static Sums load_sums(const i32* from) {
    Sums result;
    std::memcpy(result.lane, from, sizeof(result.lane));
    return result;
  }
  static void store_sums(i32* to, Sums sums) { std::memcpy(to, sums.lane, sizeof(sums.lane)); }
  static WordSums load_word_sums(const i32* from) { return load_sums(from); }
  static void store_word_sums(i32* to, WordSums sums) { store_sums(to, sums); }

  /// Adds four products to each sum: of group GROUP of x (0 to 127) and w.
  template <int GROUP>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    for (int i = 0; i < 2 * N; ++i) sums.lane[i / 4] += x.lane[i] * w.lane[i];
    return sums;
  }
  /// Adds two word products to each sum.
  static WordSums add_words(WordSums sums, Words x, Words w) {
    for (int i = 0; i < N; ++i) sums.lane[i / 2] += x.lane[i] * w.lane[i];
    return sums;
  }
};

}  // namespace

}  // namespace tengen::simd
