// SPDX-License-Identifier: MIT
// Operations on many bytes at once, in one version for each instruction set, chosen once at run
// time: the best that the processor has, or the one that the environment variable TENGEN_SIMD
// names. All versions give the same results to the last bit. Relies on base alone, so that every
// layer may use it.
#pragma once

#include <string_view>
#include <vector>

#include "base/types.h"

namespace tengen::simd {

struct Ops {
  std::string_view name;

  /// For each of `rows` rows of 32 bytes: a mask with bit i set where the four bits of byte i that
  /// begin at bit `shift` (0 or 4) are at least `least`.
  void (*nibbles_at_least)(const u8* bytes, int rows, int shift, u8 least, u32* masks);
};

/// The chosen version. Throws std::runtime_error, naming what there is, if TENGEN_SIMD asks for one
/// that this machine does not have.
const Ops& ops();

/// The versions that this machine can run, the plainest first.
const std::vector<const Ops*>& available();

}  // namespace tengen::simd
