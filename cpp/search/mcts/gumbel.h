// SPDX-License-Identifier: MIT
// Another way to choose at the root: of some moves, drawn by policy and Gumbel noise, the worse
// half is left out again and again while the playouts are spent evenly on the rest (sequential
// halving). Which move is then played depends on its draw and its value, not on visits. Deeper down
// PUCT chooses. Relies on tree.h.
#pragma once

#include <vector>

#include "search/mcts/settings.h"
#include "search/mcts/tree.h"

namespace tengen::mcts {

class GumbelRoot {
 public:
  /// Draws among the moves of a position with this key.
  GumbelRoot(const MctsSettings& settings, u64 key, std::span<const Choice> choices);

  /// The moves that were drawn, best first, with their probabilities: those of the root.
  const std::vector<Choice>& drawn() const { return drawn_; }

  /// How much of the search is done, from 0 to 1. Halves the moves when it is time. Requires the
  /// root's lock, as the next does.
  void set_progress(Tree& tree, const Node& root, double done);
  /// The edge to go down by; nullptr: the next untried move, or, if there is none, every move is
  /// settled.
  Edge* pick(Tree& tree, const Node& root);
  /// How good a move is, by its draw and its value; the most visited one has `most_visits`.
  double score(const Edge& edge, u32 most_visits) const;
  /// Whether the move is still among those that playouts are spent on.
  bool is_kept(Point move) const;

 private:
  std::vector<Choice> drawn_;
  std::vector<double> draws_;  ///< of the moves in the same order: logit and noise
  std::vector<Point> kept_;
  int phase_ = 0, phases_ = 1;
};

}  // namespace tengen::mcts
