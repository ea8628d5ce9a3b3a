// SPDX-License-Identifier: MIT
// CRC-32 (the one of zlib and PNG): tells a damaged file. Relies on types.h.
#pragma once

#include <array>
#include <string_view>

#include "base/types.h"

namespace tengen {

constexpr u32 crc32(std::string_view bytes) {
  constexpr auto TABLE = [] {
    std::array<u32, 256> table{};
    for (u32 n = 0; n < 256; ++n) {
      u32 crc = n;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
      table[n] = crc;
    }
    return table;
  }();
  u32 crc = ~u32{0};
  for (const char byte : bytes) crc = (crc >> 8) ^ TABLE[(crc ^ static_cast<u8>(byte)) & 255];
  return ~crc;
}

static_assert(crc32("123456789") == 0xCBF43926);

}  // namespace tengen
