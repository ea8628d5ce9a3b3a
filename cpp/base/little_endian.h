// SPDX-License-Identifier: MIT
// Reads a sequence of little-endian numbers from bytes, on any machine.
#pragma once

#include <array>
#include <string_view>

#include "base/types.h"

namespace tengen {

class LittleEndianReader {
 public:
  /// Reads are not bounds-checked.
  explicit LittleEndianReader(std::string_view bytes) : bytes_(bytes) {}

  u32 word() {
    const u32 low = half();
    return low | (u32{half()} << 16);
  }
  u16 half() {
    const auto low = static_cast<u8>(bytes_[0]), high = static_cast<u8>(bytes_[1]);
    bytes_.remove_prefix(2);
    return static_cast<u16>(low | (high << 8));
  }
  template <size_t N>
  void numbers(std::array<i16, N>& out) {
    for (i16& number : out) number = static_cast<i16>(half());
  }

 private:
  std::string_view bytes_;
};

}  // namespace tengen
