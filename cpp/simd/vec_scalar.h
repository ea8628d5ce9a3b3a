// SPDX-License-Identifier: MIT
// The operations that nets are made of, on short vectors, in plain C++: what the other versions
// (vec_neon.h, vec_avx2.h, vec_avx512.h and so on) do, lane by lane, and the reference for them.
// Relies on base.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/types.h"

namespace tengen::simd {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

/// Sixteen bits a lane, N of them; or 32 bits a lane, half as many.
struct VecScalar {
  static constexpr int N = 8;

  struct Words {
    i16 lane[N];
  };
  struct Sums {
    i32 lane[N / 2];
  };

  static Words load(const i16* from) {
    Words found;
    std::memcpy(found.lane, from, sizeof(found.lane));
    return found;
  }
  static void store(i16* to, Words words) { std::memcpy(to, words.lane, sizeof(words.lane)); }

  /// Sums and differences that stay within 16 bits.
  static Words add(Words a, Words b) {
    for (int i = 0; i < N; ++i) a.lane[i] = static_cast<i16>(a.lane[i] + b.lane[i]);
    return a;
  }
  static Words sub(Words a, Words b) {
    for (int i = 0; i < N; ++i) a.lane[i] = static_cast<i16>(a.lane[i] - b.lane[i]);
    return a;
  }
  /// Nothing where it is negative.
  static Words relu(Words a) {
    for (int i = 0; i < N; ++i) a.lane[i] = std::max<i16>(a.lane[i], 0);
    return a;
  }
  /// (a * b + 2^14) >> 15. Not for -2^15 times itself.
  static Words scaled(Words a, Words b) {
    for (int i = 0; i < N; ++i)
      a.lane[i] = static_cast<i16>((a.lane[i] * b.lane[i] + (1 << 14)) >> 15);
    return a;
  }
  /// sum + scaled(a, b), within 16 bits.
  static Words add_scaled(Words sum, Words a, Words b) { return add(sum, scaled(a, b)); }
  /// Sums of words, one for each lane.
  struct Totals {
    i32 lane[N];
  };
  static Totals load_totals(const i32* from) {
    Totals found;
    std::memcpy(found.lane, from, sizeof(found.lane));
    return found;
  }
  static void store_totals(i32* to, Totals totals) {
    std::memcpy(to, totals.lane, sizeof(totals.lane));
  }
  static Totals add(Totals totals, Words words) {
    for (int i = 0; i < N; ++i) totals.lane[i] += words.lane[i];
    return totals;
  }

  /// Which of sixteen numbers differ from others, a bit each.
  static u32 differing(const i32* a, const i32* b) {
    u32 found = 0;
    for (int i = 0; i < 16; ++i) found |= u32{a[i] != b[i]} << i;
    return found;
  }

  struct Bytes {
    i8 lane[2 * N];
  };
  /// Sums of products of words while they grow; some versions keep the two of a pair apart.
  using WordSums = Sums;
  /// Registers of sums that a layer works on at once.
  static constexpr int SUMS = 4;
  /// Whether a product of a word and a byte is made of two products of bytes, and one of twelve
  /// bits of three.
  static constexpr bool SPLITS_WORDS = false;
  using Inputs = Bytes;
  /// Fours of inputs that lie in a register: 1, spread to all places, or 4.
  static constexpr int FOURS = 1;
  /// Whether a version adds up two fours of products in 16 bits, by twos, where these suffice. It
  /// has pairs(), which gives the sums of two products of x and w, and add_pairs(), by which each
  /// sum grows by two of these.
  static constexpr bool JOINS_FOURS = false;

  static Bytes load_bytes(const i8* from) {
    Bytes found;
    std::memcpy(found.lane, from, sizeof(found.lane));
    return found;
  }
  /// Reads 4 * FOURS bytes.
  static Inputs load_inputs(const u8* from) {
    Inputs found;
    for (int i = 0; i < 2 * N; ++i) found.lane[i] = static_cast<i8>(from[i % 4]);
    return found;
  }
  /// The same two words in all places.
  static Words spread_words(u32 two) {
    Words found;
    for (int i = 0; i < N; ++i) found.lane[i] = static_cast<i16>(two >> (16 * (i % 2)));
    return found;
  }

  static Sums load_sums(const i32* from) {
    Sums found;
    std::memcpy(found.lane, from, sizeof(found.lane));
    return found;
  }
  static void store_sums(i32* to, Sums sums) { std::memcpy(to, sums.lane, sizeof(sums.lane)); }
  static WordSums load_word_sums(const i32* from) { return load_sums(from); }
  static void store_word_sums(i32* to, WordSums sums) { store_sums(to, sums); }

  /// Each sum grows by four products, of one of the fours of x (0 to 127) and w.
  template <int FOUR>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    for (int i = 0; i < 2 * N; ++i) sums.lane[i / 4] += x.lane[i] * w.lane[i];
    return sums;
  }
  /// The same with two products of words.
  static WordSums add_words(WordSums sums, Words x, Words w) {
    for (int i = 0; i < N; ++i) sums.lane[i / 2] += x.lane[i] * w.lane[i];
    return sums;
  }
};

}  // namespace

}  // namespace tengen::simd
