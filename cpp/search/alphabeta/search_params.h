// SPDX-License-Identifier: MIT
// Tunable parameters of alpha-beta: pruning, reductions, move ordering. Each has one value for the
// classical evaluation and one for nets. Values are in evaluation units (EVAL_PER_LOGIT per logit
// of the win rate), depths in plies, reductions in 1/1024 ply.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "base/tunable.h"
#include "eval/value.h"
#include "game/rule.h"

// X(field, name, classical value, net value, min, max, step, meaning); the net's tunable is
// NET_name.
// clang-format off
#define TENGEN_SEARCH_PARAMS(X) \
  X(razor_base, RAZOR_BASE, 68, 114, 50, 900, 40, "razoring margin at depth 0") \
  X(razor_slope, RAZOR_SLOPE, 136, 240, 30, 600, 25, "razoring margin per ply") \
  X(razor_depth, RAZOR_DEPTH, 3, 3, 0, 8, 1, "maximum depth of razoring") \
  X(rfp_slope, RFP_SLOPE, 47, 39, 20, 300, 12, "reverse futility margin per ply") \
  X(rfp_improving, RFP_IMPROVING, 26, 29, 0, 200, 12, "reduction of that margin at improving nodes") \
  X(rfp_depth, RFP_DEPTH, 8, 8, 0, 16, 1, "maximum depth of reverse futility pruning") \
  X(null_base, NULL_BASE, 3, 3, 1, 6, 1, "null move reduction in plies") \
  X(null_depth_divisor, NULL_DEPTH_DIVISOR, 4, 4, 2, 12, 1, "depth per additional ply of null move reduction") \
  X(null_value_divisor, NULL_VALUE_DIVISOR, 91, 184, 60, 800, 40, "evaluation above beta per additional ply of null move reduction") \
  X(null_value_max, NULL_VALUE_MAX, 3, 3, 0, 8, 1, "maximum plies of null move reduction by evaluation") \
  X(null_min_depth, NULL_MIN_DEPTH, 3, 3, 1, 8, 1, "minimum depth of the null move") \
  X(lmp_base, LMP_BASE, 1, 1, 1, 30, 2, "late move pruning: moves searched at depth 0") \
  X(lmp_slope, LMP_SLOPE, 1, 1, 1, 20, 1, "late move pruning: more moves per ply; half of that at nodes that do not improve") \
  X(lmp_square, LMP_SQUARE, 16, 16, 0, 32, 2, "late move pruning: more moves per squared depth, in 1/16") \
  X(lmp_depth, LMP_DEPTH, 8, 8, 0, 16, 1, "maximum depth of late move pruning") \
  X(quiet_futility_base, QUIET_FUTILITY_BASE, 220, 195, 30, 800, 30, "futility margin of quiet moves at depth 0") \
  X(quiet_futility_slope, QUIET_FUTILITY_SLOPE, 125, 103, 20, 500, 20, "futility margin of quiet moves per ply") \
  X(quiet_futility_depth, QUIET_FUTILITY_DEPTH, 5, 5, 0, 12, 1, "maximum depth of futility pruning of quiet moves") \
  X(iir_min_depth, IIR_MIN_DEPTH, 4, 4, 2, 12, 1, "minimum depth of internal iterative reduction") \
  X(singular_min_depth, SINGULAR_MIN_DEPTH, 7, 7, 4, 14, 1, "minimum depth of singular extensions") \
  X(singular_margin, SINGULAR_MARGIN, 12, 12, 2, 60, 4, "margin per ply below the TT value in the singular search") \
  X(singular_tt_depth, SINGULAR_TT_DEPTH, 3, 3, 1, 8, 1, "plies by which the TT entry may be shallower than the node") \
  X(singular_depth_divisor, SINGULAR_DEPTH_DIVISOR, 2, 2, 1, 4, 1, "divisor of the depth of the singular search") \
  X(extension_limit, EXTENSION_LIMIT, 2, 2, 1, 4, 1, "multiple of the iteration depth up to which lines are extended") \
  X(aspiration, ASPIRATION, 14, 16, 10, 300, 10, "half width of the first aspiration window") \
  X(aspiration_min_depth, ASPIRATION_MIN_DEPTH, 4, 4, 1, 10, 1, "minimum depth of aspiration windows") \
  X(aspiration_growth, ASPIRATION_GROWTH, 3, 3, 2, 8, 1, "factor by which a failed window grows") \
  X(vcf_min_depth, VCF_MIN_DEPTH, 4, 4, 1, 12, 1, "minimum depth of VCF at inner nodes") \
  X(vcf_leaf_nodes, VCF_LEAF_NODES, 24, 24, 8, 2000, 20, "VCF nodes at a leaf") \
  X(vcf_depth_nodes, VCF_DEPTH_NODES, 16, 16, 0, 2000, 20, "more VCF nodes per ply of depth") \
  X(lazy_base, LAZY_BASE, 80, 89, 0, 1000, 20, "distance from the window at which a lazy value is accepted at depth 0") \
  X(lazy_slope, LAZY_SLOPE, 12, 14, 0, 100, 5, "that distance per ply") \
  X(lazy_error_carry, LAZY_ERROR_CARRY, 32, 30, 0, 96, 8, "part of the last lazy error that is added to a lazy value, in 1/64") \
  X(lmr_min_depth, LMR_MIN_DEPTH, 2, 2, 1, 8, 1, "minimum depth of late move reductions") \
  X(lmr_base, LMR_BASE, 550, 180, -1000, 2000, 100, "late move reduction of any move, in 1/1024 ply") \
  X(lmr_scale, LMR_SCALE, 1051, 1079, 100, 1500, 40, "late move reduction times ln(depth) ln(move number), in 1/1024 ply") \
  X(lmr_cut_node, LMR_CUT_NODE, 885, 840, 0, 2500, 100, "more reduction at cut nodes, in 1/1024 ply") \
  X(lmr_pv, LMR_PV, 432, 471, 0, 2500, 100, "less reduction at PV nodes, in 1/1024 ply") \
  X(lmr_improving, LMR_IMPROVING, 299, 199, 0, 2000, 80, "more reduction at nodes that do not improve, in 1/1024 ply") \
  X(lmr_history, LMR_HISTORY, 5, 7, 2, 40, 2, "history score that lowers the reduction by 1/1024 ply") \
  X(lmr_threat, LMR_THREAT, 1416, 1170, 0, 3000, 100, "less reduction of fours and open threes, in 1/1024 ply") \
  X(lmr_score, LMR_SCORE, 500, 519, 0, 1500, 50, "more reduction per logit that a move scores below the best, in 1/1024 ply") \
  X(lmr_threat_score, LMR_THREAT_SCORE, 16, 16, 0, 16, 4, "part of LMR_SCORE that applies to fours and open threes, in 1/16") \
  X(order_killer, ORDER_KILLER, 43, 18, 0, 800, 30, "ordering score of killer moves") \
  X(order_counter_move, ORDER_COUNTER_MOVE, 179, 180, 0, 800, 30, "ordering score of the counter move") \
  X(order_move, ORDER_MOVE, 23, 16, 4, 200, 4, "divisor of the butterfly history in the ordering score") \
  X(order_continuation1, ORDER_CONTINUATION1, 13, 13, 4, 200, 4, "divisor of the 1-ply continuation history") \
  X(order_continuation2, ORDER_CONTINUATION2, 16, 10, 4, 200, 4, "divisor of the 2-ply continuation history") \
  X(history_bonus, HISTORY_BONUS, 138, 118, 10, 600, 20, "history bonus of a cutoff per ply of depth") \
  X(history_max, HISTORY_MAX, 1600, 1600, 200, 6000, 100, "maximum history bonus of a cutoff")
