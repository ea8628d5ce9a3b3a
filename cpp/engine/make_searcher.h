// SPDX-License-Identifier: MIT
// Creates searchers and evaluators from options.
#pragma once

#include <memory>
#include <variant>

#include "engine/options.h"
#include "eval/callback_evaluator.h"
#include "eval/classical.h"
#include "eval/lazy_tables.h"
#include "mixnet/net.h"
#include "search/searcher.h"

namespace tengen {

/// A net outside the core, or one per side to move.
struct CallbackNet {
  NetCallback callback;
  u32 sizes = ~u32{0};     ///< bit s: supports boards of size s
  NetCallback white = {};  ///< for white to move; empty: `callback` serves both sides
};

/// Evaluation of the preset ALPHABETA: classical tables, one net per side to move (black, white),
/// or callbacks.
using Evaluation = std::variant<std::monostate, mixnet::Nets, CallbackNet>;

/// Whether the evaluation supports such boards. Requires that nets are not null.
bool supports(const Evaluation& evaluation, Rule rule, int size);

/// Data from which evaluators are made; only the part that the preset uses is required.
struct EvaluatorResources {
  std::shared_ptr<const ClassicalTables> tables;  ///< of the rule
  Evaluation evaluation;
  std::shared_ptr<const LazyTables> lazy_tables =
      {};  ///< of the nets; nullptr: the classical tables give lazy values
};

/// Throws std::invalid_argument if the preset's evaluation is missing or does not support the
/// board, std::bad_alloc if there is no memory for the tables.
std::unique_ptr<Searcher> make_searcher(const EngineOptions& options, int size, Rule rule,
                                        const EvaluatorResources& resources);

/// The evaluator of the searcher's threads; nullptr for the preset RANDOM. Throws
/// std::invalid_argument as above.
std::unique_ptr<Evaluator> make_evaluator(const EngineOptions& options, int size, Rule rule,
                                          const EvaluatorResources& resources);

}  // namespace tengen
