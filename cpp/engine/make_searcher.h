// SPDX-License-Identifier: MIT
// From options to a searcher: the one place that knows all of them. Relies on search, eval and
// mixnet.
#pragma once

#include <memory>
#include <variant>

#include "engine/options.h"
#include "eval/called_evaluator.h"
#include "eval/classical.h"
#include "eval/guess.h"
#include "mixnet/net.h"
#include "search/searcher.h"

namespace tengen {

/// A net outside of the core.
struct CalledNet {
  AskNet ask;
  u32 sizes = ~u32{0};  ///< bit s: it is for boards of size s
};

/// What the preset ALPHABETA evaluates with: the classical tables, nets for black and for white to
/// move, or a net outside of the core.
using Evaluation = std::variant<std::monostate, mixnet::Nets, CalledNet>;

/// Whether it is for such boards. Requires, of nets, that they are there.
bool fits(const Evaluation& evaluation, Rule rule, int size);

/// What evaluators are made of; only what the preset needs must be there.
struct Knowledge {
  std::shared_ptr<const ClassicalTables> tables;  ///< of the rule
  Evaluation evaluation;
  std::shared_ptr<const GuessTables> guesses = {};  ///< of the nets; without them the tables guess
};

/// Throws std::invalid_argument if what the preset needs is absent or for other boards,
/// std::bad_alloc if there is no room for the searcher's tables.
std::unique_ptr<Searcher> make_searcher(const EngineOptions& options, int size, Rule rule,
                                        const Knowledge& knowledge);

/// What the searcher's threads would evaluate with; nullptr for the preset RANDOM. Throws
/// std::invalid_argument as above.
std::unique_ptr<Evaluator> make_evaluator(const EngineOptions& options, int size, Rule rule,
                                          const Knowledge& knowledge);

}  // namespace tengen
