// SPDX-License-Identifier: MIT
// Declarations of the versions of the kernels; private to this folder.
#pragma once

#include "mixnet/kernels.h"

namespace tengen::mixnet {

extern const Kernels SCALAR;
#if defined(__x86_64__)
extern const Kernels AVX2;
extern const Kernels AVX512;
extern const Kernels AVX512VNNI;
#elif defined(__aarch64__)
extern const Kernels NEON;
extern const Kernels NEONDOT;
#endif

}  // namespace tengen::mixnet
