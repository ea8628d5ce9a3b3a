// SPDX-License-Identifier: MIT
// Which techniques an alpha-beta search uses. Made so that each can be switched off and its worth
// be measured; the paper's player is all of them off and a bound on the branching.
#pragma once

#include "base/types.h"

namespace tengen {

struct AlphaBetaSettings {
  bool vcf_quiescence = true;  ///< looks for wins by fours at the leaves and on the way
  bool history = true;         ///< orders moves by what cut off before
  bool late_move_reductions = true;
  bool null_move = true;
  bool singular_extensions = true;
  /// Futility, razoring, pruning of late moves, extensions, aspiration windows.
  bool selectivity = true;
  /// If not 0: a search of the given depth at once, no iterations; at the root so many moves are
  /// tried, deeper down fewer.
  int branching = 0;

  /// The player of the classical paper.
  static constexpr AlphaBetaSettings paper(int branching) {
    return {false, false, false, false, false, false, branching};
  }
};

}  // namespace tengen
