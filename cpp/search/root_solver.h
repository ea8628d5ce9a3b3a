// SPDX-License-Identifier: MIT
// What needs no search: a five, or a win by fours, of the side to move at the root. Relies on
// position.h, searcher.h and threat/vcf.h; the searches ask it first.
#pragma once

#include "search/position.h"
#include "search/searcher.h"
#include "search/threat/vcf.h"

namespace tengen {

class RootSolver {
 public:
  explicit RootSolver(size_t table_bytes) : vcf_(table_bytes) {}

  /// Fills in the answer if there is a five or (if `by_fours`) a win by fours; the longer there is
  /// to think, the longer fours are looked for. Requires that the position is the request's.
  bool solve(Position& root, const SearchRequest& request, SearchControl& control, bool by_fours,
             SearchAnswer& answer);
  /// Plays of the last solve().
  u64 nodes() const { return nodes_; }
  void new_game() { vcf_.reset(); }

 private:
  Vcf vcf_;
  u64 nodes_ = 0;
};

}  // namespace tengen