// clang-format on

namespace tengen {

namespace search_tunables {
#define TENGEN_SEARCH_PARAM(FIELD, NAME, CLASSICAL, NET, MIN, MAX, STEP, MEANING) \
  TUNABLE(NAME, CLASSICAL, MIN, MAX, STEP, MEANING);                              \
  TUNABLE(NET_##NAME, NET, MIN, MAX, STEP, "with a net: " MEANING);
TENGEN_SEARCH_PARAMS(TENGEN_SEARCH_PARAM)
#undef TENGEN_SEARCH_PARAM
TUNABLE(RENJU_LMR_THREAT_SCORE, 4, 0, 16, 4, "NET_LMR_THREAT_SCORE in renju");
}  // namespace search_tunables

/// The parameters of one search, read when it starts.
struct SearchParams {
#define TENGEN_SEARCH_PARAM(FIELD, NAME, CLASSICAL, NET, MIN, MAX, STEP, MEANING) int FIELD;
  TENGEN_SEARCH_PARAMS(TENGEN_SEARCH_PARAM)
#undef TENGEN_SEARCH_PARAM

  static constexpr int REDUCTION_SCALE = 1024;  ///< unit of reductions
  static constexpr int LAZY_SCALE = 64;         ///< unit of lazy_error_carry
  static constexpr int SCORE_SCALE = 16;        ///< unit of lmr_threat_score and lmp_square

