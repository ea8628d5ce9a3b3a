// SPDX-License-Identifier: MIT
// `Player`: an engine with its evaluators, its level and its pondering, for one thread that plays
// one game at a time. It blocks while it searches; stop() may come from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "engine/evaluator_loader.h"
#include "engine/limit.h"
#include "engine/search_line.h"
#include "game/rules.h"

namespace tengen {

class Player {
 public:
  using OnLine = std::function<void(const SearchLine&)>;

  Player(PlayOptions options, Bundle bundle, LoadExternal load_external = {});
  ~Player();

  const PlayOptions& options() const { return options_; }
  /// Sets threads, memory, level and net, and ends pondering if one of them changes. Throws
  /// std::invalid_argument.
  void configure(const PlayOptions& options);
  /// Starts loading what searches of this rule and size need. Throws BadNet.
  void prepare(Rule rule, int size);
  /// The same, and puts tables and evaluator in place: waits at most `seconds` for nets that are
  /// being read, not for those that are baked. Throws like play().
  void make_ready(Rule rule, int size, const Limit& limit, double seconds);
  /// Clears the last game.
  void new_game();

  /// Chooses a move. `waited`: seconds since the request. Requires that the game is not over.
  /// Throws BadNet, std::bad_alloc if there is no memory for the tables, std::runtime_error.
  PlayedMove play(const Board& board, Rule rule, const Limit& limit, double waited,
                  const OnLine& on_line);
  /// Searches the board after the expected reply until the next call, unless its net is still
  /// loading. Throws like play().
  void ponder(const Board& board, Rule rule);
  void end_pondering();
  /// Ends the search soon, or the next one at once. Thread-safe.
  void stop();
  /// Forgets a stop() that came too late.
  void clear_stop() { is_stopped_ = false; }

 private:
  struct Search {
    EvaluatorChoice choice;
    double start = 0;   ///< of the request
    double waited = 0;  ///< until the search started
  };

  /// Installs the evaluator, waiting for it, and sets the kind of search.
  EvaluatorChoice install(Rule rule, int size, const Limit& limit, bool ponder);
  Search begin(const Board& board, Rule rule, const Limit& limit, double start, bool ponder,
               GoRequest& request);
  /// Reads the events of the pondering search, now a search for a move.
  PlayedMove finish(const Search& search, const OnLine& on_line);
  PlayedMove result_of(const Search& search, const EngineEvent& last) const;
  SearchLine line_of(const Search& search, const SearchInfo& info) const;
  /// Whether the pondering search continues under the limit.
  bool is_hit(const Board& board, Rule rule, const Limit& limit) const;

  PlayOptions options_;
  Engine engine_;
  EvaluatorLoader loader_;
  SearchKind kind_;  ///< of the engine
  std::atomic<bool> is_stopped_ = false;

  struct Pondering {
    Board board;
    Rule rule;
    Search search;
  };
  std::optional<Pondering> pondering_;
};

}  // namespace tengen
