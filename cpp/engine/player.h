// SPDX-License-Identifier: MIT
// `Player`: an engine with its evaluators, its level and its pondering. play() searches on the
// calling thread; start() and next() search in the background.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "engine/evaluator_loader.h"
#include "engine/limit.h"
#include "engine/search_line.h"
#include "game/rules.h"

namespace tengen {

/// What a search is for: the level of the options weakens moves alone, and `search=auto` selects
/// MCTS for quick moves alone.
enum class SearchPurpose : u8 { MOVE, ANALYSIS, PONDER };

/// A position to search.
struct PlayRequest {
  Board board;
  Rule rule;
  Limit limit = {};
  SearchPurpose purpose = SearchPurpose::MOVE;
  int multipv = 1;                ///< lines of an analysis
  std::vector<Point> moves = {};  ///< the only ones to consider; empty: all
  int moves_left = 0;             ///< the game is drawn after that many more; 0: no limit
  double waited = 0;              ///< seconds already spent on the request
};

/// How far a search is, between two lines.
struct PlayProgress {
  u64 nodes = 0;
  int selective_depth = 0;  ///< of the current line
  double seconds = 0;       ///< since the request, waiting for a net included
  u64 nps = 0;              ///< nodes per second of search
};

/// There is no memory for the tables of a search.
class NoTableMemory : public std::bad_alloc {
 public:
  explicit NoTableMemory(size_t bytes);
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// For one thread, which runs one search at a time; methods that are thread-safe say so.
class Player {
 public:
  using OnLine = std::function<void(const SearchLine&)>;
  using Event = std::variant<SearchLine, PlayedMove>;

  Player(PlayOptions options, Bundle bundle, LoadExternal load_external = {});
  ~Player();

  const PlayOptions& options() const { return options_; }
  /// Sets options, and ends pondering if one of them changes.
  void configure(const PlayOptions& options);
  /// The evaluator of a search of this rule and size. Throws BadNet. Thread-safe.
  EvaluatorInfo evaluator(Rule rule, int size) const;
  /// Starts loading what searches of this rule and size need. It stays loaded while the result is
  /// kept, or until another is requested. Throws BadNet. Thread-safe.
  std::shared_ptr<const PendingEvaluator> prepare(Rule rule, int size);
  /// The same, and puts tables and evaluator in place: waits at most `seconds` for nets that are
  /// being read, not for those that are baked. Throws like play().
  void make_ready(Rule rule, int size, const Limit& limit, double seconds);
  /// Clears the last game.
  void new_game();

  /// Chooses a move. A search that ponders on this position continues. Requires that the game is
  /// not over. Throws BadNet, BadTables, NoTableMemory, std::system_error if there are no more
  /// threads, and what a search throws.
  PlayedMove play(const PlayRequest& request, const OnLine& on_line);

  /// Starts a search, whose lines and result next() returns. It waits for its net on its own
  /// thread. Throws like play(), and so does next().
  void start(const PlayRequest& request);
  /// Waits at most `seconds` for the next line, or the result, which ends the search. nullopt: none
  /// came, or no search runs.
  std::optional<Event> next(double seconds);
  /// Makes the search that ponders on this position the search of a move. False if the move needs a
  /// search of its own: its limit counts nodes or plies, its level or its kind of search differs.
  bool ponder_hit(const PlayRequest& request);
  /// Ends the search of start(), without its result.
  void end_search();
  bool is_searching() const { return search_.has_value(); }

  /// Ends the search soon, or the next play() at once. Thread-safe.
  void stop();
  /// Forgets a stop() that came too late.
  void clear_stop() { is_stopped_ = false; }
  /// Progress of the search; nullopt if none is running or it does not report. Thread-safe.
  std::optional<PlayProgress> progress() const;

  /// Policy of the evaluation before any search, see root_policy.h, by what prepare() returned:
  /// the classical one if that is not loaded. Throws like play().
  std::vector<PolicyMove> root_policy(const PlayRequest& request,
                                      const std::shared_ptr<const PendingEvaluator>& prepared);
  /// See EvaluatorLoader. Thread-safe.
  std::vector<std::string> take_notes();
  /// See Engine.
  void set_hook(StopCondition::Hook hook) { engine_.set_hook(std::move(hook)); }
  void collect_samples(int per_1024) { engine_.collect_samples(per_1024); }
  std::vector<SearchSample> take_samples() { return engine_.take_samples(); }

 private:
  /// The lines of a search of several moves: the latest of each.
  class LineSet {
   public:
    void add(const SearchInfo& info);
    /// One line of each first move, `best` first, then by value.
    std::vector<SearchInfo> sorted(const SearchInfo& best) const;

   private:
    std::vector<SearchInfo> lines_;
  };

  struct Search {
    PlayRequest request;  ///< with the limit of the level
    double start;         ///< of the request, on the clock of StopCondition
    std::shared_ptr<const PendingEvaluator> evaluator = {};
    double waited = 0;  ///< seconds until it began
    EvaluatorChoice choice = {};
    LineSet lines = {};  ///< to choose a weaker move from

    bool is_weakened(const PlayOptions& options) const;
  };

  /// A search whose evaluator is loading.
  Search search_of(const PlayRequest& request);
  EvaluatorChoice install(Rule rule, int size, const std::shared_ptr<const PendingEvaluator>& held);
  /// Installs the evaluator, and sets the kind of search.
  EvaluatorChoice install(const Search& search);
  /// Installs what a search needs, and returns its request for the engine.
  GoRequest begin(Search& search);
  void wait_for_net(const Search& search);
  void start_now();
  /// The line to report, if it is one.
  std::optional<SearchLine> reported(Search& search, const SearchInfo& info) const;
  SearchLine line_of(const Search& search, const SearchInfo& info) const;
  PlayedMove result_of(const Search& search, const EngineEvent& last) const;

  PlayOptions options_;
  Engine engine_;
  mutable std::mutex loader_lock_;  ///< guards loader_, and writing to options_
  EvaluatorLoader loader_;
  std::atomic<bool> is_stopped_ = false;
  std::atomic<bool> is_ending_ = false;  ///< end_search() waits

  std::optional<Search> search_;  ///< of start()
  std::atomic<double> waited_ = 0;
  std::thread waiter_;  ///< waits for its net
  std::mutex lock_;     ///< guards the members below
  std::condition_variable begun_;
  bool is_waiting_ = false;
  std::exception_ptr failure_;  ///< why it did not begin
};

}  // namespace tengen
