// SPDX-License-Identifier: MIT
// What self-play is told before it begins. `tengen.zero.settings` has the same fields with the
// sentences for users, and checks them. Relies on game.
#pragma once

#include "game/point.h"
#include "game/rule.h"

namespace tengen::selfplay {

/// Most moves of a policy that a row can hold.
inline constexpr int MAX_POLICY_MOVES = 64;

struct Settings {
  int size = 15;
  Rule rule = Rule::FREESTYLE;
  int games = 4096;  ///< at once, in all groups together
  int groups = 2;    ///< of games that are advanced in turn
  int threads = 0;   ///< 0: one for each core
  u64 seed = 1;
  bool by_colour = false;  ///< leaves with black to move come first in a batch
  bool by_mover = false;   ///< those of black's searches do, whoever is to move in them

  int playouts = 64;        ///< of a full search
  int small_playouts = 16;  ///< of the others
  double full_share = 0.5;  ///< of the moves that have a full search

  bool gumbel = true;         ///< the root; false: PUCT with noise
  int considered = 16;        ///< moves of a Gumbel root
  double gumbel_visits = 50;  ///< what values count for before there are visits
  double gumbel_scale = 1;    ///< logits that a whole game is worth for each of those
  double c = 1;               ///< PUCT's factor
  double fpu = 0.1;           ///< what a move that was not tried is thought to be worse
  double noise_total = 10;    ///< sum of the parameters of Dirichlet's distribution
  double noise_share = 0.25;  ///< of the prior at a PUCT root
  double temperature = 1;     ///< scale of Gumbel noise, or power 1 / t of visits
  double late_temperature = 0.25;
  int early_moves = 14;  ///< stones on the board at which `late_temperature` begins
  int move_limit = 0;    ///< the game is drawn then; 0: none

  int leaf_vcf = 32;          ///< plays of VCF at a leaf
  int root_vcf = 1000;        ///< the same before a move is searched for
  bool cut_off = true;        ///< a win that the solver finds ends the game
  double won_share = 0.3;     ///< of the positions won by threats that become rows
  double faced_share = 0.05;  ///< the same of those with a lone reply

  int opening_least = 2;  ///< stones
  int opening_most = 7;
  int opening_tries = 4;        ///< of which the most balanced is played
  double opening_noise = 0.15;  ///< most that is added to how unbalanced one looks

  int policy_moves = 16;   ///< of a row
  bool symmetries = true;  ///< a random one for each leaf
  bool reuse = true;       ///< answers of nets are kept from one move to the next
};

}  // namespace tengen::selfplay
