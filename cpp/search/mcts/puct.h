// SPDX-License-Identifier: MIT
// Which move a playout tries: equations 9 to 12 of the Mixnet paper, with the probability of the
// move that its equation 10 lost, and generalised PUCT (docs/mcts.md). Relies on tree.h.
#pragma once

#include "search/mcts/settings.h"
#include "search/mcts/tree.h"

namespace tengen::mcts {

class Puct {
 public:
  explicit Puct(const MctsSettings& settings) : settings_(settings) {}

  /// The edge with the greatest Q + U, or nullptr: then the next untried move has it, or, if there
  /// is none, every move is settled. Of equals the first. Requires the node's lock.
  Edge* pick(Tree& tree, const Node& node) const;

  /// c(s) * visits^tau: what U is before the probability of a move and its own visits count.
  double exploration(u64 visits) const;
  /// What that is multiplied by: 1 where results are spread as they usually are.
  double liveliness(const Node& node) const;
  /// The value of a move that was not tried.
  double first_play(const Node& node) const;

 private:
  MctsSettings settings_;
};

}  // namespace tengen::mcts
