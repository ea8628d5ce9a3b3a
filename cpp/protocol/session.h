// SPDX-License-Identifier: MIT
// The engine's end of the Gomocup protocol, without input, output, threads or a clock: lines and
// events of searches in, actions out. Commands that come while a search runs wait for its end and
// are answered in order; INFO, STOP and END act at once. An ERROR leaves the position as it was.
// docs/protocol.md has all commands and the decisions.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/evaluator_info.h"
#include "protocol/game_position.h"
#include "protocol/search_report.h"
#include "protocol/settings.h"

namespace tengen::protocol {

// --- actions; an adapter does them in order ---

/// Write a line and flush.
struct SendLine {
  std::string line;
};
/// Start a new game: clear the tables, and load the evaluator for the board.
struct StartGame {
  GamePosition position;
  SessionOptions options;
  Limit limit;  ///< of a move, as far as it is known
};
/// Load the evaluator for boards of this rule and size. A search may follow at once.
struct PrepareEvaluator {
  GamePosition position;
  SessionOptions options;
};
/// Start a search, and pass its events to search_event(). The limit counts from the arrival of the
/// command.
struct StartSearch {
  GamePosition position;
  Limit limit;
  SessionOptions options;
};
/// Search the position after the expected reply, without events. The next StartSearch continues it
/// on the same position and ends it on another; so do StartGame and StopSearch.
struct StartPondering {
  GamePosition position;
};
/// End the running search, if any; its result is still an event.
struct StopSearch {};
/// End the program at once.
struct Quit {};

using Action = std::variant<SendLine, StartGame, PrepareEvaluator, StartSearch, StartPondering,
                            StopSearch, Quit>;
using Actions = std::vector<Action>;

// --- events of a search ---

/// No move was found.
struct SearchFailed {
  std::string reason;
};

using SearchEvent = std::variant<SearchLine, PlayedMove, SearchFailed>;

/// What a session knows of its surroundings.
struct SessionConfig {
  std::string about;  ///< the reply to ABOUT, without the evaluation
  Settings settings;
  SessionLimits limits;
  u32 seed = 0;  ///< selects the swap2 opening
  /// The evaluator of a search with this rule, size and option net_memory. May throw
  /// std::runtime_error: the search then reports it.
  std::function<EvaluatorInfo(Rule, int, int)> evaluator;
};

/// One engine with one manager.
class Session {
 public:
  explicit Session(SessionConfig config);

  /// The actions for a line of the manager.
  Actions handle(std::string_view line);
  /// The actions for an event of the running search.
  Actions search_event(const SearchEvent& event);
  /// END, or the end of the input. A running search is stopped; before Quit come its move and the
  /// answers to the commands that wait for it, up to the first that needs another search.
  Actions close();
  /// Whether close() was called: what the manager sends then has no answer.
  bool is_closing() const { return closing_; }

  /// nullopt before START.
  const std::optional<GamePosition>& position() const { return position_; }
  bool is_searching() const { return search_.has_value(); }

 private:
  using Handler = Actions (Session::*)(const Command&);

  /// A running search, and the position to return to if it fails.
  struct Search {
    GamePosition before;
    bool is_swap2 = false;
    SearchReport report = {};
  };

  static Handler find(std::string_view verb);
  static Handler find_at_once(std::string_view verb);

  Actions execute(const Command& command);
  Actions run(const Command& command);
  Actions in_block(const Command& command);

  Actions start(const Command& command);
  Actions restart(const Command& command);
  Actions rect_start(const Command& command);
  Actions begin(const Command& command);
  Actions turn(const Command& command);
  Actions play(const Command& command);
  Actions take_back(const Command& command);
  Actions open_block(const Command& command);
  Actions done(const Command& command);
  Actions about(const Command& command);
  Actions info(const Command& command);
  Actions stop(const Command& command);
  Actions end(const Command& command);

  Actions begin_game(int size);
  Actions set_board(const StoneBlock& block);
  Actions swap2(const StoneBlock& block);
  Actions think(GamePosition before, bool is_swap2 = false);
  Actions finish(const Search& search, const PlayedMove& played);
  Actions ponder_on(const SearchEvent& event);
  Actions end_pondering();
  Actions report_evaluator(const EvaluatorInfo& evaluator);

  GamePosition& started();
  EvaluatorInfo evaluator() const;
  SessionOptions options() const;

  SessionConfig config_;
  Settings settings_;
  EvaluatorInfo reported_;  ///< the last evaluator that was sent
  std::optional<GamePosition> position_;
  std::optional<StoneBlock> block_;
  std::optional<Search> search_;
  std::deque<Command> waiting_;
  i64 spent_ = 0;  ///< ms of the match since the last time_left
  bool pondering_ = false;
  bool closing_ = false;  ///< the input has ended
};

}  // namespace tengen::protocol
