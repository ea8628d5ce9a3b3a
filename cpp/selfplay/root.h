// SPDX-License-Identifier: MIT
// The root of a search: noise on its moves, which of them the next playout tries, and at the end
// the move to play, the policy and the value to learn. Two kinds: sequential halving over moves
// drawn by Gumbel noise (Danihelka and others, 2022), and PUCT with Dirichlet's noise. Relies on
// tree.h.
#pragma once

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "selfplay/tree.h"

namespace tengen::selfplay {

/// Which move of a Gumbel root a playout goes to: one that has had so many visits.
class Schedule {
 public:
  /// For up to `considered` moves and `playouts` in all.
  Schedule(int considered, int playouts);
  /// Visits before playout number `playout` of the move that it goes to, if there are so many
  /// moves. Requires 1 <= moves.
  int visits_before(size_t moves, int playout) const {
    const auto& all = visits_[std::min(moves, visits_.size()) - 1];
    return all[static_cast<size_t>(playout)];
  }

 private:
  std::vector<std::vector<u16>> visits_;  ///< by the number of moves, less one
};

class Root {
 public:
  /// Begins a search: a root with these moves, and noise of this scale on them.
  void begin(Tree& tree, const Settings& settings, std::span<Choice> choices, double temperature,
             Rng& rng);

  /// The edge that a playout of this number goes to. Requires that not all moves lose.
  u32 pick(Tree& tree, const Schedule& schedule, int playout) const;

  /// After the search: the edge to play.
  u32 best(Tree& tree, double temperature, Rng& rng) const;
  /// After the search: the policy to learn, a weight for each edge of the root; they add up to 1.
  const std::vector<float>& policy(Tree& tree);
  /// After policy(): the value to learn.
  Result value(Tree& tree) const;

 private:
  void draw_moves(std::span<Choice> choices, double temperature, Rng& rng);
  static void add_noise(std::span<Choice> choices, const Settings& settings, Rng& rng);
  u32 pick_considered(Tree& tree, int wanted) const;
  u32 best_drawn(Tree& tree) const;
  u32 draw_by_visits(Tree& tree, double temperature, Rng& rng) const;
  void improve(Tree& tree);

  bool gumbel_ = true;
  size_t considered_ = 0;
  std::vector<float> draws_;  ///< of each edge: logit, with noise
  std::vector<float> policy_;
};

}  // namespace tengen::selfplay
