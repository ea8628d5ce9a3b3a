// SPDX-License-Identifier: MIT
// Every instruction set that this machine has gives what the plain version gives.
#include <array>

#include "base/rng.h"
#include "check.h"
#include "simd/simd.h"

using namespace tengen;

TEST(the_plain_version_is_right) {
  const simd::Ops& plain = *simd::available().front();
  CHECK_EQ(plain.name, std::string_view("scalar"));
  std::array<u8, 64> bytes{};
  bytes[0] = 0x05;
  bytes[31] = 0xF4;
  bytes[33] = 0x5F;
  std::array<u32, 2> masks{};
  plain.nibbles_at_least(bytes.data(), 2, 0, 5, masks.data());
  CHECK_EQ(masks[0], 1u);
  CHECK_EQ(masks[1], 2u);
  plain.nibbles_at_least(bytes.data(), 2, 4, 5, masks.data());
  CHECK_EQ(masks[0], 1u << 31);
  CHECK_EQ(masks[1], 2u);
}

TEST(all_versions_are_equal) {
  Rng rng(5);
  std::array<u8, 22 * 32> bytes{};
  for (int n = 0; n < 2000; ++n) {
    for (u8& byte : bytes) byte = static_cast<u8>(rng.next());
    const int rows = 1 + static_cast<int>(rng.below(22)),
              shift = static_cast<int>(rng.below(2)) * 4;
    const u8 least = static_cast<u8>(rng.below(17));
    std::array<u32, 22> expected{};
    simd::available().front()->nibbles_at_least(bytes.data(), rows, shift, least, expected.data());
    for (const simd::Ops* version : simd::available()) {
      std::array<u32, 22> found{};
      version->nibbles_at_least(bytes.data(), rows, shift, least, found.data());
      CHECK(found == expected);
    }
  }
}
