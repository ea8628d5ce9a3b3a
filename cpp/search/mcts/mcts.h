// SPDX-License-Identifier: MIT
// Monte-Carlo tree search as the engine knows it: the simple answers at the root, the solver, and
// one or several workers that share a tree. The tree is kept from search to search, so that the
// next move goes on where this one ended. Relies on worker.h and report.h.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "search/mcts/report.h"
#include "search/mcts/settings.h"
#include "search/mcts/worker.h"
#include "search/root_solver.h"
#include "search/searcher.h"

namespace tengen {

class Mcts final : public Searcher {
 public:
  /// All tables together use at most `memory` bytes.
  Mcts(int size, Rule rule, const MctsSettings& settings, int threads, size_t memory,
       const MakeEvaluator& make_evaluator);

  SearchAnswer search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override;

  /// The tree of the last search, and its root; NO_BLOCK if nothing was searched. For tests.
  mcts::Tree& tree() { return tree_; }
  mcts::Index root() const { return question_.root; }

 private:
  /// One search: what its threads share beside the tree.
  struct Run;

  /// The moves to choose from, with their probabilities; none if there is no legal one.
  std::vector<mcts::Choice> choices(const SearchRequest& request);
  void make_root(const SearchRequest& request, const std::vector<mcts::Choice>& choices);
  bool has_drawn_in_vain(std::vector<mcts::Choice>& moves);
  bool make_shared_root(const std::vector<mcts::Choice>& choices);
  bool make_private_root(const std::vector<mcts::Choice>& choices);
  void fill_root(mcts::Node& node);
  void run_workers(Run& run);
  void drive(mcts::Worker& worker, Run& run, bool is_main);
  void make_room(Run& run, int collections);
  bool is_over(Run& run);
  bool is_time_to_stop(Run& run);
  bool is_deep_enough(const Run& run);
  void set_progress(const Run& run);
  std::vector<SearchInfo> infos(const Run& run);
  SearchWork work(const Run& run) const;

  MctsSettings options_;   ///< as given
  MctsSettings settings_;  ///< of the search under way
  mcts::Tree tree_;
  RootSolver solver_;
  std::vector<std::unique_ptr<mcts::Worker>> workers_;
  mcts::Question question_;
  std::optional<mcts::GumbelRoot> gumbel_;
};

}  // namespace tengen
