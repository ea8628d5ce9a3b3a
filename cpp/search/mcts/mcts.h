// SPDX-License-Identifier: MIT
// Monte-Carlo tree search as a Searcher: trivial root positions, the root solver, and one or more
// workers that share a tree. The tree is kept between searches.
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
       const EvaluatorFactory& make_evaluator);

  SearchResult search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override;

  /// Tree and root of the last search; NO_NODE if there was none. For tests.
  mcts::Tree& tree() { return tree_; }
  mcts::Index root() const { return shared_.root; }

 private:
  /// State of one search that its threads share besides the tree.
  struct Run;

  /// Root moves with priors; empty if there is no legal move.
  std::vector<mcts::MovePrior> generate_root_moves(const SearchRequest& request);
  void make_root(const SearchRequest& request, const std::vector<mcts::MovePrior>& moves);
  bool all_sampled_moves_lose(std::vector<mcts::MovePrior>& moves);
  bool make_hashed_root(const std::vector<mcts::MovePrior>& moves);
  bool make_detached_root(const std::vector<mcts::MovePrior>& moves);
  void fill_root(mcts::Node& node);
  void run_workers(Run& run);
  void run_worker(mcts::Worker& worker, Run& run, bool is_main);
  void free_memory(Run& run, int gc_count);
  bool should_stop(Run& run);
  bool is_time_to_stop(Run& run);
  bool is_deep_enough(const Run& run);
  void set_progress(const Run& run);
  std::vector<SearchInfo> infos(const Run& run);
  SearchStats stats(const Run& run) const;

  MctsSettings options_;   ///< as set by the user
  MctsSettings settings_;  ///< of the current search
  mcts::Tree tree_;
  RootSolver solver_;
  std::vector<std::unique_ptr<mcts::Worker>> workers_;
  mcts::SharedSearch shared_;
  std::optional<mcts::GumbelRoot> gumbel_;
};

}  // namespace tengen
