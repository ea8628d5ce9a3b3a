// SPDX-License-Identifier: MIT
// Move selection: equations 9 to 12 of the Mixnet paper (with the prior that its equation 10
// omits), and generalised PUCT (docs/mcts.md).
#pragma once

#include "search/mcts/settings.h"
#include "search/mcts/tree.h"

namespace tengen::mcts {

class Puct {
 public:
  explicit Puct(const MctsSettings& settings) : settings_(settings) {}

  /// The edge with the greatest Q + U; nullptr: the next unvisited move is better, or all moves are
  /// proven. The first of equals. Requires the node's lock.
  Edge* pick(Tree& tree, const Node& node) const;

  /// c(s) * visits^tau, the part of U that does not depend on the move.
  double exploration(u64 visits) const;
  /// Multiplier of the exploration by the standard deviation of results; 1 at its prior.
  double utility_stdev_factor(const Node& node) const;
  /// Q of an unvisited move (first-play urgency).
  double first_play(const Node& node) const;

 private:
  MctsSettings settings_;
};

}  // namespace tengen::mcts
