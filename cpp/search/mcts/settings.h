// SPDX-License-Identifier: MIT
// What can be set on a Monte-Carlo tree search. Relies on base.
#pragma once

#include "base/types.h"

namespace tengen {

struct MctsSettings {
  /// The factor of exploration is c + c_log * ln(1 + visits / c_base).
  double c = 1.0;
  double c_log = 0.4;
  double c_base = 500;
  /// Exploration grows with visits^tau; at 0.5 it is PUCT.
  double tau = 0.5;
  /// By how much a move that was never tried is thought worse than its position.
  double fpu = 0.1;
  /// How much more it explores where results differ much, and less where they do not; 0: not at
  /// all.
  double spread = 0.7;
  /// Standard errors that the move to play is marked down by; 0: the most visited one is played.
  double lcb = 2.3;
  /// Of the policy: above 1 it is flattened, below it is sharpened.
  double temperature = 1.25;
  /// Moves that the root begins with under sequential halving; 0: PUCT at the root, too.
  int gumbel = 0;
  /// Scale of the random numbers that choose them; 0: the policy alone does.
  double gumbel_noise = 0;
  /// Leaves asked about at once, where the evaluation gains by it.
  int batch = 16;
  bool vcf = true;    ///< looks for wins by fours at the leaves and at the root
  bool reuse = true;  ///< goes on from the tree of the search before
  u64 seed = 0;       ///< of gumbel_noise
};

}  // namespace tengen
