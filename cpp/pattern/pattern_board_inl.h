// SPDX-License-Identifier: MIT
// Inline part of pattern_board.h.
#pragma once

#include <bit>

#include "simd/simd.h"

namespace tengen {

template <typename Visit>
void PatternBoard::for_each_at_least(Colour colour, Threat min, Visit visit) const {
  std::array<u32, MAX_SIZE> rows;
  simd::ops().nibbles_at_least(threat_row(0), size_, 4 * side_index(colour), static_cast<u8>(min),
                               rows.data());
  for (int y = 0; y < size_; ++y)
    for (u32 mask = rows[y]; mask; mask &= mask - 1)
      visit(static_cast<Point>((y + MARGIN) * GRID + std::countr_zero(mask)));
}

template <typename Visit>
void PatternBoard::for_each_forbidden(Visit visit) const {
  if (!has_forbidden_moves(rule(), BLACK)) return;
  // Most boards have no candidate, which the counts show.
  const int certain = count(BLACK, Threat::FORBIDDEN);
  const int candidates =
      count(BLACK, Threat::DOUBLE_THREE) + count(BLACK, Threat::FOUR_DOUBLE_THREE);
  if (certain + candidates == 0) return;
  const Threat min = certain ? Threat::FORBIDDEN : Threat::DOUBLE_THREE;
  for_each_at_least(BLACK, min, [&](Point p) {
    if (const Forbidden why = forbidden(p); why != Forbidden::NONE) visit(p, why);
  });
}

}  // namespace tengen
