// SPDX-License-Identifier: MIT
// Settings of self-play. `tengen.zero.play.selfplay` has the same fields with descriptions and
// ranges.
#pragma once

#include "game/point.h"
#include "game/rule.h"

namespace tengen::selfplay {

/// Maximum number of policy moves of a row.
inline constexpr int MAX_POLICY_MOVES = 64;

struct Settings {
  int size = 15;
  Rule rule = Rule::FREESTYLE;
  int games = 4096;  ///< in all groups
  int groups = 2;    ///< advanced in turn
  int threads = 0;   ///< 0: one per core
  u64 seed = 1;
  bool by_colour = false;  ///< leaves with black to move come first in a batch
  bool by_mover = false;   ///< leaves of black's searches come first in a batch

  int playouts = 64;        ///< of a full search
  int small_playouts = 16;  ///< of a reduced search
  double full_share = 0.5;  ///< fraction of moves with a full search

  bool gumbel = true;         ///< false: PUCT with Dirichlet noise
  int considered = 16;        ///< root moves considered by sequential halving
  double gumbel_visits = 50;  ///< base visit count of the value transform
  double gumbel_scale = 1;    ///< logits per visit for a value in [0, 1]
  double c = 1;               ///< PUCT exploration constant
  double fpu = 0.1;           ///< first-play urgency: reduction of the value of unvisited moves
  double noise_total = 10;    ///< total concentration of the Dirichlet distribution
  double noise_share = 0.25;  ///< fraction of noise in the priors of a PUCT root
  double temperature = 1;     ///< scale of Gumbel noise, or exponent 1 / t of visits
  double late_temperature = 0.25;
  int early_moves = 14;  ///< number of stones at which `late_temperature` starts
  int move_limit = 0;    ///< the game is drawn at this move; 0: no limit

  int leaf_vcf = 32;          ///< VCF nodes at a leaf
  int root_vcf = 1000;        ///< the same before a search
  bool cut_off = true;        ///< a win found by the solver ends the game
  double won_share = 0.3;     ///< fraction of positions won by threats that become rows
  double faced_share = 0.05;  ///< fraction of positions with a forced reply that become rows

  int opening_least = 2;        ///< minimum number of opening stones
  int opening_most = 7;         ///< maximum number of opening stones
  int opening_tries = 4;        ///< sampled openings, of which the most balanced is played
  double opening_noise = 0.15;  ///< maximum noise added to the imbalance

  int policy_moves = 16;   ///< per row
  bool symmetries = true;  ///< a random symmetry for each leaf
  bool reuse = true;       ///< reuse net outputs of the previous move's tree
};

}  // namespace tengen::selfplay
