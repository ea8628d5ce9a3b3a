// SPDX-License-Identifier: MIT
#include "base/crc32.h"

#include <bit>
#include <cstring>

#if defined(__aarch64__) && (defined(__linux__) || defined(__ARM_FEATURE_CRC32))
#define TENGEN_CRC_INSTRUCTION
#if !defined(__clang__)
#include <arm_acle.h>
#endif
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace tengen::crc32_detail {

namespace {

constexpr size_t STEP = 16;  ///< bytes per table step

/// [k][byte]: contribution of a byte that k others follow.
constexpr auto TABLES = [] {
  std::array<std::array<u32, 256>, STEP> tables{};
  tables[0] = byte_table();
  for (size_t k = 1; k < STEP; ++k)
    for (size_t n = 0; n < 256; ++n) {
      const u32 before = tables[k - 1][n];
      tables[k][n] = (before >> 8) ^ tables[0][before & 255];
    }
  return tables;
}();

#if defined(TENGEN_CRC_INSTRUCTION)

#if defined(__clang__)
// Its <arm_acle.h> needs the instruction set of the whole file.
#define TENGEN_WITH_CRC __attribute__((target("crc")))
#define __crc32b __builtin_arm_crc32b
#define __crc32d __builtin_arm_crc32d
#else
#define TENGEN_WITH_CRC __attribute__((target("+crc")))
#endif

/// Uses the CPU instruction for this polynomial, eight bytes at a time.
TENGEN_WITH_CRC u32 by_instruction(std::string_view bytes, u32 before) {
  u32 crc = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    u64 word;
    std::memcpy(&word, at, sizeof word);
    crc = __crc32d(crc, word);
  }
  for (; left > 0; --left, ++at) crc = __crc32b(crc, static_cast<u8>(*at));
  return ~crc;
}

bool has_instruction() {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
  return true;  // enabled at compile time
#endif
}

#else

u32 by_instruction(std::string_view bytes, u32 before) { return by_tables(bytes, before); }
constexpr bool has_instruction() { return false; }

#endif

}  // namespace

u32 by_tables(std::string_view bytes, u32 before) {
  static_assert(std::endian::native == std::endian::little);
  u32 crc = ~before;
  while (bytes.size() >= STEP) {
    std::array<u8, STEP> block;
    std::memcpy(block.data(), bytes.data(), STEP);
    u32 first;
    std::memcpy(&first, block.data(), sizeof first);
    first ^= crc;
    std::memcpy(block.data(), &first, sizeof first);
    crc = 0;
    for (size_t i = 0; i < STEP; ++i) crc ^= TABLES[STEP - 1 - i][block[i]];
    bytes.remove_prefix(STEP);
  }
  crc = ~crc;
  return plain(bytes, crc);
}

u32 fastest(std::string_view bytes, u32 before) {
  static const bool chosen = has_instruction();
  return chosen ? by_instruction(bytes, before) : by_tables(bytes, before);
}

}  // namespace tengen::crc32_detail
