// SPDX-License-Identifier: MIT
#include "search/movegen.h"

namespace tengen {

namespace {

void add_all(const Position& position, std::vector<ScoredMove>& moves) {
  const size_t first = moves.size();
  const auto add = [&](Point p) {
    if (position.patterns().is_legal(position.side(), p)) moves.push_back({p, 0});
  };
  position.for_each_near(add);
  if (moves.size() == first) position.for_each_empty(add);
}

/// The side's own fours gain a tempo. Any other move must stop every open four that the opponent
/// threatens.
void add_defences(const Position& position, std::vector<ScoredMove>& moves) {
  const PatternBoard& patterns = position.patterns();
  const Colour side = position.side(), other = opponent(side);
  const auto add = [&](Point p) {
    if (patterns.is_legal(side, p)) moves.push_back({p, 0});
  };
  patterns.for_each_at_least(side, Threat::FOUR, add);
  DefencePoints defences;
  bool first = true;
  patterns.for_each_at_least(other, Threat::OPEN_FOUR, [&](Point p) {
    const DefencePoints stops = patterns.defences(other, p);
    if (first)
      defences = stops;
    else
      defences.keep_if([&stops](Point q) { return stops.contains(q); });
    first = false;
  });
  for (const Point p : defences)
    if (patterns.threat(side, p) < Threat::FOUR) add(p);
}

}  // namespace

ForcedReply forced_reply(const Position& position) {
  const PatternBoard& patterns = position.patterns();
  const Colour other = opponent(position.side());
  if (patterns.count(other, Threat::FIVE) > 0) return ForcedReply::BLOCK_FOUR;
  return patterns.count(other, Threat::OPEN_FOUR) > 0 ? ForcedReply::BLOCK_OPEN_THREE
                                                      : ForcedReply::NONE;
}

void generate_moves(const Position& position, ForcedReply forced, Point last,
                    std::vector<ScoredMove>& moves) {
  switch (forced) {
    case ForcedReply::BLOCK_FOUR:
      for (const Point p : position.threats().defences(opponent(position.side()), last))
        moves.push_back({p, 0});
      return;
    case ForcedReply::BLOCK_OPEN_THREE: return add_defences(position, moves);
    case ForcedReply::NONE: return add_all(position, moves);
  }
}

}  // namespace tengen
