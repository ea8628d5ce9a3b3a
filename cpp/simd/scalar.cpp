// SPDX-License-Identifier: MIT
// The scalar version: the reference for the others.
#include "simd/versions.h"

namespace tengen::simd {

namespace {

void nibbles_at_least(const u8* bytes, int rows, int shift, u8 min, u32* masks) {
  for (int row = 0; row < rows; ++row, bytes += 32) {
    u32 mask = 0;
    for (int i = 0; i < 32; ++i) mask |= u32{((bytes[i] >> shift) & 15) >= min} << i;
    masks[row] = mask;
  }
}

void exchange_rows(i16* sums, const i16* const* added, int adds, const i16* const* removed,
                   int removals) {
  for (int i = 0; i < adds; ++i)
    for (int k = 0; k < ROW_WORDS; ++k) sums[k] = static_cast<i16>(sums[k] + added[i][k]);
  for (int i = 0; i < removals; ++i)
    for (int k = 0; k < ROW_WORDS; ++k) sums[k] = static_cast<i16>(sums[k] - removed[i][k]);
}

i64 small_net(const SmallNet& net, const i16* inputs, int shift) {
  i64 output = 0;
  for (size_t h = 0; h < SmallNet::HIDDEN; ++h) {
    auto sum = static_cast<u32>(net.first_bias[h]);
    for (size_t i = 0; i < SmallNet::IN; ++i)
      sum += static_cast<u32>(inputs[i] * net.first[SmallNet::weight_index(i, h)]);
    const auto hidden = static_cast<i32>(sum);
    output += i64{hidden < 0 ? 0 : hidden >> shift} * net.second[h];
  }
  return output;
}

}  // namespace

const Ops SCALAR = {"scalar", nibbles_at_least, exchange_rows, small_net};

}  // namespace tengen::simd
