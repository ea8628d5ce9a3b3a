// SPDX-License-Identifier: MIT
#include "search/mcts/mcts.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "base/tunable.h"
#include "search/mcts/run.h"

namespace tengen {

using namespace mcts;

namespace {

TUNABLE(MCTS_TIME_UNSTABLE, 130, 100, 300, 10,
        "per cent of the planned time to use if the best move is not the most visited one");
TUNABLE(MCTS_TIME_STABLE, 80, 20, 100, 5, "per cent of the planned time to use if it is");
TUNABLE(MCTS_SINGLE_MOVE_PLAYOUTS, 100, 1, 10000, 20,
        "maximum playouts if there is only one root move and the time is limited");
TUNABLE(MCTS_CHECK_PERIOD, 32, 1, 1000, 8, "playouts between two checks of depth and time");

// Applied to the rows of the table in settings.h: TENGEN_REAL to each REAL row (option FIELD,
// tunable NAME with the range LOW to HIGH), TENGEN_OTHER to the others, which it ignores.
#define TENGEN_REAL(FIELD, NAME, DEFAULT, MIN, MAX, LOW, HIGH, STEP, MEANING) \
  TUNABLE(NAME, 100, LOW, HIGH, STEP, "per cent of the option " #FIELD);
#define TENGEN_OTHER(...)
TENGEN_MCTS_OPTIONS(TENGEN_REAL, TENGEN_OTHER, TENGEN_OTHER)
#undef TENGEN_REAL

double scaled(double option, int percent) {
  return percent == 100 ? option : option * percent / 100;
}

/// Scales the options by their tunables; a no-op in ordinary builds, where those are 100.
MctsSettings tuned(MctsSettings settings) {
#define TENGEN_REAL(FIELD, NAME, ...) settings.FIELD = scaled(settings.FIELD, NAME);
  TENGEN_MCTS_OPTIONS(TENGEN_REAL, TENGEN_OTHER, TENGEN_OTHER)
#undef TENGEN_REAL
#undef TENGEN_OTHER
  return settings;
}

/// The VCF tables of all threads have 1/8 of the memory, their policy caches at most 1/16.
constexpr size_t VCF_MEMORY_DIVISOR = 8;
constexpr size_t POLICY_MEMORY_DIVISOR = 16;
/// A larger policy cache would not fit into the CPU caches.
constexpr size_t MAX_POLICY_BYTES = 4 << 20;

/// Of one of the VCF tables: each worker has one, and the root solver.
size_t vcf_bytes(size_t memory, int threads) {
  return memory / VCF_MEMORY_DIVISOR / static_cast<size_t>(threads + 1);
}
size_t policy_bytes(size_t memory, int threads) {
  return std::min(memory / POLICY_MEMORY_DIVISOR / static_cast<size_t>(threads), MAX_POLICY_BYTES);
}
/// Maximum nanoseconds between two reports.
constexpr i64 REPORT_PERIOD = 250'000'000;

}  // namespace

Mcts::Mcts(int size, Rule rule, const MctsSettings& settings, int threads, size_t memory,
           const EvaluatorFactory& make_evaluator)
    : options_(settings),
      settings_(settings),
      tree_(memory - memory / VCF_MEMORY_DIVISOR -
            policy_bytes(memory, threads) * static_cast<size_t>(threads)),
      solver_(vcf_bytes(memory, threads)) {
  for (int i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>(
        size, rule, make_evaluator(), vcf_bytes(memory, threads), policy_bytes(memory, threads)));
}

void Mcts::new_game() {
  tree_.clear();
  shared_ = {};
  solver_.new_game();
  for (const auto& worker : workers_) worker->new_game();
}

SearchResult Mcts::search(const SearchRequest& request, SearchControl& control,
                          const OnInfo& on_info) {
  settings_ = tuned(options_);
  for (const auto& worker : workers_) worker->prepare(request, settings_, control);
  SearchResult result;
  Run run(request, control, on_info);
  if (request.search_moves.empty() && request.multipv == 1) {
    const bool solved =
        solver_.solve(workers_[0]->position(), request, control, settings_.vcf, result);
    run.solver_nodes = solver_.nodes();
    if (solved) {
      on_info(result.info);
      return result;
    }
  }
  std::vector<MovePrior> moves = generate_root_moves(request);
  if (moves.empty()) return result;
  // The only legal move needs little search. If the caller chose the root moves, it wants values.
  const bool single_move = moves.size() == 1 && request.search_moves.empty();
  control.single_move = single_move;
  if (single_move && control.deadline.load(std::memory_order_relaxed) != SearchControl::NEVER)
    run.limit = std::min<u64>(run.limit, MCTS_SINGLE_MOVE_PLAYOUTS);
  do {
    make_root(request, moves);
    run_workers(run);
  } while (all_sampled_moves_lose(moves));

  const std::vector<SearchInfo> lines = infos(run);
  for (const SearchInfo& info : lines) on_info(info);
  result.info = lines[0];
  result.move = result.info.pv[0];
  if (result.info.pv.size() > 1) result.ponder = result.info.pv[1];
  return result;
}

/// Runs playouts in all threads until the search ends. An exception in any thread ends the search;
/// the first one is rethrown.
void Mcts::run_workers(Run& run) {
  shared_.search_all_moves = run.request.multipv > 1;
  shared_.gumbel = gumbel_ ? &*gumbel_ : nullptr;
  shared_.last = run.request.last;
  shared_.tree = &tree_;
  run.finished = false;
  const auto start = [&](Worker& worker, bool is_main) {
    try {
      run_worker(worker, run, is_main);
    } catch (...) {
      const std::lock_guard guard(run.failure_lock);
      if (!run.failure) run.failure = std::current_exception();
    }
    run.finished = true;
  };
  for (const auto& worker : workers_) worker->set_shared(shared_);
  std::vector<std::thread> helpers;
  try {
    for (size_t i = 1; i < workers_.size(); ++i)
      helpers.emplace_back([&start, &worker = *workers_[i]] { start(worker, false); });
  } catch (const std::system_error&) {
    // No more threads available: search with those that started.
  }
  start(*workers_[0], true);
  for (std::thread& helper : helpers) helper.join();
  if (run.failure) std::rethrow_exception(run.failure);
}

void Mcts::run_worker(Worker& worker, Run& run, bool is_main) {
  const auto batch = static_cast<u64>(worker.position().batched() ? settings_.batch : 1);
  while (!run.finished.load(std::memory_order_relaxed)) {
    if (run.is_stopped() || (is_main && should_stop(run))) return;
    if (is_main && run.control.hook && !run.stop_condition.check()) return;
    const u64 first = run.reserved.fetch_add(batch, std::memory_order_relaxed);
    if (first >= run.limit) {  // wait: other threads may not complete all that they reserved
      run.reserved.fetch_sub(batch, std::memory_order_relaxed);
      if (run.done.load(std::memory_order_relaxed) >= run.limit) return;
      std::this_thread::yield();
      continue;
    }
    const int gc_count = run.gc_count.load();
    PlayoutResult result;
    {
      const std::shared_lock lock(run.tree_mutex);
      result = worker.run_playouts(static_cast<int>(std::min(batch, run.limit - first)));
    }
    const auto done = static_cast<u64>(result.done);
    run.done.fetch_add(done, std::memory_order_relaxed);
    run.reserved.fetch_sub(batch - done, std::memory_order_relaxed);
    if (result.all_proven) return;
    if (result.tree_full) free_memory(run, gc_count);
  }
}

/// Frees nodes after a playout found the memory full; ends the search if none could be freed.
/// `gc_count`: Run::gc_count before that playout.
void Mcts::free_memory(Run& run, int gc_count) {
  const std::unique_lock lock(run.tree_mutex);
  if (run.gc_count.load() != gc_count) return;  // another thread has freed nodes since
  ++run.gc_count;
  if (!tree_.collect_garbage(shared_.root, [&run] { return !run.is_stopped(); }))
    run.finished = true;
}

/// Whether to end the search; also reports lines. Called by the main thread between playouts.
/// Reading nodes below the root requires tree_mutex, since another thread may free them.
bool Mcts::should_stop(Run& run) {
  const u64 done = run.done.load(std::memory_order_relaxed);
  {
    Node& root = tree_.node(shared_.root);
    const SpinGuard guard(root.lock);
    if (root.proven_result.is_known()) return true;
  }
  if (done == 0) return false;
  if (gumbel_) set_progress(run);
  const i64 now = StopCondition::now_in_nanoseconds();
  if (done >= run.next_report || now - run.last_report >= REPORT_PERIOD) {
    std::vector<SearchInfo> lines;
    {
      const std::shared_lock lock(run.tree_mutex);
      lines = infos(run);
    }
    for (const SearchInfo& info : lines) run.on_info(info);
    run.last_report = now;
    while (run.next_report <= done) run.next_report *= 2;
  }
  if (done < run.next_check) return false;
  run.next_check = done + static_cast<u64>(MCTS_CHECK_PERIOD);
  const std::shared_lock lock(run.tree_mutex);
  return is_deep_enough(run) || is_time_to_stop(run);
}

/// Whether the principal variation has the requested depth. A proven win and a line that ends in a
/// draw are deep enough at any length; a best move that loses never is, as another may not lose.
bool Mcts::is_deep_enough(const Run& run) {
  if (run.request.depth == 0) return false;
  const std::vector<RankedMove> moves = ranked_moves(tree_, shared_.root, settings_, nullptr);
  const size_t root_moves = tree_.node(shared_.root).move_count;
  if (moves.size() < std::min<size_t>(static_cast<size_t>(run.request.multipv), root_moves))
    return false;
  if (is_mate(moves[0].value)) return is_win(moves[0].value);
  const Line line = line_of(tree_, moves[0]);
  return line.is_drawn || static_cast<int>(line.moves.size()) >= run.request.depth;
}

bool Mcts::is_time_to_stop(Run& run) {
  const i64 optimum = run.control.optimum.load(std::memory_order_relaxed);
  if (optimum == 0) return false;
  const std::vector<RankedMove> moves = ranked_moves(tree_, shared_.root, settings_, nullptr);
  const bool is_stable = std::all_of(moves.begin(), moves.end(), [&](const RankedMove& move) {
    return move.visits <= moves[0].visits;
  });
  const i64 start_time = run.control.start_time.load(std::memory_order_relaxed);
  const i64 percent = is_stable ? MCTS_TIME_STABLE : MCTS_TIME_UNSTABLE;
  return StopCondition::now_in_nanoseconds() - start_time > optimum * percent / 100;
}

/// Passes the elapsed fraction of the search to sequential halving: that of the playout limit, or
/// else of the time; 0 without a limit.
void Mcts::set_progress(const Run& run) {
  double done = 0;
  const i64 deadline = run.control.deadline.load(std::memory_order_relaxed);
  if (run.request.nodes)
    done = static_cast<double>(run.done.load(std::memory_order_relaxed)) /
           static_cast<double>(run.limit);
  else if (deadline != SearchControl::NEVER && deadline > run.start_time)
    done = static_cast<double>(StopCondition::now_in_nanoseconds() - run.start_time) /
           static_cast<double>(deadline - run.start_time);
  Node& root = tree_.node(shared_.root);
  const SpinGuard guard(root.lock);
  gumbel_->set_progress(tree_, root, done);
}

}  // namespace tengen
