// SPDX-License-Identifier: MIT
// Players that hardly search: one plays at random, one plays the evaluator's best move but takes a
// win and stops a loss. The bottom rungs of every rating list. Rely on position.h and searcher.h.
#pragma once

#include <memory>

#include "base/rng.h"
#include "search/position.h"
#include "search/searcher.h"

namespace tengen {

/// Any legal move with the same chance.
class RandomSearcher final : public Searcher {
 public:
  RandomSearcher(int size, Rule rule, u64 seed);

  SearchAnswer search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override {}

 private:
  PatternBoard patterns_;
  Rng rng_;
};

/// One look at every move, and at fives: its own, then the opponent's, then its own open four.
class PolicySearcher final : public Searcher {
 public:
  PolicySearcher(int size, Rule rule, std::unique_ptr<Evaluator> evaluator);

  SearchAnswer search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override {}

 private:
  std::vector<Point> best_first(const SearchRequest& request);

  Position position_;
};

}  // namespace tengen
