// SPDX-License-Identifier: MIT
// The operations that nets are made of, on short vectors, in plain C++: what the other versions
// (vec_neon.h, vec_avx2.h, vec_avx512vnni.h) do, lane by lane, and the reference for them. Relies
// on base.
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
  /// Adds each lane to one of N sums.
  static void add_to(i32* sums, Words words) {
    for (int i = 0; i < N; ++i) sums[i] += words.lane[i];
  }

  static Sums load_sums(const i32* from) {
    Sums found;
    std::memcpy(found.lane, from, sizeof(found.lane));
    return found;
  }
  static void store_sums(i32* to, Sums sums) { std::memcpy(to, sums.lane, sizeof(sums.lane)); }
  /// Each sum grows by four products: of the bytes of `four` (0 to 127) and four weights of its
  /// own.
  static Sums add_bytes(Sums sums, u32 four, const i8* weights) {
    for (int i = 0; i < N / 2; ++i)
      for (int k = 0; k < 4; ++k)
        sums.lane[i] += static_cast<i32>((four >> (8 * k)) & 255) * weights[4 * i + k];
    return sums;
  }
  /// The same with two words (signed) and two weights.
  static Sums add_words(Sums sums, u32 two, const i16* weights) {
    const auto low = static_cast<i16>(two), high = static_cast<i16>(two >> 16);
    for (int i = 0; i < N / 2; ++i)
      sums.lane[i] += low * weights[2 * i] + high * weights[2 * i + 1];
    return sums;
  }
};

}  // namespace

}  // namespace tengen::simd
