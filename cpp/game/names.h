// SPDX-License-Identifier: MIT
// Names of points and colours, as in Python and in files.
#pragma once

#include <string>
#include <string_view>

#include "game/point.h"
#include "game/rule.h"

namespace tengen {

/// `h8`; NO_POINT is `pass`.
inline std::string name_of(Point p) {
  if (p == NO_POINT) return "pass";
  return static_cast<char>('a' + x_of(p)) + std::to_string(y_of(p) + 1);
}

/// Of BLACK and WHITE.
constexpr std::string_view colour_name(Colour colour) {
  return colour == BLACK ? "black" : "white";
}

}  // namespace tengen
