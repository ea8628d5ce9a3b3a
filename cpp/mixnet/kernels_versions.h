// SPDX-License-Identifier: MIT
// Declarations of the versions of the kernels; private to this folder.
#pragma once

#include "mixnet/kernels.h"

// Compiles the functions in between for an instruction set of x86-64.
#define TENGEN_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TENGEN_BEGIN_TARGET(set) \
  TENGEN_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define TENGEN_END_TARGET TENGEN_PRAGMA(clang attribute pop)
#else
#define TENGEN_BEGIN_TARGET(set) TENGEN_PRAGMA(GCC push_options) TENGEN_PRAGMA(GCC target(set))
#define TENGEN_END_TARGET TENGEN_PRAGMA(GCC pop_options)
#endif

namespace tengen::mixnet {

extern const Kernels SCALAR;
#if defined(__x86_64__)
extern const Kernels AVX2;
extern const Kernels AVX512;
extern const Kernels AVX512VNNI;
#elif defined(__aarch64__)
extern const Kernels NEON;
extern const Kernels NEONDOT;
#elif defined(__wasm_simd128__)
extern const Kernels SIMD128;
#endif

}  // namespace tengen::mixnet
