// SPDX-License-Identifier: MIT
// The first look at a position: how likely an evaluation takes each move to be the best, before any
// search. Relies on search/duty.h and eval; the engine relies on it.
#pragma once

#include <memory>
#include <vector>

#include "eval/evaluator.h"
#include "search/searcher.h"

namespace tengen {

struct LikelyMove {
  Point point;
  double chance;  ///< those of all moves make 1
};

/// The moves that a search would look at (a five; what stops one or an open four; or all that are
/// near and legal), the likeliest first, of equals the first one row by row. Scores become chances
/// as in the tree search at temperature 1. Without an evaluator all are equally likely.
std::vector<LikelyMove> first_look(int size, Rule rule, const SearchRequest& request,
                                   std::unique_ptr<Evaluator> evaluator);

}  // namespace tengen
