// SPDX-License-Identifier: MIT
// Fixed benchmark positions of a rule and the signature of their search: a number that changes with
// any functional change. The search runs in the calling thread.
#pragma once

#include <functional>
#include <span>

#include "engine/evaluator_loader.h"
#include "engine/make_searcher.h"

namespace tengen {

struct BenchResult {
  int positions = 0;
  SearchStats stats;
  double seconds = 0;
  u32 signature = 0;  ///< of every move, value and node count; only meaningful with one thread
  EvaluatorInfo evaluator = {};  ///< if the bench loaded it
};

// Defaults with an ONNX file, which is hundreds of times slower.
inline constexpr int ONNX_DEPTH = 4;
inline constexpr u64 ONNX_PLAYOUTS = 100;

/// Search limits of each position; 0: the default.
struct BenchLimits {
  int depth = 0;      ///< for alpha-beta
  u64 playouts = 0;   ///< for Monte-Carlo tree search
  int positions = 0;  ///< at most so many; 0: all. Of 9, the first 8 are 15x15
};

/// Searches the positions of a rule; with the preset ALPHABETA only those that the net supports.
/// `should_stop` is called after each position; true ends the bench.
BenchResult run_bench(Rule rule, const EvaluatorResources& resources, const EngineOptions& options,
                      const BenchLimits& limits, const std::function<bool()>& should_stop);

/// A bench that loads its evaluator.
struct BenchRequest {
  BenchRequest() { options.core.memory = DEFAULT_MEMORY; }

  /// Bytes; allocating more would show in the measured time.
  static constexpr size_t DEFAULT_MEMORY = size_t{16} << 20;

  Rule rule = Rule::FREESTYLE;
  PlayOptions options;  ///< alphabeta, classical or classical-paper; no search: alpha-beta
  BenchLimits limits;
  bool lazy = true;  ///< false: nets evaluate every position
};

/// Loads the evaluator of the options for the first size of the positions that it supports, and
/// searches. `should_stop` is called while nets load and after each position. Throws BadNet, also
/// if the net supports no size; BadTables; std::invalid_argument for another preset.
BenchResult run_bench(const BenchRequest& request, const Bundle& bundle,
                      const LoadExternal& load_external, const std::function<bool()>& should_stop);

/// The sum of the results of several rules, with one signature for all.
BenchResult total_of(std::span<const std::pair<Rule, BenchResult>> results);

}  // namespace tengen
