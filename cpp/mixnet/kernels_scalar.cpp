// SPDX-License-Identifier: MIT
#include "mixnet/kernels_inl.h"
#include "mixnet/kernels_versions.h"
#include "simd/vec_scalar.h"

namespace tengen::mixnet {

const Kernels SCALAR = make_kernels<simd::VecScalar, simd::VecScalar>("scalar");

}  // namespace tengen::mixnet
