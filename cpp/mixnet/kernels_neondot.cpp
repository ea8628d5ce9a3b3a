// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

// The code below is compiled with the dot-product extension; for clang, CMakeLists.txt sets it for
// the whole file.
#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif
#include "mixnet/kernels_inl.h"
#include "mixnet/kernels_versions.h"
#include "simd/vec_neondot.h"

namespace tengen::mixnet {

const Kernels NEONDOT = make_kernels<simd::VecNeonDot, simd::VecNeonDot>("neondot");

}  // namespace tengen::mixnet

#if !defined(__clang__)
#pragma GCC pop_options
#endif

#endif
