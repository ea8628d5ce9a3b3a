// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "mixnet/kernels_versions.h"

TENGEN_BEGIN_TARGET("avx2")
// What follows is compiled for AVX2: include only our headers, no shared templates.
#include "mixnet/kernels_inl.h"
#include "simd/vec_avx2.h"

namespace tengen::mixnet {

const Kernels AVX2 = make_kernels<simd::VecAvx2, simd::VecAvx2>("avx2");

}  // namespace tengen::mixnet

TENGEN_END_TARGET

#endif
