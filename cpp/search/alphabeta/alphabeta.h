// SPDX-License-Identifier: MIT
// The alpha-beta search as the engine knows it: the simple answers at the root, the solver, and one
// or several workers that share a table (Lazy SMP). Relies on worker.h.
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
  using MakeEvaluator = tengen::MakeEvaluator;

  /// All tables together use at most `memory` bytes.
  AlphaBeta(int size, Rule rule, const AlphaBetaSettings& settings, int threads, size_t memory,
            const MakeEvaluator& make_evaluator);

  SearchAnswer search(const SearchRequest& request, SearchControl& control,
                      const OnInfo& on_info) override;
  void new_game() override;
  std::optional<SearchProgress> progress() const override;

 private:
  std::vector<Point> choices(const SearchRequest& request);
  void run_workers(const Worker::Report& report, SearchControl& control);
  const Worker& best_worker() const;
  SearchWork work() const;
  SearchInfo info_of(const Worker& worker, int line, Bound bound, i64 began) const;

  static constexpr i64 NOT_BEGUN = -1;

  AlphaBetaSettings settings_;
  Table table_;
  Position root_;  ///< for what is asked before the workers begin
  RootSolver solver_;
  std::vector<std::unique_ptr<Worker>> workers_;
  // Written by the searching thread alone, read by others who want to know how far it is.
  std::atomic<u64> solver_nodes_ = 0;
  std::atomic<i64> began_ = NOT_BEGUN;  ///< when the workers began
};

}  // namespace tengen
