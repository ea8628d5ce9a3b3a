// SPDX-License-Identifier: MIT
// Combos: the unordered shapes of a point on its four lines. They index the classical and lazy
// tables.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "pattern/tables.h"

namespace tengen {

/// Multisets of four shapes.
inline constexpr int COMBO_NB = (SHAPE_NB + 3) * (SHAPE_NB + 2) * (SHAPE_NB + 1) * SHAPE_NB / 24;
static_assert(COMBO_NB == 1365);

/// Number of a combo, in the combinatorial number system: for shapes a >= b >= c >= d it is
/// C(a+3, 4) + C(b+2, 3) + C(c+1, 2) + d.
constexpr int combo_of(ShapeSet set) {
  std::array<int, 4> s = {set & 15, (set >> 4) & 15, (set >> 8) & 15, (set >> 12) & 15};
  const auto order = [&s](int i, int j) {
    if (s[i] < s[j]) std::swap(s[i], s[j]);
  };
  order(0, 1);
  order(2, 3);
  order(0, 2);
  order(1, 3);
  order(1, 2);
  const auto [a, b, c, d] = s;
  return (a + 3) * (a + 2) * (a + 1) * a / 24 + (b + 2) * (b + 1) * b / 6 + (c + 1) * c / 2 + d;
}

/// The combo of every ShapeSet; 0 for sets with invalid shapes.
inline std::vector<u16> combos_by_shape_set() {
  constexpr size_t SHAPE_SET_NB = 1 << 16;
  std::vector<u16> combos(SHAPE_SET_NB, 0);
  const auto exists = [](size_t set) {
    for (int d = 0; d < DIRECTION_NB; ++d)
      if (((set >> (4 * d)) & 15) >= static_cast<size_t>(SHAPE_NB)) return false;
    return true;
  };
  for (size_t set = 0; set < SHAPE_SET_NB; ++set)
    if (exists(set)) combos[set] = static_cast<u16>(combo_of(static_cast<ShapeSet>(set)));
  return combos;
}

}  // namespace tengen
