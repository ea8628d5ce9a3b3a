// SPDX-License-Identifier: MIT
#if defined(__wasm_simd128__)

#include "mixnet/kernels_inl.h"
#include "mixnet/kernels_versions.h"
#include "simd/vec_wasm.h"

namespace tengen::mixnet {

const Kernels SIMD128 = make_kernels<simd::VecWasm, simd::VecWasm>("simd128");

}  // namespace tengen::mixnet

#endif
