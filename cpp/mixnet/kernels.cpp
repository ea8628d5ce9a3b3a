// SPDX-License-Identifier: MIT
#include "mixnet/kernels.h"

#include <stdexcept>
#include <string>

#include "mixnet/kernels_versions.h"
#include "simd/simd.h"

namespace tengen::mixnet {

const Kernels& kernels(std::string_view name) {
  for (const Kernels* version : {
           &SCALAR,
#if defined(__x86_64__)
           &AVX2,
           &AVX512,
           &AVX512VNNI,
#elif defined(__aarch64__)
           &NEON,
           &NEONDOT,
#elif defined(__wasm_simd128__)
           &SIMD128,
#endif
       })
    if (version->name == name) return *version;
  throw std::invalid_argument("no kernels for " + std::string(name));
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels(simd::ops().name);
  return chosen;
}

}  // namespace tengen::mixnet
