// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "mixnet/kernels_versions.h"

// GCC 12 warns about values that its intrinsics leave undefined on purpose.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
TENGEN_BEGIN_TARGET("avx2,avx512f,avx512bw,avx512vl,avx512vnni")
// What follows is compiled for AVX-512: include only our headers, no shared templates.
#include "mixnet/kernels_inl.h"
#include "simd/vec_avx2.h"
#include "simd/vec_avx512vnni.h"

namespace tengen::mixnet {

const Kernels AVX512VNNI = make_kernels<simd::VecAvx512Vnni, simd::HalfAvx512>("avx512vnni");

}  // namespace tengen::mixnet

TENGEN_END_TARGET

#endif
