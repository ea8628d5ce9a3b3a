// SPDX-License-Identifier: MIT
// Versions for WebAssembly with SIMD128, which a module requires from its start.
#if defined(__wasm_simd128__)

#include <wasm_simd128.h>

#include "simd/versions.h"

namespace tengen::simd {

namespace {

void nibbles_at_least(const u8* bytes, int rows, int shift, u8 min, u32* masks) {
  const v128_t limit = wasm_u8x16_splat(min);
  const v128_t nibble = wasm_u8x16_splat(15);
  const auto mask = [&](const u8* from) {
    const v128_t shifted = wasm_u8x16_shr(wasm_v128_load(from), static_cast<u32>(shift));
    return static_cast<u32>(
        wasm_i8x16_bitmask(wasm_u8x16_ge(wasm_v128_and(shifted, nibble), limit)));
  };
  for (int row = 0; row < rows; ++row, bytes += 32)
    masks[row] = mask(bytes) | mask(bytes + 16) << 16;
}

void exchange_rows(i16* sums, const i16* const* added, int adds, const i16* const* removed,
                   int removals) {
  constexpr int PARTS = ROW_WORDS / 8;
  v128_t parts[PARTS];
  for (int k = 0; k < PARTS; ++k) parts[k] = wasm_v128_load(sums + 8 * k);
  for (int i = 0; i < adds; ++i)
    for (int k = 0; k < PARTS; ++k)
      parts[k] = wasm_i16x8_add(parts[k], wasm_v128_load(added[i] + 8 * k));
  for (int i = 0; i < removals; ++i)
    for (int k = 0; k < PARTS; ++k)
      parts[k] = wasm_i16x8_sub(parts[k], wasm_v128_load(removed[i] + 8 * k));
  for (int k = 0; k < PARTS; ++k) wasm_v128_store(sums + 8 * k, parts[k]);
}

i64 small_net(const SmallNet& net, const i16* inputs, int shift) {
  constexpr int PARTS = SmallNet::HIDDEN / 4;
  v128_t hidden[PARTS];
  for (int k = 0; k < PARTS; ++k) hidden[k] = wasm_v128_load(net.first_bias.data() + 4 * k);
  const i16* weights = net.first.data();
  for (int i = 0; i < SmallNet::IN; i += 2) {
    const v128_t pair = wasm_v128_load32_splat(inputs + i);
    for (int k = 0; k < PARTS; ++k, weights += 8)
      hidden[k] = wasm_i32x4_add(hidden[k], wasm_i32x4_dot_i16x8(pair, wasm_v128_load(weights)));
  }
  v128_t sum = wasm_i64x2_splat(0);
  for (int k = 0; k < PARTS; ++k) {
    const v128_t active =
        wasm_i32x4_shr(wasm_i32x4_max(hidden[k], wasm_i32x4_splat(0)), static_cast<u32>(shift));
    const v128_t weight = wasm_v128_load(net.second.data() + 4 * k);
    sum = wasm_i64x2_add(sum, wasm_i64x2_extmul_low_i32x4(active, weight));
    sum = wasm_i64x2_add(sum, wasm_i64x2_extmul_high_i32x4(active, weight));
  }
  return wasm_i64x2_extract_lane(sum, 0) + wasm_i64x2_extract_lane(sum, 1);
}

}  // namespace

const Ops SIMD128 = {"simd128", nibbles_at_least, exchange_rows, small_net};

}  // namespace tengen::simd

#endif
