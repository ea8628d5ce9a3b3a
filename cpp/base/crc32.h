// SPDX-License-Identifier: MIT
// CRC-32 (the one of zlib and PNG): tells a damaged file. Relies on types.h.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "base/types.h"

namespace tengen {

namespace crc32_detail {

/// What a byte does to the remainder: the table of the plain way, one byte at a time.
constexpr std::array<u32, 256> byte_table() {
  std::array<u32, 256> table{};
  for (u32 n = 0; n < 256; ++n) {
    u32 crc = n;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
    table[n] = crc;
  }
  return table;
}

/// The plain way: the definition, and what the compiler uses.
constexpr u32 plain(std::string_view bytes, u32 before) {
  constexpr auto TABLE = byte_table();
  u32 crc = ~before;
  for (const char byte : bytes) crc = (crc >> 8) ^ TABLE[(crc ^ static_cast<u8>(byte)) & 255];
  return ~crc;
}

/// Sixteen bytes at a time by tables; runs everywhere.
u32 by_tables(std::string_view bytes, u32 before);

/// The fastest way that this processor has.
u32 fastest(std::string_view bytes, u32 before);

}  // namespace crc32_detail

/// CRC-32 of bytes, or of what had the CRC-32 `before` followed by them.
constexpr u32 crc32(std::string_view bytes, u32 before = 0) {
  if (std::is_constant_evaluated()) return crc32_detail::plain(bytes, before);
  return crc32_detail::fastest(bytes, before);
}

static_assert(crc32("123456789") == 0xCBF43926);
static_assert(crc32("56789", crc32("1234")) == 0xCBF43926);

}  // namespace tengen
