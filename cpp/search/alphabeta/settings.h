// SPDX-License-Identifier: MIT
// Techniques of the alpha-beta search. Each can be switched off to measure its effect; the
// fixed-depth baseline uses none of them and limits the moves per node.
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
  bool pruning = true;
  /// Not 0: one search of the full depth without iterations, with this many root moves and fewer at
  /// deeper plies.
  int max_candidates = 0;

  /// Fixed-depth baseline: the search of the paper that docs/evaluation.md describes.
  static constexpr AlphaBetaSettings fixed_depth(int max_candidates) {
    return {false, false, false, false, false, false, max_candidates};
  }

  bool operator==(const AlphaBetaSettings&) const = default;
};

}  // namespace tengen
