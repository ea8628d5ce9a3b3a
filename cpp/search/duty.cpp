// SPDX-License-Identifier: MIT
#include "search/duty.h"

namespace tengen {

namespace {

void add_all(const Position& position, std::vector<ScoredMove>& moves) {
  const size_t first = moves.size();
  const auto add = [&](Point p) {
    if (position.patterns().may_play(position.side(), p)) moves.push_back({p, 0});
  };
  position.for_each_near(add);
  if (moves.size() == first) position.for_each_empty(add);
}

/// Fours of the side's own come first in time: each must be answered. Else every open four that
/// threatens has to be stopped, by one stone that does so for all of them.
void add_defences(const Position& position, std::vector<ScoredMove>& moves) {
  const PatternBoard& patterns = position.patterns();
  const Colour side = position.side(), other = opponent(side);
  const auto add = [&](Point p) {
    if (patterns.may_play(side, p)) moves.push_back({p, 0});
  };
  patterns.for_each_at_least(side, Threat::FOUR, add);
  Answers stops;
  bool first = true;
  patterns.for_each_at_least(other, Threat::OPEN_FOUR, [&](Point p) {
    const Answers answers = patterns.answers(other, p);
    if (first)
      stops = answers;
    else
      stops.keep_if([&answers](Point q) { return answers.contains(q); });
    first = false;
  });
  for (const Point p : stops)
    if (patterns.threat(side, p) < Threat::FOUR) add(p);
}

}  // namespace

Duty duty_of(const Position& position) {
  const PatternBoard& patterns = position.patterns();
  const Colour other = opponent(position.side());
  if (patterns.count(other, Threat::FIVE) > 0) return Duty::STOP_FIVE;
  return patterns.count(other, Threat::OPEN_FOUR) > 0 ? Duty::STOP_FOUR : Duty::NONE;
}

void add_moves(const Position& position, Duty duty, Point last, std::vector<ScoredMove>& moves) {
  switch (duty) {
    case Duty::STOP_FIVE:
      for (const Point p : position.threats().stops(opponent(position.side()), last))
        moves.push_back({p, 0});
      return;
    case Duty::STOP_FOUR: return add_defences(position, moves);
    case Duty::NONE: return add_all(position, moves);
  }
}

}  // namespace tengen
