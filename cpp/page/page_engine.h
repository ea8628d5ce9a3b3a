// SPDX-License-Identifier: MIT
// `PageEngine`: what a page asks of an engine. Requests and events are JSON (docs/formats/page.md):
// the Web Worker and the server answer alike, because both call this.
//
//     view     the position, or all positions of a game: stones, forbidden points, outcome
//     move     the engine's move, at a level or within a time
//     analyse  the best lines of a position, as a stream
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/player.h"
#include "page/position.h"

namespace tengen::page {

/// The lines of an analysis so far.
class AnalysisLines {
 public:
  /// Adds a line; it replaces the last one of its rank.
  void add(const SearchLine& line);
  /// One line of each first move, the best first; values are black's.
  Json::Array shown(Colour side) const;
  int depth() const;

 private:
  /// By rank; of two lines with the same first move, one is outdated: the lower rank counts.
  std::vector<const SearchLine*> unique() const;

  std::map<int, SearchLine> lines_;
};

/// For one thread; methods that are thread-safe say so.
class PageEngine {
 public:
  /// Takes an event. Called on the thread of handle() or report().
  using Send = std::function<void(std::string_view event)>;

  PageEngine(PlayOptions options, Bundle bundle);

  /// Answers a request, whole: events with its id, the last of which ends it. Errors are events.
  void handle(std::string_view request, const Send& send);
  /// Ends the request in progress soon, with what is known. Thread-safe.
  void stop();
  /// Sends the state of the analysis in progress, if there is one. Thread-safe.
  void report(const Send& send);

 private:
  struct Analysis {
    Json id;
    Colour side;
    AnalysisLines lines = {};
    Json::Array policy = {};
    std::optional<SearchLine> last = {};
    double sent = 0;  ///< when the last event was sent, in seconds
  };

  void answer(const Json& request, const Json& id, const Send& send);
  void view(const Json& request, const Json& id, const Send& send);
  void move(const Json& request, const Json& id, const Send& send);
  void analyse(const Json& request, const Json& id, const Send& send);
  Json::Array policy_of(const PlayRequest& request);
  /// Requires the lock.
  Json event_of(const Analysis& analysis, bool is_done) const;
  void set_level(int level);

  Player player_;
  PlayOptions options_;

  std::mutex lock_;  ///< guards the member below
  std::optional<Analysis> analysis_;
};

}  // namespace tengen::page
