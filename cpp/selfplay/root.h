// SPDX-License-Identifier: MIT
// The root of a search: noise, move selection, and at the end the move to play and the training
// targets. Either sequential halving with Gumbel noise (Danihelka et al., 2022) or PUCT with
// Dirichlet noise.
#pragma once

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "selfplay/tree.h"

namespace tengen::selfplay {

/// Playout schedule of a Gumbel root: the visit count of the move that each playout goes to.
class Schedule {
 public:
  /// For up to `considered` moves and `playouts` in total.
  Schedule(int considered, int playouts);
  /// Visits, before this playout, of the move it goes to. Requires 1 <= moves.
  int visits_before(size_t moves, int playout) const {
    const auto& all = visits_[std::min(moves, visits_.size()) - 1];
    return all[static_cast<size_t>(playout)];
  }

 private:
  std::vector<std::vector<u16>> visits_;  ///< by number of moves - 1
};

class Root {
 public:
  /// Starts a search with these moves and noise of this scale.
  void begin(Tree& tree, const Settings& settings, std::span<MovePrior> moves, double temperature,
             Rng& rng);

  /// The edge of a playout. Requires that not all moves lose.
  u32 pick(Tree& tree, const Schedule& schedule, int playout) const;

  /// After the search: the edge to play.
  u32 best(Tree& tree, double temperature, Rng& rng) const;
  /// After the search: policy target, one weight per root edge; the sum is 1.
  const std::vector<float>& policy(Tree& tree);
  /// After policy(): value target.
  Result value(Tree& tree) const;

 private:
  void sample_moves(std::span<MovePrior> moves, double temperature, Rng& rng);
  static void add_noise(std::span<MovePrior> moves, const Settings& settings, Rng& rng);
  u32 pick_considered(Tree& tree, int target_visits) const;
  u32 best_sampled(Tree& tree) const;
  u32 sample_by_visits(Tree& tree, double temperature, Rng& rng) const;
  void improve(Tree& tree);

  bool gumbel_ = true;
  size_t considered_ = 0;
  std::vector<float> sampled_scores_;  ///< of each edge: logit plus noise
  std::vector<float> policy_;
};

}  // namespace tengen::selfplay
