// SPDX-License-Identifier: MIT
// Sequential halving at the root: samples moves by policy and Gumbel noise, then repeatedly drops
// the worse half while playouts are spread evenly over the rest. The move played depends on sampled
// score and value, not on visits. PUCT selects below the root.
#pragma once

#include <vector>

#include "search/mcts/settings.h"
#include "search/mcts/tree.h"

namespace tengen::mcts {

class GumbelRoot {
 public:
  /// Samples among the moves of a position with this key.
  GumbelRoot(const MctsSettings& settings, u64 key, std::span<const MovePrior> moves);

  /// The sampled moves, best first, with their priors.
  const std::vector<MovePrior>& sampled() const { return sampled_; }

  /// `done`: fraction of the search, from 0 to 1. Halves the moves when a phase ends. Requires the
  /// root's lock, like pick().
  void set_progress(Tree& tree, const Node& root, double done);
  /// The edge to descend by; nullptr: the next unvisited move, or all moves are proven.
  Edge* pick(Tree& tree, const Node& root);
  /// Sampled score plus value; `max_visits`: visits of the most visited move.
  double score(const Edge& edge, u32 max_visits) const;
  /// Whether playouts still go to the move.
  bool is_kept(Point move) const;

 private:
  std::vector<MovePrior> sampled_;
  std::vector<double> sampled_scores_;  ///< logit plus noise of each sampled move
  std::vector<Point> kept_;
  int phase_ = 0, phases_ = 1;
};

}  // namespace tengen::mcts
