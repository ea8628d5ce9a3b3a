// SPDX-License-Identifier: MIT
#include "search/alphabeta/alphabeta.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace tengen {

namespace {

TUNABLE(SINGLE_MOVE_DEPTH, 6, 1, 20, 1,
        "maximum depth if there is only one root move and the time is limited");

/// The VCF tables of all threads have 1/8 of the memory.
constexpr size_t VCF_MEMORY_DIVISOR = 8;

/// Of one of the VCF tables: each worker has one, and the root solver.
size_t vcf_bytes(size_t memory, int threads) {
  return memory / VCF_MEMORY_DIVISOR / static_cast<size_t>(threads + 1);
}

}  // namespace

AlphaBeta::AlphaBeta(int size, Rule rule, const AlphaBetaSettings& settings, int threads,
                     size_t memory, const EvaluatorFactory& make_evaluator)
    : settings_(settings),
      tt_(memory - memory / VCF_MEMORY_DIVISOR),
      root_(size, rule, make_evaluator()),
      solver_(vcf_bytes(memory, threads)) {
  for (int i = 0; i < threads; ++i)
    workers_.push_back(
        std::make_unique<Worker>(size, rule, make_evaluator(), vcf_bytes(memory, threads)));
}

void AlphaBeta::new_game() {
  tt_.clear();
  solver_.new_game();
  for (const auto& worker : workers_) worker->new_game();
}

/// Root moves, best first: a five, the defences against a five, or all legal moves near stones.
std::vector<Point> AlphaBeta::generate_root_moves(const SearchRequest& request) {
  std::vector<Point> points;
  if (!request.search_moves.empty()) return request.search_moves;
  const Colour side = request.side;
  if (request.multipv == 1 && root_.threats().can_make_five(side))
    return {root_.threats().five_point(side)};
  if (root_.empty_count() == root_.size() * root_.size())
    return {make_point(root_.size() / 2, root_.size() / 2)};
  if (!root_.threats().can_make_five(side) && root_.threats().can_make_five(opponent(side)))
    for (const Point p : root_.threats().defences(opponent(side), NO_POINT)) points.push_back(p);
  if (points.empty()) {
    std::vector<ScoredMove> moves;
    const auto push = [&](Point p) {
      if (root_.patterns().is_legal(side, p)) moves.push_back({p, 0});
    };
    root_.for_each_near(push);
    if (moves.empty()) root_.for_each_empty(push);
    root_.score_moves(moves);
    std::stable_sort(moves.begin(), moves.end(),
                     [](const ScoredMove& a, const ScoredMove& b) { return a.score > b.score; });
    for (const ScoredMove& move : moves) points.push_back(move.point);
    const auto max_candidates = static_cast<size_t>(settings_.max_candidates);
    if (max_candidates > 0 && points.size() > max_candidates) points.resize(max_candidates);
  }
  return points;
}

SearchResult AlphaBeta::search(const SearchRequest& request, SearchControl& control,
                               const OnInfo& on_info) {
  root_.assign(request.cells, request.side, request.moves_left);
  tt_.new_search();
  SearchResult result;
  const std::vector<Point> moves = generate_root_moves(request);
  if (moves.empty()) return result;
  solver_nodes_ = 0;
  if (request.search_moves.empty() && request.multipv == 1) {
    const bool solved = solver_.solve(root_, request, control, settings_.vcf_quiescence, result);
    solver_nodes_ = solver_.nodes();
    if (solved) {
      on_info(result.info);
      return result;
    }
  }

  SearchRequest shared = request;
  // The only legal move needs little search. If the caller chose the root moves, it wants values.
  const bool single_move = moves.size() == 1 && request.search_moves.empty();
  control.single_move = single_move;
  if (single_move && control.deadline.load(std::memory_order_relaxed) != SearchControl::NEVER)
    shared.depth =
        request.depth ? std::min<int>(request.depth, SINGLE_MOVE_DEPTH) : int{SINGLE_MOVE_DEPTH};
  shared.nodes = request.nodes / workers_.size() + (request.nodes % workers_.size() != 0);
  for (size_t i = 0; i < workers_.size(); ++i)
    workers_[i]->prepare(shared, moves, settings_, tt_, control, static_cast<int>(i));
  const i64 start_time = StopCondition::now_in_nanoseconds();
  start_time_.store(start_time, std::memory_order_release);
  const Worker& main = *workers_[0];
  run_workers([&](int line, Bound bound) { on_info(info_of(main, line, bound, start_time)); },
              control);
  start_time_.store(NOT_STARTED, std::memory_order_relaxed);

  const Worker& best = best_worker();
  result.info = info_of(best, 0, Bound::EXACT, start_time);
  result.move = result.info.pv[0];
  if (result.info.pv.size() > 1) result.ponder = result.info.pv[1];
  return result;
}

/// Runs all workers; the others stop when the main worker stops. The first exception is rethrown.
void AlphaBeta::run_workers(const Worker::Report& report, SearchControl& control) {
  std::vector<std::thread> helpers;
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&](Worker& worker, const Worker::Report& worker_report) {
    try {
      worker.run(worker_report);
    } catch (...) {
      const std::lock_guard guard(failure_lock);
      if (!failure) failure = std::current_exception();
    }
  };
  try {
    for (size_t i = 1; i < workers_.size(); ++i)
      helpers.emplace_back([&run, &worker = *workers_[i]] { run(worker, {}); });
  } catch (const std::system_error&) {
    // No more threads available: search with those that started.
  }
  run(*workers_[0], report);
  control.stop.store(true, std::memory_order_relaxed);
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

/// The deepest worker; among equals the one with the best value.
const Worker& AlphaBeta::best_worker() const {
  const Worker* best = workers_[0].get();
  for (const auto& worker : workers_) {
    if (worker->completed_depth() == 0) continue;
    const Value value = worker->root_moves()[0].value;
    const Value best_value = best->root_moves()[0].value;
    if (worker->completed_depth() > best->completed_depth()
            ? value > best_value || !is_win(best_value)
            : worker->completed_depth() == best->completed_depth() && value > best_value)
      best = worker.get();
  }
  return *best;
}

std::optional<SearchProgress> AlphaBeta::progress() const {
  const i64 start_time = start_time_.load(std::memory_order_acquire);
  if (start_time == NOT_STARTED) return std::nullopt;
  return SearchProgress{stats(), workers_[0]->selective_depth(),
                        StopCondition::now_in_nanoseconds() - start_time};
}

SearchStats AlphaBeta::stats() const {
  SearchStats sum;
  for (const auto& worker : workers_) {
    const SearchStats part = worker->stats();
    sum.nodes += part.nodes;
    sum.vcf_nodes += part.vcf_nodes;
    sum.evaluations += part.evaluations;
  }
  sum.solver_nodes = solver_nodes_;
  return sum;
}

SearchInfo AlphaBeta::info_of(const Worker& worker, int line, Bound bound, i64 start_time) const {
  const RootMove& root = worker.root_moves()[static_cast<size_t>(line)];
  SearchInfo info;
  const bool searched = root.value != -INFINITE;
  info.depth = searched ? worker.depth() : worker.completed_depth();
  info.selective_depth = std::max(root.selective_depth, info.depth);
  info.multipv = line + 1;
  info.value = searched ? root.value : root.previous;
  if (info.value == -INFINITE) info.value = DRAW;  // stopped before any move had a value
  info.bound = bound;
  info.stats = stats();
  info.nanoseconds = StopCondition::now_in_nanoseconds() - start_time;
  info.hashfull = tt_.hashfull();
  info.pv = root.pv;
  return info;
}

}  // namespace tengen
