// SPDX-License-Identifier: MIT
// PatternBoard::has_followup_four. A four needs three stones in a window of five cells, and the
// stone that makes it. If all three are on the board, it is one of the fours that are possible now.
// If one of them is the stone of an earlier four, the new four is on a line of that stone; if two
// are, they share a window.
#include <cstdlib>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

constexpr int FIVE_REACH = 4;  ///< maximum distance of two points of a five

/// If there are more, has_followup_four() returns true: comparing them costs too much.
constexpr int MAX_FOURS = 8;

/// Whether two points can be part of one five.
bool can_share_five(Point p, Point q) {
  const int dx = std::abs(x_of(p) - x_of(q)), dy = std::abs(y_of(p) - y_of(q));
  return dx <= FIVE_REACH && dy <= FIVE_REACH && (dx == 0 || dy == 0 || dx == dy);
}

}  // namespace

/// The only defence against a four at p on one line, if no further four follows there; else
/// NO_POINT.
Point PatternBoard::only_defence(Colour colour, Point p, Direction d) const {
  const int index = index_on_line(p, d);
  LineWord line = lines_.words[d][line_of(p, d)] | stone_on_line(colour, index);
  const auto shape_at = [&](int n) {
    const bool empty = (line >> (2 * (index + n)) & 3) == EMPTY;
    return empty ? shape_of(tables_->shapes[key_at(line, index + n)], colour) : Shape::NONE;
  };
  int five = 0;  // steps from p to the point that completes the five
  for (int n = -FIVE_REACH; n <= FIVE_REACH; ++n)
    if (shape_at(n) == Shape::FIVE) five = n;
  if (five == 0) return NO_POINT;
  line |= stone_on_line(opponent(colour), index + five);
  for (int n = -FIVE_REACH; n <= FIVE_REACH; ++n)
    if (const Shape shape = shape_at(n); shape >= Shape::FOUR && shape != Shape::OVERLINE)
      return NO_POINT;
  return shifted(p, d, five);
}

bool PatternBoard::has_followup_four(Colour colour) const {
  if (rule() != Rule::FREESTYLE && rule() != Rule::STANDARD) return true;
  const Counts& counts = this->counts(colour);
  for (int more = static_cast<int>(Threat::FOUR) + 1; more < THREAT_NB; ++more)
    if (counts[more] > 0) return true;
  if (counts[static_cast<int>(Threat::FOUR)] > MAX_FOURS) return true;

  PointList<MAX_FOURS> fours, defences;
  bool isolated = true;  // none of the fours found so far can lead to another
  for_each_at_least(colour, Threat::FOUR, [&](Point p) {
    for (const Direction d : DIRECTIONS) {
      const Shape made = shape(colour, p, d);
      if (made == Shape::THREE) isolated = false;
      if (made != Shape::FOUR || !isolated) continue;
      const Point defence = only_defence(colour, p, d);
      isolated = defence != NO_POINT;
      for (int i = 0; i < fours.size() && isolated; ++i)
        isolated = fours[i] == defence || defences[i] == p || !can_share_five(fours[i], p);
      fours.push(p);
      defences.push(defence);
    }
  });
  return !isolated;
}

}  // namespace tengen
