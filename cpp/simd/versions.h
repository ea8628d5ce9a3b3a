// SPDX-License-Identifier: MIT
// Declarations of the versions of simd.h; private to this folder.
#pragma once

#include "simd/simd.h"

namespace tengen::simd {

extern const Ops SCALAR;

#if defined(__x86_64__)
extern const Ops AVX2;
extern const Ops AVX512;
extern const Ops AVX512VNNI;

i64 small_net_avx2(const SmallNet& net, const i16* inputs, int shift);  ///< also used for AVX-512
#elif defined(__aarch64__)
extern const Ops NEON;
extern const Ops NEONDOT;
#elif defined(__wasm_simd128__)
extern const Ops SIMD128;
#endif

}  // namespace tengen::simd
