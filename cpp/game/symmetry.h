// SPDX-License-Identifier: MIT
// The eight symmetries of the square.
#pragma once

#include "game/point.h"

namespace tengen {

inline constexpr int SYMMETRY_NB = 8;

/// Image of a point under symmetry `s` on a board of `size`.
/// Bit 0 of `s` mirrors x, bit 1 mirrors y, and then bit 2 swaps x and y. 0 is the identity.
constexpr Point transformed(Point p, int s, int size) {
  const int x = (s & 1) ? size - 1 - x_of(p) : x_of(p);
  const int y = (s & 2) ? size - 1 - y_of(p) : y_of(p);
  return (s & 4) ? make_point(y, x) : make_point(x, y);
}

}  // namespace tengen
