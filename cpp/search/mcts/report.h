// SPDX-License-Identifier: MIT
// Root moves ranked for play, with values and principal variations.
#pragma once

#include <vector>

#include "search/mcts/gumbel.h"
#include "search/mcts/settings.h"
#include "search/mcts/tree.h"
#include "search/searcher.h"

namespace tengen::mcts {

/// A root move.
struct RankedMove {
  Point move = NO_POINT;
  u32 visits = 0;
  Value value = 0;        ///< for the side to move; a mate if proven
  double rank_score = 0;  ///< sort key; its unit depends on the settings
  Index child = NO_NODE;
};

/// Visited root moves, best first: wins (shortest first), then by lower confidence bound (or
/// visits, or sequential halving), then losses (longest first). May be called while workers run.
std::vector<RankedMove> ranked_moves(Tree& tree, Index root, const MctsSettings& settings,
                                     const GumbelRoot* gumbel);

/// Most visited line that starts with a root move.
struct Line {
  std::vector<Point> moves;
  bool is_drawn = false;  ///< ends in a proven draw
};
Line line_of(Tree& tree, const RankedMove& first);

/// Statistics of a node below the root.
struct NodeStats {
  ProvenResult proven_result;
  u32 visits = 0;
  double square = 0;  ///< mean squared result, with one virtual random result
};
/// `errors` standard errors below the mean of an edge.
double lower_bound(const Edge& edge, const NodeStats& child, double errors);

}  // namespace tengen::mcts
