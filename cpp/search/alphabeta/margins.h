// SPDX-License-Identifier: MIT
// The numbers of the search that are tuned: when to leave a branch alone, by how much to reduce,
// how to order. Each has a value for the classical evaluation and one for nets, whose values and
// scores of moves are spread otherwise. Values are in points (200 to a logit of the win rate),
// depths in plies, reductions in 1/1024 plies. Relies on base, eval/value.h and game/rule.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "base/tunable.h"
#include "eval/value.h"
#include "game/rule.h"

// X(field, name, with tables, with a net, least, most, step, meaning); a net's is NET_name.
// clang-format off
#define TENGEN_MARGINS(X) \
  X(razor_base, RAZOR_BASE, 68, 114, 50, 900, 40, "points that the static value may lack at depth 0") \
  X(razor_slope, RAZOR_SLOPE, 136, 240, 30, 600, 25, "the same, more for each ply of depth") \
  X(razor_depth, RAZOR_DEPTH, 3, 3, 0, 8, 1, "plies up to which a hopeless node is given up") \
  X(futility_slope, FUTILITY_SLOPE, 47, 39, 20, 300, 12, "points a ply that the static value may fall back") \
  X(futility_improving, FUTILITY_IMPROVING, 26, 29, 0, 200, 12, "points less where the value is rising") \
  X(futility_depth, FUTILITY_DEPTH, 8, 8, 0, 16, 1, "plies up to which a node far above beta is cut off") \
  X(null_base, NULL_BASE, 3, 3, 1, 6, 1, "plies by which a search after a pass is reduced") \
  X(null_depth_part, NULL_DEPTH_PART, 4, 4, 2, 12, 1, "one more for so many plies of depth") \
  X(null_value_part, NULL_VALUE_PART, 91, 184, 60, 800, 40, "one more for so many points above beta, up to three") \
  X(null_least_depth, NULL_LEAST_DEPTH, 3, 3, 1, 8, 1, "plies from which on passes are tried") \
  X(late_base, LATE_BASE, 1, 1, 1, 30, 2, "moves tried at depth 0 before the rest is left out") \
  X(late_slope, LATE_SLOPE, 1, 1, 1, 20, 1, "more of them for each ply, half of it where the value is falling") \
  X(late_square, LATE_SQUARE, 16, 16, 0, 32, 2, "1/16 of the square of the depth, as many more of them") \
  X(late_depth, LATE_DEPTH, 8, 8, 0, 16, 1, "plies up to which late moves are left out") \
  X(quiet_base, QUIET_BASE, 220, 195, 30, 800, 30, "points that a quiet move may gain at depth 0") \
  X(quiet_slope, QUIET_SLOPE, 125, 103, 20, 500, 20, "more for each ply") \
  X(quiet_depth, QUIET_DEPTH, 5, 5, 0, 12, 1, "plies up to which moves that gain too little are left out") \
  X(singular_least_depth, SINGULAR_LEAST_DEPTH, 7, 7, 4, 14, 1, "plies from which on a lone good move is looked for") \
  X(singular_margin, SINGULAR_MARGIN, 12, 12, 2, 60, 4, "points a ply by which all other moves must be worse") \
  X(aspiration, ASPIRATION, 14, 16, 10, 300, 10, "half width of the first window around the last value") \
  X(vcf_least_depth, VCF_LEAST_DEPTH, 4, 4, 1, 12, 1, "plies from which on wins by fours are looked for on the way") \
  X(vcf_leaf_nodes, VCF_LEAF_NODES, 24, 24, 8, 2000, 20, "plays of VCF at a leaf") \
  X(vcf_depth_nodes, VCF_DEPTH_NODES, 16, 16, 0, 2000, 20, "more of them for each ply of depth") \
  X(rough_base, ROUGH_BASE, 80, 89, 0, 1000, 20, "points from the window from which a guess will do at depth 0") \
  X(rough_slope, ROUGH_SLOPE, 12, 14, 0, 100, 5, "the same, more for each ply of depth") \
  X(rough_mend, ROUGH_MEND, 32, 30, 0, 96, 8, "1/64 of what the last evaluation added to a guess, for the next one") \
  X(lmr_base, LMR_BASE, 550, 180, -1000, 2000, 100, "1/1024 plies by which every late move is reduced") \
  X(lmr_scale, LMR_SCALE, 1051, 1079, 100, 1500, 40, "1/1024 plies for the product of the two logarithms") \
  X(lmr_cut_node, LMR_CUT_NODE, 885, 840, 0, 2500, 100, "more at a node that should be cut off") \
  X(lmr_pv, LMR_PV, 432, 471, 0, 2500, 100, "less on the principal variation") \
  X(lmr_improving, LMR_IMPROVING, 299, 199, 0, 2000, 80, "more where the value is not rising") \
  X(lmr_history, LMR_HISTORY, 5, 7, 2, 40, 2, "points of history that make up for 1/1024 ply") \
  X(lmr_threat, LMR_THREAT, 1416, 1170, 0, 3000, 100, "less for a four or an open three") \
  X(lmr_score, LMR_SCORE, 500, 519, 0, 1500, 50, "more for each 200 points by which a move scores below the best") \
  X(lmr_threat_score, LMR_THREAT_SCORE, 16, 16, 0, 16, 4, "1/16 of that for a four or an open three") \
  X(order_killer, ORDER_KILLER, 43, 18, 0, 800, 30, "points for a move that refuted a sister node") \
  X(order_counter, ORDER_COUNTER, 179, 180, 0, 800, 30, "points for the move that last refuted the opponent's") \
  X(order_move, ORDER_MOVE, 23, 16, 4, 200, 4, "history of a move that is worth a point") \
  X(order_reply, ORDER_REPLY, 13, 13, 4, 200, 4, "history of a reply that is worth a point") \
  X(order_sequel, ORDER_SEQUEL, 16, 10, 4, 200, 4, "history of a sequel that is worth a point") \
  X(history_bonus, HISTORY_BONUS, 138, 118, 10, 600, 20, "history a ply of depth for the move that cut off") \
  X(history_most, HISTORY_MOST, 1600, 1600, 200, 6000, 100, "most history that one cut-off gives")
