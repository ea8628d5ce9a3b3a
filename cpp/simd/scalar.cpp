// SPDX-License-Identifier: MIT
// The plain version: what the others must equal.
#include "simd/versions.h"

namespace tengen::simd {

namespace {

void nibbles_at_least(const u8* bytes, int rows, int shift, u8 least, u32* masks) {
  for (int row = 0; row < rows; ++row, bytes += 32) {
    u32 mask = 0;
    for (int i = 0; i < 32; ++i) mask |= u32{((bytes[i] >> shift) & 15) >= least} << i;
    masks[row] = mask;
  }
}

}  // namespace

const Ops SCALAR = {"scalar", nibbles_at_least};

}  // namespace tengen::simd
