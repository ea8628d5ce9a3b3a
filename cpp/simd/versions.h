// SPDX-License-Identifier: MIT
// Where the versions of simd.h are declared; private to this folder. A version that was not
// compiled (another architecture) is simply not declared.
#pragma once

#include "simd/simd.h"

namespace tengen::simd {

extern const Ops SCALAR;

#if defined(__x86_64__)
extern const Ops AVX2;
extern const Ops AVX512;
extern const Ops AVX512VNNI;

i64 small_net_avx2(const SmallNet& net, const i16* inputs, int shift);  ///< for AVX-512, too
#elif defined(__aarch64__)
extern const Ops NEON;
extern const Ops NEONDOT;
#endif

}  // namespace tengen::simd
