// SPDX-License-Identifier: MIT
// Options of Monte-Carlo tree search, one line each: everything else (engine options, Python, help
// texts, tunables) is generated from these lines.
#pragma once

#include "base/types.h"

// REAL(field, tunable, default, min, max, tuning min, tuning max, tuning step, meaning): a number.
// Its tunable scales the option, in per cent.
// INT(field, default, min, max, meaning): an integer.
// BOOL(field, default, meaning): on or off.
// clang-format off
#define TENGEN_MCTS_OPTIONS(REAL, INT, BOOL) \
  REAL(c, MCTS_C, 1.0, 0, 100, 10, 400, 12, "exploration constant c of PUCT") \
  REAL(c_log, MCTS_C_LOG, 0.4, 0, 100, 0, 800, 40, "growth of the exploration: c + c_log * ln(1 + visits / c_base)") \
  REAL(c_base, MCTS_C_BASE, 500, 1, 1'000'000, 10, 400, 20, "visits after which the exploration grows") \
  REAL(tau, MCTS_TAU, 0.5, 0, 1, 20, 200, 5, "exploration is proportional to visits^tau; 0.5 is PUCT") \
  REAL(fpu, MCTS_FPU, 0.1, 0, 2, 0, 800, 40, "first-play urgency: reduction of the value of unvisited moves") \
  REAL(utility_stdev_scale, MCTS_UTILITY_STDEV_SCALE, 0.7, 0, 2, 0, 250, 25, "scale of the exploration by the standard deviation of results; 0: off") \
  REAL(lcb, MCTS_LCB, 2.3, 0, 10, 10, 400, 20, "standard errors of the lower confidence bound that selects the move; 0: most visits") \
  REAL(temperature, MCTS_TEMPERATURE, 1.25, 0.01, 100, 30, 300, 10, "softmax temperature of the policy") \
  INT(gumbel, 0, 0, 484, "root moves sampled for sequential halving; 0: PUCT at the root") \
  REAL(gumbel_noise, MCTS_GUMBEL_NOISE, 0, 0, 10, 0, 400, 25, "scale of the Gumbel noise of that sample; 0: by policy alone") \
  INT(batch, 16, 1, 1024, "leaves per batched evaluation, for ONNX nets") \
  BOOL(tree_reuse, true, "keep the tree of the previous search")
// clang-format on

namespace tengen {

struct MctsSettings {
#define TENGEN_REAL(FIELD, TUNABLE, DEFAULT, ...) double FIELD = DEFAULT;
#define TENGEN_INT(FIELD, DEFAULT, ...) int FIELD = DEFAULT;
#define TENGEN_BOOL(FIELD, DEFAULT, ...) bool FIELD = DEFAULT;
  TENGEN_MCTS_OPTIONS(TENGEN_REAL, TENGEN_INT, TENGEN_BOOL)
#undef TENGEN_REAL
#undef TENGEN_INT
#undef TENGEN_BOOL

  // Set by the engine.
  bool vcf = true;  ///< VCF at the leaves and at the root
  u64 seed = 0;     ///< of gumbel_noise

  bool operator==(const MctsSettings&) const = default;
};

}  // namespace tengen
