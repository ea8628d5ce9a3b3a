// SPDX-License-Identifier: MIT
// From options to a searcher: the one place that knows all of them. Relies on search and eval.
#pragma once

#include <memory>

#include "engine/options.h"
#include "eval/classical.h"
#include "search/searcher.h"

namespace tengen {

/// Throws std::invalid_argument if classical tables are needed and absent, std::bad_alloc if there
/// is no room for the searcher's tables.
std::unique_ptr<Searcher> make_searcher(const EngineOptions& options, int size, Rule rule,
                                        const std::shared_ptr<const ClassicalTables>& tables);

}  // namespace tengen
