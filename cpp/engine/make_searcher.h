// SPDX-License-Identifier: MIT
// From options to a searcher: the one place that knows all of them. Relies on search, eval
// and mixnet.
#pragma once

#include <memory>

#include "engine/options.h"
#include "eval/classical.h"
#include "mixnet/net.h"
#include "search/searcher.h"

namespace tengen {

/// What evaluators are made of; only what the preset needs must be there.
struct Knowledge {
  std::shared_ptr<const ClassicalTables> tables;  ///< of the rule
  mixnet::Nets nets;
};

/// Throws std::invalid_argument if what the preset needs is absent or for other boards,
/// std::bad_alloc if there is no room for the searcher's tables.
std::unique_ptr<Searcher> make_searcher(const EngineOptions& options, int size, Rule rule,
                                        const Knowledge& knowledge);

}  // namespace tengen
