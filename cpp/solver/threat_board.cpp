// SPDX-License-Identifier: MIT
#include "solver/threat_board.h"

#include <algorithm>

namespace tengen {

namespace {

constexpr int NO_LIMIT = 1 << 20;

/// In caro a five that is blocked at both ends does not win, so a four may have several defences,
/// and one defence may stop two fives.
bool can_block_ends(Rule rule) { return rule == Rule::CARO || rule == Rule::CARO6; }

}  // namespace

void ThreatBoard::assign(const Cells& cells, int moves_left) {
  patterns_.assign(cells);
  hash_ = 0;
  moves_left_ = moves_left > 0 ? moves_left : NO_LIMIT;
  int stones = 0;
  for (const Point p : board_points(size())) {
    if (cells[p] == EMPTY) continue;
    ++stones;
    hash_ ^= ZOBRIST.stone[side_index(cells[p])][p];
  }
  end_ = moves_left > 0 ? stones + moves_left : 0;
  if (end_ > 0) hash_ ^= end_key(end_);
}

bool ThreatBoard::can_make_four(Colour colour) const {
  const PatternBoard::Counts& counts = patterns_.counts(colour);
  int sum = 0;
  for (int t = static_cast<int>(Threat::FOUR); t < THREAT_NB; ++t) sum += counts[t];
  return sum > 0;
}

Point ThreatBoard::five_point(Colour colour) const {
  Point result = NO_POINT;
  patterns_.for_each_at_least(colour, Threat::FIVE, [&](Point p) {
    if (result == NO_POINT) result = p;
  });
  return result;
}

Point ThreatBoard::five_point_near(Colour colour, Point p) const {
  for (const Direction d : DIRECTIONS)
    for (int n = 1; n <= 4; ++n) {
      if (const Point q = shifted(p, d, n); patterns_.threat(colour, q) == Threat::FIVE) return q;
      if (const Point q = shifted(p, d, -n); patterns_.threat(colour, q) == Threat::FIVE) return q;
    }
  return five_point(colour);
}

DefencePoints ThreatBoard::defences(Colour colour, Point near) const {
  DefencePoints result;
  const Colour other = opponent(colour);
  const int fives = patterns_.count(colour, Threat::FIVE);
  if (!can_block_ends(rule())) {
    if (fives > 1) return result;  // only the point itself stops a five
    const Point p = near == NO_POINT ? five_point(colour) : five_point_near(colour, near);
    if (patterns_.is_legal(other, p)) result.push(p);
    return result;
  }
  bool first = true;
  patterns_.for_each_at_least(colour, Threat::FIVE, [&](Point p) {
    const DefencePoints stops = patterns_.defences(colour, p);
    if (first)
      result = stops;
    else
      result.keep_if([&](Point q) { return stops.contains(q); });
    first = false;
  });
  return result;
}

}  // namespace tengen
