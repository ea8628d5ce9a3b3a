// SPDX-License-Identifier: MIT
// When to leave a branch alone: the margins of the search as small pure functions. Values are in
// points (200 to a logit of the win rate), depths in plies.
#pragma once

#include <algorithm>

#include "base/tunable.h"
#include "eval/value.h"

namespace tengen::pruning {

TUNABLE(RAZOR_BASE, 68, 50, 900, 40, "points that the static value may lack at depth 0");
TUNABLE(RAZOR_SLOPE, 136, 30, 600, 25, "the same, more for each ply of depth");
TUNABLE(RAZOR_DEPTH, 3, 0, 8, 1, "plies up to which a hopeless node is given up");

/// A node whose static value lacks more than this for alpha is given up: it has no win by fours,
/// and quiet moves will not make up for so much.
inline Value razor_margin(int depth) { return RAZOR_BASE + RAZOR_SLOPE * depth; }

TUNABLE(FUTILITY_SLOPE, 47, 20, 300, 12, "points a ply that the static value may fall back");
TUNABLE(FUTILITY_IMPROVING, 26, 0, 200, 12, "points less where the value is rising");
TUNABLE(FUTILITY_DEPTH, 8, 0, 16, 1, "plies up to which a node far above beta is cut off");

/// A node whose static value is above beta by this much is cut off.
inline Value futility_margin(int depth, bool improving) {
  return FUTILITY_SLOPE * depth - (improving ? FUTILITY_IMPROVING : 0);
}

TUNABLE(NULL_BASE, 3, 1, 6, 1, "plies by which a search after a pass is reduced");
TUNABLE(NULL_DEPTH_PART, 4, 2, 12, 1, "one more for so many plies of depth");
TUNABLE(NULL_VALUE_PART, 91, 60, 800, 40, "one more for so many points above beta, up to three");
TUNABLE(NULL_LEAST_DEPTH, 3, 1, 8, 1, "plies from which on passes are tried");

inline int null_reduction(int depth, Value above_beta) {
  return NULL_BASE + depth / NULL_DEPTH_PART +
         std::min<int>(static_cast<int>(above_beta / NULL_VALUE_PART), 3);
}

TUNABLE(LATE_BASE, 1, 1, 30, 2, "moves tried at depth 0 before the rest is left out");
TUNABLE(LATE_SLOPE, 1, 1, 20, 1,
        "more of them for each ply, half of it where the value is falling");
TUNABLE(LATE_DEPTH, 8, 0, 16, 1, "plies up to which late moves are left out");

/// How many moves are tried at a node with little depth left.
inline int late_move_count(int depth, bool improving) {
  const int moves = LATE_BASE + LATE_SLOPE * depth + depth * depth;
  return improving ? moves : (moves + LATE_BASE) / 2;
}

TUNABLE(QUIET_BASE, 220, 30, 800, 30, "points that a quiet move may gain at depth 0");
TUNABLE(QUIET_SLOPE, 125, 20, 500, 20, "more for each ply");
TUNABLE(QUIET_DEPTH, 5, 0, 12, 1, "plies up to which moves that gain too little are left out");

/// A quiet move is left out if the static value lacks more than this for alpha.
inline Value quiet_margin(int depth) { return QUIET_BASE + QUIET_SLOPE * depth; }

TUNABLE(SINGULAR_LEAST_DEPTH, 7, 4, 14, 1, "plies from which on a lone good move is looked for");
TUNABLE(SINGULAR_MARGIN, 12, 2, 60, 4, "points a ply by which all other moves must be worse");

inline Value singular_beta(Value value, int depth) { return value - SINGULAR_MARGIN * depth; }

TUNABLE(ASPIRATION, 14, 10, 300, 10, "half width of the first window around the last value");

TUNABLE(VCF_LEAST_DEPTH, 4, 1, 12, 1,
        "plies from which on wins by fours are looked for on the way");
TUNABLE(VCF_LEAF_NODES, 24, 8, 2000, 20, "plays of VCF at a leaf");
TUNABLE(VCF_DEPTH_NODES, 16, 0, 2000, 20, "more of them for each ply of depth");

inline u64 vcf_nodes(int depth) {
  return static_cast<u64>(VCF_LEAF_NODES) +
         static_cast<u64>(VCF_DEPTH_NODES) * static_cast<u64>(std::max(depth, 0));
}

}  // namespace tengen::pruning