// clang-format on

namespace tengen {

namespace margins {
#define TENGEN_MARGIN(FIELD, NAME, TABLES, NET, MIN, MAX, STEP, MEANING) \
  TUNABLE(NAME, TABLES, MIN, MAX, STEP, MEANING);                        \
  TUNABLE(NET_##NAME, NET, MIN, MAX, STEP, "with a net: " MEANING);
TENGEN_MARGINS(TENGEN_MARGIN)
#undef TENGEN_MARGIN
TUNABLE(
    RENJU_LMR_THREAT_SCORE, 4, 0, 16, 4,
    "with nets in renju: 1/16 of what a score below the best reduces, for a four or an open three");
}  // namespace margins

/// The numbers of one search, as they are when it begins.
struct Margins {
#define TENGEN_MARGIN(FIELD, NAME, TABLES, NET, MIN, MAX, STEP, MEANING) int FIELD;
  TENGEN_MARGINS(TENGEN_MARGIN)
#undef TENGEN_MARGIN

  static constexpr int PLY = 1024;  ///< unit of reductions

  static Margins of_tables() {
#define TENGEN_MARGIN(FIELD, NAME, TABLES, NET, MIN, MAX, STEP, MEANING) margins::NAME,
    return {TENGEN_MARGINS(TENGEN_MARGIN)};
#undef TENGEN_MARGIN
  }
  static Margins of_nets(Rule rule) {
#define TENGEN_MARGIN(FIELD, NAME, TABLES, NET, MIN, MAX, STEP, MEANING) margins::NET_##NAME,
    Margins found = {TENGEN_MARGINS(TENGEN_MARGIN)};
#undef TENGEN_MARGIN
    // What black may not do makes winners of fours that look like nothing to a policy.
    if (rule == Rule::RENJU) found.lmr_threat_score = margins::RENJU_LMR_THREAT_SCORE;
    return found;
  }

  /// A node whose static value lacks more than this for alpha is given up: it has no win by fours,
  /// and quiet moves will not make up for so much.
  Value razor(int depth) const { return razor_base + razor_slope * depth; }
  /// A guess at the static value that is so far outside the window need not be looked into.
  Value rough(int depth) const { return rough_base + rough_slope * std::max(depth, 0); }
  /// A node whose static value is above beta by this much is cut off.
  Value futility(int depth, bool improving) const {
    return futility_slope * depth - (improving ? futility_improving : 0);
  }
  int null_reduction(int depth, Value above_beta) const {
    return null_base + depth / null_depth_part +
           std::min<int>(static_cast<int>(above_beta / null_value_part), 3);
  }
  /// How many moves are tried at a node with little depth left.
  int late_move_count(int depth, bool improving) const {
    const int moves = late_base + late_slope * depth + late_square * depth * depth / 16;
    return improving ? moves : (moves + late_base) / 2;
  }
  /// A quiet move is left out if the static value lacks more than this for alpha.
  Value quiet(int depth) const { return quiet_base + quiet_slope * depth; }
  Value singular_beta(Value value, int depth) const { return value - singular_margin * depth; }
  u64 vcf_nodes(int depth) const {
    return static_cast<u64>(vcf_leaf_nodes) +
           static_cast<u64>(vcf_depth_nodes) * static_cast<u64>(std::max(depth, 0));
  }
  /// Reduction by depth and number of the move alone.
  int reduction(int depth, int move_number) const {
    const auto product = static_cast<i64>(scaled_log(depth)) * scaled_log(move_number) / PLY;
    return lmr_base + static_cast<int>(product * lmr_scale / PLY);
  }

 private:
  /// Logarithms in 1/1024.
  static int scaled_log(int n) {
    static const auto table = [] {
      std::array<int, 512> logs{};
      for (int i = 1; i < 512; ++i) logs[i] = static_cast<int>(std::lround(std::log(i) * PLY));
      return logs;
    }();
    return table[n < 511 ? n : 511];
  }
};

}  // namespace tengen
