// SPDX-License-Identifier: MIT
// PatternBoard::defences: looks up the shape with an opponent's stone on every cell of the threat's
// line.
#include <algorithm>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

/// Whether the shape is still the threat: a five, or else an open four or a double four.
bool still_holds(Shape shape, bool five) {
  return five ? shape == Shape::FIVE : shape == Shape::OPEN_FOUR || shape == Shape::DOUBLE_FOUR;
}

}  // namespace

DefencePoints PatternBoard::defences(Colour colour, Point p) const {
  const bool five = threat(colour, p) == Threat::FIVE;
  DefencePoints points;
  int lines = 0;
  for (const Direction d : DIRECTIONS) {
    if (!still_holds(shape(colour, p, d), five)) continue;
    points.clear();
    points.push(p);
    if (++lines == 2) return points;  // no other point lies on both lines
    const LineKey key = lines_.key(p, d);
    for (int i = 0; i < KEY_CELLS; ++i) {
      if (key_stone(key, i) != EMPTY) continue;
      const auto pair = tables_->shapes[key_with(key, i, opponent(colour))];
      if (!still_holds(shape_of(pair, colour), five)) points.push(shifted(p, d, key_offset(i)));
    }
  }
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace tengen
