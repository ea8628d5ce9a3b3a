// SPDX-License-Identifier: MIT
// Techniques of the alpha-beta search. Each can be switched off to measure its effect; the
// classical paper's player uses none of them and limits the branching.
#pragma once

#include "base/types.h"

namespace tengen {

struct AlphaBetaSettings {
  bool vcf_quiescence = true;  ///< VCF at leaves and inner nodes
  bool history = true;         ///< history heuristics in move ordering
  bool late_move_reductions = true;
  bool null_move = true;
  bool singular_extensions = true;
  /// Futility, razoring, late move pruning, extensions, aspiration windows.
  bool selectivity = true;
  /// Not 0: one search of the full depth without iterations, with this many root moves and fewer at
  /// deeper plies.
  int branching = 0;

  /// The player of the classical paper.
  static constexpr AlphaBetaSettings paper(int branching) {
    return {false, false, false, false, false, false, branching};
  }
};

}  // namespace tengen
