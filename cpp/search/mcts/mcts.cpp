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

TUNABLE(MCTS_TIME_UNSETTLED, 130, 100, 300, 10,
        "per cent of the planned time while the most visited move is not the best");
TUNABLE(MCTS_TIME_SETTLED, 80, 20, 100, 5, "per cent of the planned time when it is");
TUNABLE(MCTS_C, 100, 10, 400, 12, "per cent of the option c");
TUNABLE(MCTS_C_LOG, 100, 0, 800, 40, "per cent of the option c_log");
TUNABLE(MCTS_FPU, 100, 0, 800, 40, "per cent of the option fpu");
TUNABLE(MCTS_LCB, 100, 10, 400, 20, "per cent of the option lcb");
TUNABLE(MCTS_TEMPERATURE, 100, 30, 300, 10, "per cent of the option temperature");
TUNABLE(MCTS_SPREAD, 100, 0, 250, 25, "per cent of the option spread");

double part(double option, int percent) { return percent == 100 ? option : option * percent / 100; }

/// The options as a tuner changes them; in ordinary builds as they are.
MctsSettings tuned(MctsSettings settings) {
  settings.c = part(settings.c, MCTS_C);
  settings.c_log = part(settings.c_log, MCTS_C_LOG);
  settings.fpu = part(settings.fpu, MCTS_FPU);
  settings.lcb = part(settings.lcb, MCTS_LCB);
  settings.temperature = part(settings.temperature, MCTS_TEMPERATURE);
  settings.spread = part(settings.spread, MCTS_SPREAD);
  return settings;
}

/// Of the memory: what the solvers' tables get, and policies that wait, all threads together.
constexpr size_t VCF_SHARE = 8;
constexpr size_t POLICY_SHARE = 16;
/// Bytes of policies that are of use to a thread: more would only leave the caches.
constexpr size_t MOST_POLICY = 4 << 20;

size_t policy_bytes(size_t memory, int threads) {
  return std::min(memory / POLICY_SHARE / static_cast<size_t>(threads), MOST_POLICY);
}
/// Playouts for a lone move when time is limited: nothing but its value is left to find out.
constexpr u64 ONE_CHOICE_PLAYOUTS = 100;
/// Playouts between two looks at the line and at the plan for the time.
constexpr u64 LOOK_EVERY = 32;
/// Nanoseconds after which lines are told in any case.
constexpr i64 REPORT_PERIOD = 250'000'000;

}  // namespace

Mcts::Mcts(int size, Rule rule, const MctsSettings& settings, int threads, size_t memory,
           const MakeEvaluator& make_evaluator)
    : options_(settings),
      settings_(settings),
      tree_(memory - memory / VCF_SHARE -
            policy_bytes(memory, threads) * static_cast<size_t>(threads)),
      solver_(memory / VCF_SHARE / static_cast<size_t>(threads + 1)) {
  for (int i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>(
        size, rule, make_evaluator(), memory / VCF_SHARE / static_cast<size_t>(threads + 1),
        policy_bytes(memory, threads)));
}

void Mcts::new_game() {
  tree_.clear();
  question_ = {};
  solver_.new_game();
  for (const auto& worker : workers_) worker->new_game();
}

SearchAnswer Mcts::search(const SearchRequest& request, SearchControl& control,
                          const OnInfo& on_info) {
  settings_ = tuned(options_);
  for (const auto& worker : workers_) worker->assign(request, settings_, control);
  SearchAnswer answer;
  Run run(request, control, on_info);
  if (request.only.empty() && request.multipv == 1) {
    const bool solved =
        solver_.solve(workers_[0]->position(), request, control, settings_.vcf, answer);
    run.solver_nodes = solver_.nodes();
    if (solved) {
      on_info(answer.info);
      return answer;
    }
  }
  std::vector<Choice> moves = choices(request);
  if (moves.empty()) return answer;
  // With one move to choose from little is left to find out, unless it is that move's value.
  if (moves.size() == 1 && request.only.empty() &&
      control.deadline.load(std::memory_order_relaxed) != SearchControl::NEVER)
    run.limit = std::min(run.limit, ONE_CHOICE_PLAYOUTS);
  do {
    make_root(request, moves);
    run_workers(run);
  } while (has_drawn_in_vain(moves));

  const std::vector<SearchInfo> lines = infos(run);
  for (const SearchInfo& info : lines) on_info(info);
  answer.info = lines[0];
  answer.move = answer.info.line[0];
  if (answer.info.line.size() > 1) answer.ponder = answer.info.line[1];
  return answer;
}

