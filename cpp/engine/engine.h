// SPDX-License-Identifier: MIT
// The composition root: owns options, tables, evaluators, the searcher and its thread. go() returns
// at once; what is found comes out as events. No globals, so several engines live side by side.
// Relies on search and eval; bind/ is one client of it, bench.h another.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/first_look.h"
#include "engine/make_searcher.h"
#include "engine/options.h"
#include "engine/time_plan.h"
#include "search/searcher.h"

namespace tengen {

/// A line found, the answer, or the sentence that tells why there is none.
struct EngineEvent {
  enum class Kind : u8 { INFO, DONE, FAILED };

  Kind kind = Kind::INFO;
  SearchInfo info;          ///< of an answer: the line of its move
  Point move = NO_POINT;    ///< of an answer: NO_POINT is the pass
  Point ponder = NO_POINT;  ///< the reply that is expected, if any
  std::string fault;
};

/// A position and how long to think about it.
struct GoRequest {
  int size = 15;
  Rule rule = Rule::FREESTYLE;
  SearchRequest search;
  TimeLimits time;
  bool ponder = false;  ///< time counts only after ponder_hit()
};

/// All calls but stop(), ponder_hit(), next_event(), progress() and is_running() belong to one
/// thread.
class Engine {
 public:
  explicit Engine(const EngineOptions& options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Throws std::invalid_argument with a sentence; std::logic_error while a search runs.
  void set_option(std::string_view name, i64 value);
  /// The classical tables of a rule, as bytes of their file.
  void load_tables(Rule rule, std::string_view bytes);
  /// What the preset ALPHABETA evaluates with; the classical tables, unless it is told. Throws
  /// std::invalid_argument if a net is missing.
  void set_evaluation(Evaluation evaluation);
  /// The guesses of the nets that were set last, for a rule, as bytes of their file.
  void load_guesses(Rule rule, std::string_view bytes);
  /// From now on searches keep `share` of 1024 of the positions that they ask a value of; 0: none.
  void collect_samples(int share);
  /// What was kept since the last call.
  std::vector<SearchSample> take_samples();
  const EngineOptions& options() const { return options_; }

  /// Begins a search. Requires a position in which the game is not over. Throws std::logic_error if
  /// one is running, std::bad_alloc if there is no room for the tables, std::invalid_argument if
  /// what the preset evaluates with was not loaded, or is for other boards.
  void go(const GoRequest& request);
  /// Ends the search soon; its answer comes as an event. Any thread may call it at any time.
  void stop();
  /// The opponent played the expected move: the search continues, and the time limits count from
  /// now. `limits` replaces those of go().
  void ponder_hit(const std::optional<TimeLimits>& limits = std::nullopt);
  /// Waits for the next event. Nothing: none came in time, or nothing is left to come.
  std::optional<EngineEvent> next_event(double seconds);
  /// How far the search is; nothing if none runs or it does not say. Any thread may ask.
  std::optional<SearchProgress> progress() const;
  /// The moves with their chances by the evaluation's first look, see first_look.h. Throws as go().
  std::vector<LikelyMove> likely_moves(const GoRequest& request);
  /// Until the answer has been put out.
  bool is_running() const;
  void new_game();

 private:
  void require_idle() const;
  /// A searcher for such boards.
  void prepare(int size, Rule rule);
  Knowledge knowledge(Rule rule) const;
  void begin_time(const TimePlan& plan);
  void think(const SearchRequest& request);
  void put(EngineEvent event);

  EngineOptions options_;
  std::array<std::shared_ptr<const ClassicalTables>, RULE_NB> tables_;
  Evaluation evaluation_;
  std::shared_ptr<const GuessTables> guesses_;
  std::vector<SearchSample> samples_;
  int sample_share_ = 0;
  std::unique_ptr<Searcher> searcher_;
  int searcher_size_ = 0;
  Rule searcher_rule_ = Rule::FREESTYLE;

  mutable std::mutex lock_;  ///< guards what follows
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
