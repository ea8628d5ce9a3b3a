// SPDX-License-Identifier: MIT
#include "search/alphabeta/alphabeta.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace tengen {

namespace {

/// How deep a lone move is searched when time is limited.
constexpr int ONE_CHOICE_DEPTH = 6;

/// Of the memory: what the solvers' tables get, all threads together.
constexpr size_t VCF_SHARE = 8;

}  // namespace

AlphaBeta::AlphaBeta(int size, Rule rule, const AlphaBetaSettings& settings, int threads,
                     size_t memory, const MakeEvaluator& make_evaluator)
    : settings_(settings),
      table_(memory - memory / VCF_SHARE),
      root_(size, rule, make_evaluator()),
      solver_(memory / VCF_SHARE / static_cast<size_t>(threads + 1)) {
  for (int i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>(
        size, rule, make_evaluator(), memory / VCF_SHARE / static_cast<size_t>(threads + 1)));
}

void AlphaBeta::new_game() {
  table_.clear();
  solver_.new_game();
  for (const auto& worker : workers_) worker->new_game();
}

/// The moves worth a search, best first: a five, or what stops one, or all that are near and legal.
std::vector<Point> AlphaBeta::choices(const SearchRequest& request) {
  std::vector<Point> found;
  if (!request.only.empty()) return request.only;
  const Colour side = request.side;
  if (request.multipv == 1 && root_.threats().has_five(side))
    return {root_.threats().five_point(side)};
  if (root_.empty_count() == root_.size() * root_.size())
    return {make_point(root_.size() / 2, root_.size() / 2)};
  if (!root_.threats().has_five(side) && root_.threats().has_five(opponent(side)))
    for (const Point p : root_.threats().stops(opponent(side), NO_POINT)) found.push_back(p);
  if (found.empty()) {
    std::vector<ScoredMove> moves;
    const auto push = [&](Point p) {
      if (root_.patterns().may_play(side, p)) moves.push_back({p, 0});
    };
    root_.for_each_near(push);
    if (moves.empty()) root_.for_each_empty(push);
    root_.score_moves(moves);
    std::stable_sort(moves.begin(), moves.end(),
                     [](const ScoredMove& a, const ScoredMove& b) { return a.score > b.score; });
    for (const ScoredMove& move : moves) found.push_back(move.point);
    const auto most = static_cast<size_t>(settings_.branching);
    if (most > 0 && found.size() > most) found.resize(most);
  }
  return found;
}

SearchAnswer AlphaBeta::search(const SearchRequest& request, SearchControl& control,
                               const OnInfo& on_info) {
  root_.assign(request.cells, request.side, request.moves_left);
  table_.new_search();
  SearchAnswer answer;
  const std::vector<Point> moves = choices(request);
  if (moves.empty()) return answer;
  solver_nodes_ = 0;
  if (request.only.empty() && request.multipv == 1) {
    const bool solved = solver_.solve(root_, request, control, settings_.vcf_quiescence, answer);
    solver_nodes_ = solver_.nodes();
    if (solved) {
      on_info(answer.info);
      return answer;
    }
  }

  SearchRequest shared = request;
  // With one move to choose from little is left to find out, unless it is that move's value.
  if (moves.size() == 1 && request.only.empty() &&
      control.deadline.load(std::memory_order_relaxed) != SearchControl::NEVER)
    shared.depth = request.depth ? std::min(request.depth, ONE_CHOICE_DEPTH) : ONE_CHOICE_DEPTH;
  shared.nodes = request.nodes / workers_.size() + (request.nodes % workers_.size() != 0);
  for (size_t i = 0; i < workers_.size(); ++i)
    workers_[i]->prepare(shared, moves, settings_, table_, control, static_cast<int>(i));
  const i64 began = Watch::now_in_nanoseconds();
  began_.store(began, std::memory_order_release);
  const Worker& main = *workers_[0];
  run_workers([&](int line, Bound bound) { on_info(info_of(main, line, bound, began)); }, control);
  began_.store(NOT_BEGUN, std::memory_order_relaxed);

  const Worker& best = best_worker();
  answer.info = info_of(best, 0, Bound::EXACT, began);
  answer.move = answer.info.line[0];
  if (answer.info.line.size() > 1) answer.ponder = answer.info.line[1];
  return answer;
}

/// Helpers stop when the main worker does.
void AlphaBeta::run_workers(const Worker::Report& report, SearchControl& control) {
  std::vector<std::thread> helpers;
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&](Worker& worker, const Worker::Report& told) {
    try {
      worker.run(told);
    } catch (...) {
      const std::lock_guard guard(failure_lock);
      if (!failure) failure = std::current_exception();
    }
  };
  try {
    for (size_t i = 1; i < workers_.size(); ++i)
      helpers.emplace_back([&run, &worker = *workers_[i]] { run(worker, {}); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do the work.
  }
  run(*workers_[0], report);
  control.stop.store(true, std::memory_order_relaxed);
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

/// The deepest, and of those the one with the best value.
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
  const i64 began = began_.load(std::memory_order_acquire);
  if (began == NOT_BEGUN) return std::nullopt;
  return SearchProgress{work(), workers_[0]->selective_depth(),
                        Watch::now_in_nanoseconds() - began};
}

SearchWork AlphaBeta::work() const {
  SearchWork sum;
  for (const auto& worker : workers_) {
    const SearchWork part = worker->work();
    sum.nodes += part.nodes;
    sum.vcf_nodes += part.vcf_nodes;
    sum.evaluations += part.evaluations;
  }
  sum.solver_nodes = solver_nodes_;
  return sum;
}

SearchInfo AlphaBeta::info_of(const Worker& worker, int line, Bound bound, i64 began) const {
  const RootMove& root = worker.root_moves()[static_cast<size_t>(line)];
  SearchInfo info;
  const bool searched = root.value != -INFINITE;
  info.depth = searched ? worker.depth() : worker.completed_depth();
  info.selective_depth = std::max(root.selective_depth, info.depth);
  info.multipv = line + 1;
  info.value = searched ? root.value : root.previous;
  if (info.value == -INFINITE) info.value = DRAW;  // stopped before any move had a value
  info.bound = bound;
  info.work = work();
  info.nanoseconds = Watch::now_in_nanoseconds() - began;
  info.table_fill = table_.fill();
  info.line = root.line;
  return info;
}

}  // namespace tengen
