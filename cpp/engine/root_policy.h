// SPDX-License-Identifier: MIT
// The policy of an evaluation at the root, without search.
#pragma once

#include <memory>
#include <vector>

#include "eval/evaluator.h"
#include "search/searcher.h"

namespace tengen {

struct PolicyMove {
  Point point;
  double probability;  ///< over all moves the sum is 1
};

/// The moves a search would generate (a five; defences against a five or an open four; or all legal
/// moves near stones), most likely first, stable in row order. Softmax as in the tree search at
/// temperature 1. Uniform without an evaluator.
std::vector<PolicyMove> root_policy(int size, Rule rule, const SearchRequest& request,
                                    std::unique_ptr<Evaluator> evaluator);

}  // namespace tengen
