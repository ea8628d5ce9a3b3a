// SPDX-License-Identifier: MIT
// Numbers as texts, with a decimal point in every locale of the process.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <version>

#if !defined(__cpp_lib_to_chars)  // libc++ before 20 has no from_chars of floating-point numbers
#include <cstdlib>
#include <string>
#if defined(__APPLE__)
#include <xlocale.h>
#else
#include <locale.h>
#include <clocale>
#endif
#endif

namespace tengen {

/// The number that is the whole text; nullopt if it is none, or not finite.
inline std::optional<double> number_of(std::string_view text) {
  if (text.find_first_not_of("+-.0123456789eE") != text.npos) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(text.starts_with("+-") ? 0 : 1);
  if (text.empty() || text[0] == '+') return std::nullopt;
  double number = 0;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
#else
  static const locale_t CLASSIC = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string copy(text);
  char* end = nullptr;
  number = strtod_l(copy.c_str(), &end, CLASSIC);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
#endif
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace tengen
