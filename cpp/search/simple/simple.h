// SPDX-License-Identifier: MIT
// Players without search: uniformly random, and the evaluator's best move with wins and forced
// defences. Baselines of every rating list.
#pragma once

#include <memory>

#include "base/rng.h"
#include "search/position.h"
#include "search/searcher.h"

namespace tengen {

/// Uniform over the legal moves.
class RandomSearcher final : public Searcher {
 public:
  RandomSearcher(int size, Rule rule, u64 seed);

  SearchResult search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override {}

 private:
  PatternBoard patterns_;
  Rng rng_;
};

/// The best-scored move, with priority for its own five, the opponent's five and its own open four.
class PolicySearcher final : public Searcher {
 public:
  PolicySearcher(int size, Rule rule, std::unique_ptr<Evaluator> evaluator);

  SearchResult search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override {}

 private:
  std::vector<Point> ordered_moves(const SearchRequest& request);

  Position position_;
};

}  // namespace tengen
