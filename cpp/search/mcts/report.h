// SPDX-License-Identifier: MIT
// What a tree says: the moves of the root by their worth, their values and lines. Relies on tree.h
// and searcher.h; mcts.h relies on it.
#pragma once

#include <vector>

#include "search/mcts/gumbel.h"
#include "search/mcts/settings.h"
#include "search/mcts/tree.h"
#include "search/searcher.h"

namespace tengen::mcts {

/// A move of the root.
struct RankedMove {
  Point move = NO_POINT;
  u32 visits = 0;
  Value value = 0;   ///< for the side to move; a mate if it is decided
  double worth = 0;  ///< the greater, the better; what it counts in depends on the settings
  Index child = NO_BLOCK;
};

/// The moves of the root that were tried, best first: wins, the quickest first; then by the lower
/// bound of their value (or by visits, or by sequential halving); losses, the longest first. May be
/// asked while workers run.
std::vector<RankedMove> ranked_moves(Tree& tree, Index root, const MctsSettings& settings,
                                     const GumbelRoot* gumbel);

/// The moves that are played most from a move of the root on, which comes first.
struct Line {
  std::vector<Point> moves;
  bool is_drawn = false;  ///< whether it ends in a position that is known to be drawn
};
Line line_of(Tree& tree, const RankedMove& first);

/// What is asked of a node below the root.
struct Summary {
  Proof proof;
  u32 playouts = 0;
  double square = 0;  ///< average of their results' squares, with one result of a coin
};
/// Lower bound of an edge's value: `errors` standard errors below its average.
double lower_bound(const Edge& edge, const Summary& child, double errors);

}  // namespace tengen::mcts