  static SearchParams for_classical() {
#define TENGEN_SEARCH_PARAM(FIELD, NAME, CLASSICAL, NET, MIN, MAX, STEP, MEANING) \
  search_tunables::NAME,
    return {TENGEN_SEARCH_PARAMS(TENGEN_SEARCH_PARAM)};
#undef TENGEN_SEARCH_PARAM
  }
  static SearchParams for_net(Rule rule) {
#define TENGEN_SEARCH_PARAM(FIELD, NAME, CLASSICAL, NET, MIN, MAX, STEP, MEANING) \
  search_tunables::NET_##NAME,
    SearchParams result = {TENGEN_SEARCH_PARAMS(TENGEN_SEARCH_PARAM)};
#undef TENGEN_SEARCH_PARAM
    // Forbidden points make fours win that the policy ranks low.
    if (rule == Rule::RENJU) result.lmr_threat_score = search_tunables::RENJU_LMR_THREAT_SCORE;
    return result;
  }

  /// Razoring: a node this far below alpha without a VCF fails low.
  Value razor_margin(int depth) const { return razor_base + razor_slope * depth; }
  /// Lazy values this far outside the window replace the evaluation.
  Value lazy_margin(int depth) const { return lazy_base + lazy_slope * std::max(depth, 0); }
  /// Reverse futility: a node this far above beta fails high.
  Value rfp_margin(int depth, bool improving) const {
    return rfp_slope * depth - (improving ? rfp_improving : 0);
  }
  int null_reduction(int depth, Value above_beta) const {
    return null_base + depth / null_depth_divisor +
           std::min<int>(static_cast<int>(above_beta / null_value_divisor), null_value_max);
  }
  /// Late move pruning: number of moves searched at low depth.
  int lmp_move_count(int depth, bool improving) const {
    const int moves = lmp_base + lmp_slope * depth + lmp_square * depth * depth / SCORE_SCALE;
    return improving ? moves : (moves + lmp_base) / 2;
  }
  /// Quiet moves are pruned if the static evaluation is this far below alpha.
  Value quiet_futility_margin(int depth) const {
    return quiet_futility_base + quiet_futility_slope * depth;
  }
  Value singular_beta(Value value, int depth) const { return value - singular_margin * depth; }
  u64 vcf_nodes(int depth) const {
    return static_cast<u64>(vcf_leaf_nodes) +
           static_cast<u64>(vcf_depth_nodes) * static_cast<u64>(std::max(depth, 0));
  }
  /// Base reduction by depth and move number.
  int reduction(int depth, int move_count) const {
    const auto product =
        static_cast<i64>(scaled_log(depth)) * scaled_log(move_count) / REDUCTION_SCALE;
    return lmr_base + static_cast<int>(product * lmr_scale / REDUCTION_SCALE);
  }

 private:
  /// Natural logarithms in 1/1024.
  static int scaled_log(int n) {
    static const auto table = [] {
      std::array<int, 512> logs{};
      for (int i = 1; i < 512; ++i)
        logs[i] = static_cast<int>(std::lround(std::log(i) * REDUCTION_SCALE));
      return logs;
    }();
    return table[n < 511 ? n : 511];
  }
};

}  // namespace tengen
