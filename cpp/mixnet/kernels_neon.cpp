// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "mixnet/kernels_inl.h"
#include "mixnet/kernels_versions.h"
#include "simd/vec_neon.h"

namespace tengen::mixnet {

const Kernels NEON = make_kernels<simd::VecNeon, simd::VecNeon>("neon");

}  // namespace tengen::mixnet

#endif
