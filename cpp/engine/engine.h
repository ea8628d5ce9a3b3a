// SPDX-License-Identifier: MIT
// The engine: owns options, tables, evaluators, the searcher and its thread. go() returns at once;
// results arrive as events. There are no globals, so several engines can coexist.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/make_searcher.h"
#include "engine/options.h"
#include "engine/root_policy.h"
#include "engine/time_plan.h"
#include "search/searcher.h"

namespace tengen {

/// An info line, the result, or an error.
struct EngineEvent {
  enum class Kind : u8 { INFO, DONE, FAILED };

  Kind kind = Kind::INFO;
  SearchInfo info;          ///< of DONE: the line of the move
  Point move = NO_POINT;    ///< of DONE; NO_POINT is a pass
  Point ponder = NO_POINT;  ///< expected reply, if any
  /// Of FAILED: std::bad_alloc or std::system_error if there is no memory for tables or threads,
  /// else std::runtime_error.
  std::exception_ptr failure = nullptr;
};

/// A position and its limits.
struct GoRequest {
  int size = 15;
  Rule rule = Rule::FREESTYLE;
  SearchRequest search;
  TimeLimits time;
  bool ponder = false;  ///< the clock starts with ponder_hit()
};

/// Only stop(), ponder_hit(), next_event(), progress() and is_running() are thread-safe; all other
/// calls belong to one thread.
class Engine {
 public:
  explicit Engine(const EngineOptions& options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Throws std::logic_error while a search runs.
  void set_options(const EngineOptions& options);
  /// Loads the classical tables of a rule from the bytes of their file.
  void load_tables(Rule rule, std::string_view bytes);
  /// Sets the evaluation of the preset ALPHABETA; the default is the classical tables. Throws
  /// std::invalid_argument if a net is missing.
  void set_evaluation(Evaluation evaluation);
  /// Loads the lazy tables of the current nets for a rule from the bytes of their file.
  void load_lazy_tables(Rule rule, std::string_view bytes);
  /// Samples `per_1024` of every 1024 evaluated positions in the following searches; 0: none.
  void collect_samples(int per_1024);
  /// Samples since the last call.
  std::vector<SearchSample> take_samples();
  const EngineOptions& options() const { return options_; }
  /// What was loaded, for evaluators of a rule.
  EvaluatorResources resources(Rule rule) const;

  /// Starts a search. Requires that the game is not over. Throws std::logic_error if one is
  /// running, std::bad_alloc if there is no memory for the tables, std::invalid_argument if the
  /// evaluation of the preset is not loaded or does not support the board.
  void go(const GoRequest& request);
  /// The same on this thread: lines go to `on_line`, and the last event is returned. Ends at once
  /// if `stop_requested`. Throws like go().
  EngineEvent run(const GoRequest& request, const std::atomic<bool>& stop_requested,
                  const Searcher::OnInfo& on_line);
  /// Sets what the searching thread calls about every 50 ms; returning false ends the search. For
  /// hosts without threads, whose stop() has to come from there.
  void set_hook(StopCondition::Hook hook);
  /// Creates the tables for such boards, which the first search would do. Throws like go().
  void prepare(int size, Rule rule);
  /// Ends the search soon; its result arrives as an event. Thread-safe.
  void stop();
  /// The opponent played the expected move: the search continues, and the time limits count from
  /// now. `limits` replaces those of go().
  void ponder_hit(const std::optional<TimeLimits>& limits = std::nullopt);
  /// Waits for the next event. nullopt: timeout, or no search is running.
  std::optional<EngineEvent> next_event(double seconds);
  /// Progress of the search; nullopt if none is running or it does not report. Thread-safe.
  std::optional<SearchProgress> progress() const;
  /// Policy of the evaluation at the root, see root_policy.h. Throws like go().
  std::vector<PolicyMove> root_policy(const GoRequest& request);
  /// True until the result was put into the event queue.
  bool is_running() const;
  void new_game();

 private:
  void require_idle() const;
  void start_clock(const TimePlan& plan);
  /// Everything of go() but the search itself.
  SearchRequest begin(const GoRequest& request);
  /// Searches, and returns the last event.
  EngineEvent run_search(const SearchRequest& request, const Searcher::OnInfo& on_line);
  void end_search();
  void push_event(EngineEvent event);

  EngineOptions options_;
  std::array<std::shared_ptr<const ClassicalTables>, RULE_NB> tables_;
  Evaluation evaluation_;
  std::shared_ptr<const LazyTables> lazy_tables_;
  std::vector<SearchSample> samples_;
  int samples_per_1024_ = 0;
  std::unique_ptr<Searcher> searcher_;
  int searcher_size_ = 0;
  Rule searcher_rule_ = Rule::FREESTYLE;

  mutable std::mutex lock_;  ///< guards the members below
  std::condition_variable changed_;
  std::deque<EngineEvent> events_;
  bool running_ = false;
  bool pondering_ = false;
  TimePlan plan_;
  int stones_ = 0;  ///< on the board of the last go()

  SearchControl control_;
  std::thread thread_;
};

}  // namespace tengen
