// SPDX-License-Identifier: MIT
// Fours that lead to no other one: PatternBoard::has_only_lonely_fours. A further four needs three
// stones in a window of five cells. If all three are there before, it is one of these fours. If one
// is new, it is found on the lines of that stone; if more are, two of them share a window.
#include <cstdlib>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

constexpr int FIVE_REACH = 4;  ///< two points of a five are so far apart at most

/// More of them are seldom without any link, and take long to compare.
constexpr int MOST_FOURS = 8;

/// Whether two points can be part of one five.
bool can_share_five(Point p, Point q) {
  const int dx = std::abs(x_of(p) - x_of(q)), dy = std::abs(y_of(p) - y_of(q));
  return dx <= FIVE_REACH && dy <= FIVE_REACH && (dx == 0 || dy == 0 || dx == dy);
}

}  // namespace

/// The answer to a four at p on one line, if no further four comes of it there; else NO_POINT.
Point PatternBoard::answer_that_ends(Colour colour, Point p, Direction d) const {
  const int place = place_on_line(p, d);
  LineWord line = lines_.words[d][line_of(p, d)] | stone_on_line(colour, place);
  const auto shape_at = [&](int n) {
    const bool empty = (line >> (2 * (place + n)) & 3) == EMPTY;
    return empty ? shape_of(tables_->shapes[key_at(line, place + n)], colour) : Shape::NONE;
  };
  int answer = 0;
  for (int n = -FIVE_REACH; n <= FIVE_REACH; ++n)
    if (shape_at(n) == Shape::FIVE) answer = n;
  if (answer == 0) return NO_POINT;
  line |= stone_on_line(opponent(colour), place + answer);
  for (int n = -FIVE_REACH; n <= FIVE_REACH; ++n)
    if (const Shape shape = shape_at(n); shape >= Shape::FOUR && shape != Shape::OVERLINE)
      return NO_POINT;
  return shifted(p, d, answer);
}

bool PatternBoard::has_only_lonely_fours(Colour colour) const {
  if (rule() != Rule::FREESTYLE && rule() != Rule::STANDARD) return false;
  const Counts& counts = this->counts(colour);
  for (int more = static_cast<int>(Threat::FOUR) + 1; more < THREAT_NB; ++more)
    if (counts[more] > 0) return false;
  if (counts[static_cast<int>(Threat::FOUR)] > MOST_FOURS) return false;

  PointList<MOST_FOURS> fours, answers;
  bool lonely = true;
  for_each_at_least(colour, Threat::FOUR, [&](Point p) {
    for (const Direction d : DIRECTIONS) {
      const Shape made = shape(colour, p, d);
      if (made == Shape::THREE) lonely = false;
      if (made != Shape::FOUR || !lonely) continue;
      const Point answer = answer_that_ends(colour, p, d);
      lonely = answer != NO_POINT;
      for (int i = 0; i < fours.size() && lonely; ++i)
        lonely = fours[i] == answer || answers[i] == p || !can_share_five(fours[i], p);
      fours.push(p);
      answers.push(answer);
    }
  });
  return lonely;
}

}  // namespace tengen
