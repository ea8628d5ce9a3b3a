// SPDX-License-Identifier: MIT
#include "simd/simd.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "simd/versions.h"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace tengen::simd {

namespace {

#if defined(__aarch64__)
/// Implies `sqrdmlah`, which is older.
bool has_dot_product() {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}
#endif

std::vector<const Ops*> find_available() {
  std::vector<const Ops*> versions = {&SCALAR};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) versions.push_back(&AVX2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    versions.push_back(&AVX512);
    if (__builtin_cpu_supports("avx512vnni")) versions.push_back(&AVX512VNNI);
  }
#elif defined(__aarch64__)
  versions.push_back(&NEON);  // part of every 64-bit ARM CPU
  if (has_dot_product()) versions.push_back(&NEONDOT);
#elif defined(__wasm_simd128__)
  versions.push_back(&SIMD128);
#endif
  return versions;
}

const Ops* choose() {
  const char* requested = std::getenv("TENGEN_SIMD");
  if (requested == nullptr || *requested == '\0') return available().back();
  std::string known;
  for (const Ops* version : available()) {
    if (version->name == requested) return version;
    known += (known.empty() ? "" : ", ") + std::string(version->name);
  }
  throw std::runtime_error("TENGEN_SIMD=" + std::string(requested) +
                           " is not available on this machine; available: " + known);
}

}  // namespace

const std::vector<const Ops*>& available() {
  static const std::vector<const Ops*> versions = find_available();
  return versions;
}

const Ops& ops() {
  static const Ops* const chosen = choose();
  return *chosen;
}

}  // namespace tengen::simd
