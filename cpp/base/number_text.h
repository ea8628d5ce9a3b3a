// SPDX-License-Identifier: MIT
// Numbers as texts, with a decimal point in every locale of the process.
#pragma once

#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <string>

namespace tengen {

/// The number that is the whole text; nullopt if it is none, or not finite.
inline std::optional<double> number_of(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double number = 0;
  stream >> std::noskipws >> number;
  if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace tengen
