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
/// Processors that have them have `sqrdmlah` too, which is older.
bool has_byte_products() {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}
#endif

std::vector<const Ops*> find_available() {
  std::vector<const Ops*> found = {&SCALAR};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) found.push_back(&AVX2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    found.push_back(&AVX512);
    if (__builtin_cpu_supports("avx512vnni")) found.push_back(&AVX512VNNI);
  }
#elif defined(__aarch64__)
  found.push_back(&NEON);  // every 64-bit ARM has it
  if (has_byte_products()) found.push_back(&NEONDOT);
#endif
  return found;
}

const Ops* choose() {
  const char* wanted = std::getenv("TENGEN_SIMD");
  if (wanted == nullptr || *wanted == '\0') return available().back();
  std::string known;
  for (const Ops* version : available()) {
    if (version->name == wanted) return version;
    known += (known.empty() ? "" : ", ") + std::string(version->name);
  }
  throw std::runtime_error("TENGEN_SIMD=" + std::string(wanted) +
                           " is not to be had on this machine; it has: " + known);
}

}  // namespace

const std::vector<const Ops*>& available() {
  static const std::vector<const Ops*> found = find_available();
  return found;
}

const Ops& ops() {
  static const Ops* const chosen = choose();
  return *chosen;
}

}  // namespace tengen::simd
