// SPDX-License-Identifier: MIT
// A fixed piece of work for one rule, and a number that changes whenever the search does anything
// else: the signature. Relies on engine.h's parts alone; the search runs in the calling thread.
#pragma once

#include <functional>

#include "engine/make_searcher.h"

namespace tengen {

struct BenchResult {
  int positions = 0;
  SearchWork work;
  double seconds = 0;
  u64 signature = 0;  ///< of every move, value and number of nodes; of one thread only
};

/// How far each position is searched; 0: as far as the bench does.
struct BenchEffort {
  int depth = 0;     ///< of alpha-beta
  u64 playouts = 0;  ///< of Monte-Carlo tree search
};

/// Searches the rule's bench positions; under the preset ALPHABETA only those that its evaluation
/// is for. `go_on` is called after each position; false ends the bench.
BenchResult run_bench(Rule rule, const Knowledge& knowledge, const EngineOptions& options,
                      const BenchEffort& effort,
                      const std::function<bool(int done, int all)>& go_on);

}  // namespace tengen
