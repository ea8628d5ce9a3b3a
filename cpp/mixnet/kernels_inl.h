// SPDX-License-Identifier: MIT
// The kernels over any set of vector operations (simd/vec_*.h); included once by the file of each
// instruction set, which compiles it for that set.
#pragma once

#include "mixnet/kernels_policy_inl.h"
#include "mixnet/kernels_refresh_inl.h"
#include "mixnet/kernels_update_inl.h"

namespace tengen::mixnet {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

/// `Half` for nets of 32 channels, whose convolution has 16.
template <typename Vec, typename Half>
constexpr Kernels make_kernels(std::string_view name) {
  return {
      name,
      {Update<Half, 32>::apply, Update<Vec, 64>::apply, Update<Vec, 128>::apply},
      {Update<Half, 32>::restore, Update<Vec, 64>::restore, Update<Vec, 128>::restore},
      {Update<Half, 32>::preview_add, Update<Vec, 64>::preview_add, Update<Vec, 128>::preview_add},
      {RefreshKernel<Half, 32>::refresh, RefreshKernel<Vec, 64>::refresh,
       RefreshKernel<Vec, 128>::refresh},
      Linear<Vec>::add_bytes,
      Policy<Vec>::logits,
      Elementwise::make_dynamic,
      Blocks<Vec>::layer,
      Blocks<Vec>::star,
      Elementwise::mean_of_four,
      Elementwise::compute_means};
}

}  // namespace

}  // namespace tengen::mixnet
