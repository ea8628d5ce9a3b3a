// SPDX-License-Identifier: MIT
// CRC-32 as in zlib and PNG, to detect damaged files.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "base/types.h"

namespace tengen {

namespace crc32_detail {

/// Table of the bytewise algorithm.
constexpr std::array<u32, 256> byte_table() {
  std::array<u32, 256> table{};
  for (u32 n = 0; n < 256; ++n) {
    u32 crc = n;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
    table[n] = crc;
  }
  return table;
}

/// The bytewise algorithm: the reference, and the version for constant expressions.
constexpr u32 plain(std::string_view bytes, u32 before) {
  constexpr auto TABLE = byte_table();
  u32 crc = ~before;
  for (const char byte : bytes) crc = (crc >> 8) ^ TABLE[(crc ^ static_cast<u8>(byte)) & 255];
  return ~crc;
}

/// Sixteen bytes per step, by tables; portable.
u32 by_tables(std::string_view bytes, u32 before);

/// The fastest version that this CPU supports.
u32 fastest(std::string_view bytes, u32 before);

}  // namespace crc32_detail

/// CRC-32 of `bytes` appended to data whose CRC-32 is `before`.
constexpr u32 crc32(std::string_view bytes, u32 before = 0) {
  if (std::is_constant_evaluated()) return crc32_detail::plain(bytes, before);
  return crc32_detail::fastest(bytes, before);
}

static_assert(crc32("123456789") == 0xCBF43926);
static_assert(crc32("56789", crc32("1234")) == 0xCBF43926);

}  // namespace tengen
