// SPDX-License-Identifier: MIT
// Alpha-beta as a Searcher: trivial root answers, the root solver, and one or more workers that
// share a transposition table (Lazy SMP).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "search/alphabeta/settings.h"
#include "search/alphabeta/worker.h"
#include "search/root_solver.h"
#include "search/searcher.h"

namespace tengen {

class AlphaBeta final : public Searcher {
 public:
  using EvaluatorFactory = tengen::EvaluatorFactory;

  /// All tables together use at most `memory` bytes.
  AlphaBeta(int size, Rule rule, const AlphaBetaSettings& settings, int threads, size_t memory,
            const EvaluatorFactory& make_evaluator);

  SearchResult search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override;
  std::optional<SearchProgress> progress() const override;

 private:
  std::vector<Point> generate_root_moves(const SearchRequest& request);
  void run_workers(const Worker::Report& report, SearchControl& control);
  const Worker& best_worker() const;
  SearchStats stats() const;
  SearchInfo info_of(const Worker& worker, int line, Bound bound, i64 start_time) const;

  static constexpr i64 NOT_STARTED = -1;

  AlphaBetaSettings settings_;
  TranspositionTable tt_;
  Position root_;  ///< used before the workers start
  RootSolver solver_;
  std::vector<std::unique_ptr<Worker>> workers_;
  // Written by the searching thread, read by others for progress().
  std::atomic<u64> solver_nodes_ = 0;
  std::atomic<i64> start_time_ = NOT_STARTED;  ///< start of the workers
};

}  // namespace tengen
