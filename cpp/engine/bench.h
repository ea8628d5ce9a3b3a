// SPDX-License-Identifier: MIT
// Fixed benchmark positions of a rule and the signature of their search: a number that changes with
// any functional change. The search runs in the calling thread.
#pragma once

#include <functional>

#include "engine/make_searcher.h"

namespace tengen {

struct BenchResult {
  int positions = 0;
  SearchStats stats;
  double seconds = 0;
  u64 signature = 0;  ///< of every move, value and node count; only meaningful with one thread
};

/// Search limits of each position; 0: the default.
struct BenchLimits {
  int depth = 0;     ///< for alpha-beta
  u64 playouts = 0;  ///< for Monte-Carlo tree search
};

/// Searches the positions of a rule; with the preset ALPHABETA only those that the net supports.
/// `should_continue` is called after each position; returning false ends the bench.
BenchResult run_bench(Rule rule, const EvaluatorResources& resources, const EngineOptions& options,
                      const BenchLimits& limits,
                      const std::function<bool(int done, int all)>& should_continue);

}  // namespace tengen
