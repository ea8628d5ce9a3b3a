// SPDX-License-Identifier: MIT
// The operations of vec_scalar.h for WebAssembly with SIMD128.
#pragma once

#include <wasm_simd128.h>

#include "base/types.h"

namespace tengen::simd {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

struct VecWasm {
  static constexpr int N = 8;

  using Words = v128_t;
  using Sums = v128_t;

  static Words load(const i16* from) { return wasm_v128_load(from); }
  static void store(i16* to, Words words) { wasm_v128_store(to, words); }
  static Words add(Words a, Words b) { return wasm_i16x8_add(a, b); }
  static Words sub(Words a, Words b) { return wasm_i16x8_sub(a, b); }
  static Words relu(Words a) { return wasm_i16x8_max(a, wasm_i16x8_splat(0)); }
  static Words scaled(Words a, Words b) { return wasm_i16x8_q15mulr_sat(a, b); }
  static Words add_scaled(Words sum, Words a, Words b) { return add(sum, scaled(a, b)); }
  struct Totals {
    v128_t low, high;
  };
  static Totals load_totals(const i32* from) { return {load_sums(from), load_sums(from + N / 2)}; }
  static void store_totals(i32* to, Totals totals) {
    store_sums(to, totals.low);
    store_sums(to + N / 2, totals.high);
  }
  static Totals add(Totals totals, Words words) {
    return {wasm_i32x4_add(totals.low, wasm_i32x4_extend_low_i16x8(words)),
            wasm_i32x4_add(totals.high, wasm_i32x4_extend_high_i16x8(words))};
  }

  static u32 differing(const i32* a, const i32* b) {
    const auto differ = [&](int i) {
      return static_cast<u32>(
          wasm_i32x4_bitmask(wasm_i32x4_ne(load_sums(a + i), load_sums(b + i))));
    };
    return differ(0) | differ(4) << 4 | differ(8) << 8 | differ(12) << 12;
  }

  using Bytes = v128_t;
  using WordSums = Sums;
  static constexpr int SUMS = 8;
  static constexpr bool SPLITS_WORDS = false;
  using Inputs = Bytes;
  static constexpr int INPUT_GROUPS = 1;
  static constexpr bool HAS_I16_SUMS = false;

  static Bytes load_bytes(const i8* from) { return wasm_v128_load(from); }
  static Inputs load_inputs(const u8* from) { return wasm_v128_load32_splat(from); }
  static Words broadcast_words(u32 two) { return wasm_i32x4_splat(static_cast<i32>(two)); }

  static Sums load_sums(const i32* from) { return wasm_v128_load(from); }
  static void store_sums(i32* to, Sums sums) { wasm_v128_store(to, sums); }
  static WordSums load_word_sums(const i32* from) { return load_sums(from); }
  static void store_word_sums(i32* to, WordSums sums) { store_sums(to, sums); }

  template <int GROUP>
  static Sums add_bytes(Sums sums, Inputs x, Bytes w) {
    // Two seven-bit products fit into 16 bits: even and odd bytes apart, so that neighbouring lanes
    // belong to one sum.
    const v128_t even = wasm_i16x8_mul(even_bytes(x), even_bytes(w));
    const v128_t odd = wasm_i16x8_mul(wasm_i16x8_shr(x, 8), wasm_i16x8_shr(w, 8));
    return wasm_i32x4_add(sums, wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_add(even, odd)));
  }
  static WordSums add_words(WordSums sums, Words x, Words w) {
    return wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(x, w));
  }

 private:
  /// Byte 2i, sign-extended, in lane i.
  static v128_t even_bytes(v128_t a) { return wasm_i16x8_shr(wasm_i16x8_shl(a, 8), 8); }
};

}  // namespace

}  // namespace tengen::simd
