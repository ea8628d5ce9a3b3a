// SPDX-License-Identifier: MIT
// Wins that need no search: a five or a VCF of the side to move at the root. Searches call it
// first.
#pragma once

#include "search/position.h"
#include "search/searcher.h"
#include "solver/vcf.h"

namespace tengen {

class RootSolver {
 public:
  explicit RootSolver(size_t table_bytes) : vcf_(table_bytes) {}

  /// Fills in the result if there is a five or (if `use_vcf`) a VCF. The node limit grows with the
  /// available time. Requires that `root` is the position of the request.
  bool solve(Position& root, const SearchRequest& request, SearchControl& control, bool use_vcf,
             SearchResult& result);
  /// Nodes of the last solve().
  u64 nodes() const { return nodes_; }
  void new_game() { vcf_.reset(); }

 private:
  Vcf vcf_;
  u64 nodes_ = 0;
};

}  // namespace tengen