/// All threads play until the search is over. The first error ends it and is thrown here.
void Mcts::run_workers(Run& run) {
  question_.looks_at_all = run.request.multipv > 1;
  question_.gumbel = gumbel_ ? &*gumbel_ : nullptr;
  question_.last = run.request.last;
  question_.tree = &tree_;
  run.over = false;
  const auto start = [&](Worker& worker, bool is_main) {
    try {
      drive(worker, run, is_main);
    } catch (...) {
      const std::lock_guard guard(run.failure_lock);
      if (!run.failure) run.failure = std::current_exception();
    }
    run.over = true;
  };
  for (const auto& worker : workers_) worker->set_question(question_);
  std::vector<std::thread> helpers;
  try {
    for (size_t i = 1; i < workers_.size(); ++i)
      helpers.emplace_back([&start, &worker = *workers_[i]] { start(worker, false); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do the work.
  }
  start(*workers_[0], true);
  for (std::thread& helper : helpers) helper.join();
  if (run.failure) std::rethrow_exception(run.failure);
}

void Mcts::drive(Worker& worker, Run& run, bool is_main) {
  const auto wanted = static_cast<u64>(worker.position().batched() ? settings_.batch : 1);
  while (!run.over.load(std::memory_order_relaxed)) {
    if (run.is_stopped() || (is_main && is_over(run))) return;
    const u64 first = run.claimed.fetch_add(wanted, std::memory_order_relaxed);
    if (first >= run.limit) {  // others may give some back
      run.claimed.fetch_sub(wanted, std::memory_order_relaxed);
      if (run.done.load(std::memory_order_relaxed) >= run.limit) return;
      std::this_thread::yield();
      continue;
    }
    const int collections = run.collections.load();
    Attempt attempt;
    {
      const std::shared_lock gate(run.gate);
      attempt = worker.attempt(static_cast<int>(std::min(wanted, run.limit - first)));
    }
    const auto done = static_cast<u64>(attempt.done);
    run.done.fetch_add(done, std::memory_order_relaxed);
    run.claimed.fetch_sub(wanted - done, std::memory_order_relaxed);
    if (attempt.nothing_open) return;
    if (attempt.no_room) make_room(run, collections);
  }
}

/// `collections`: how many there had been when room was missing. If none helps, the search ends.
void Mcts::make_room(Run& run, int collections) {
  const std::unique_lock gate(run.gate);
  if (run.collections.load() != collections) return;  // another thread was quicker
  ++run.collections;
  if (!tree_.collect(question_.root, [&run] { return !run.is_stopped(); })) run.over = true;
}

/// What the main thread looks after between its playouts. It reads more of the tree than the root
/// only with the gate held: another thread may be about to free what a line goes through.
bool Mcts::is_over(Run& run) {
  const u64 done = run.done.load(std::memory_order_relaxed);
  {
    Node& root = tree_.node(question_.root);
    const SpinGuard guard(root.lock);
    if (root.proof.is_known()) return true;
  }
  if (done == 0) return false;
  if (gumbel_) set_progress(run);
  const i64 now = Watch::now_in_nanoseconds();
  if (done >= run.next_report || now - run.last_report >= REPORT_PERIOD) {
    std::vector<SearchInfo> found;
    {
      const std::shared_lock gate(run.gate);
      found = infos(run);
    }
    for (const SearchInfo& info : found) run.on_info(info);
    run.last_report = now;
    while (run.next_report <= done) run.next_report *= 2;
  }
  if (done < run.next_look) return false;
  run.next_look = done + LOOK_EVERY;
  const std::shared_lock gate(run.gate);
  return is_deep_enough(run) || is_time_to_stop(run);
}

/// The depth of a search is the length of its line, unless the best move is known to win, or its
/// line ends with the game. A best move that loses says nothing yet: others are still open.
bool Mcts::is_deep_enough(const Run& run) {
  if (run.request.depth == 0) return false;
  const std::vector<RankedMove> moves = ranked_moves(tree_, question_.root, settings_, nullptr);
  const size_t there = tree_.node(question_.root).move_count;
  if (moves.size() < std::min<size_t>(static_cast<size_t>(run.request.multipv), there))
    return false;
  if (is_mate(moves[0].value)) return is_win(moves[0].value);
  const Line line = line_of(tree_, moves[0]);
  return line.is_drawn || static_cast<int>(line.moves.size()) >= run.request.depth;
}

bool Mcts::is_time_to_stop(Run& run) {
  const i64 optimum = run.control.optimum.load(std::memory_order_relaxed);
  if (optimum == 0) return false;
  const std::vector<RankedMove> moves = ranked_moves(tree_, question_.root, settings_, nullptr);
  const bool settled = std::all_of(moves.begin(), moves.end(), [&](const RankedMove& move) {
    return move.visits <= moves[0].visits;
  });
  const i64 began = run.control.began.load(std::memory_order_relaxed);
  const i64 percent = settled ? MCTS_TIME_SETTLED : MCTS_TIME_UNSETTLED;
  return Watch::now_in_nanoseconds() - began > optimum * percent / 100;
}

/// Of the playouts, if they are limited, else of the time; without either nothing is left out.
void Mcts::set_progress(const Run& run) {
  double done = 0;
  const i64 deadline = run.control.deadline.load(std::memory_order_relaxed);
  if (run.request.nodes)
    done = static_cast<double>(run.done.load(std::memory_order_relaxed)) /
           static_cast<double>(run.limit);
  else if (deadline != SearchControl::NEVER && deadline > run.began)
    done = static_cast<double>(Watch::now_in_nanoseconds() - run.began) /
           static_cast<double>(deadline - run.began);
  Node& root = tree_.node(question_.root);
  const SpinGuard guard(root.lock);
  gumbel_->set_progress(tree_, root, done);
}

}  // namespace tengen
