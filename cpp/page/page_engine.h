// SPDX-License-Identifier: MIT
// `PageEngine`: what a page asks of an engine. Requests and events are JSON (docs/formats/page.md):
// the Web Worker and the server answer alike, because both call this.
//
//     view        the position, or all positions of a game: stones, forbidden points, outcome
//     new_game    forget the last game
//     move        the engine's move, at a level or within a time
//     swap2       its stones or its choice in a swap2 opening
//     analyse     the best lines of a position, as a stream
//     solve       a forced win
//     proof_step  a node of the proof of such a win
//     attempt     whether a move still wins by force, with the best reply
//     review      verdicts on the moves of a game
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/player.h"
#include "game/proof_tree.h"
#include "page/analysis.h"
#include "page/position.h"
#include "solver/solver.h"

namespace tengen::page {

/// For one thread; methods that are thread-safe say so.
class PageEngine {
 public:
  /// Takes an event. Called on the thread of handle() or report(); must not call this engine, or
  /// wait for a thread that does.
  using Send = std::function<void(std::string_view event)>;

  /// `load_external` loads nets that are no Mixnets, as of Player.
  PageEngine(PlayOptions options, Bundle bundle, LoadExternal load_external = {});

  /// Answers a request, whole: events with its id, the last of which ends it. Errors are events.
  void handle(std::string_view request, const Send& send);
  /// Ends the request in progress soon, with what is known. Has no effect on one that handle() has
  /// not begun. Thread-safe.
  void stop();
  /// Sends the state of the analysis in progress, if there is one. Thread-safe.
  void report(const Send& send);
  /// Sets what handle() calls about every 50 ms while it searches, on its thread. May call stop()
  /// and report(): hosts without threads have no other way.
  void set_hook(std::function<void()> hook);
  /// Sets the threads of moves at weaker levels; without it, those of the options. With one, a
  /// level plays the same again.
  void set_level_threads(int threads) { level_threads_ = threads; }

 private:
  /// A proof that proof_step shows.
  struct StoredProof {
    StoredProof(double request, Rule game, Proof found)
        : id(request), rule(game), proof(std::move(found)), tree(proof) {}

    double id;
    Rule rule;
    Proof proof;
    ProofTree tree;
  };

  void answer(const Json& request, const Json& id, const Send& send);
  void view(const Json& request, const Json& id, const Send& send);
  void move(const Json& request, const Json& id, const Send& send);
  void new_game(const Json& request, const Json& id, const Send& send);
  void swap2(const Json& request, const Json& id, const Send& send);
  void analyse(const Json& request, const Json& id, const Send& send);
  void solve(const Json& request, const Json& id, const Send& send);
  void attempt(const Json& request, const Json& id, const Send& send);
  void proof_step(const Json& request, const Json& id, const Send& send);
  void review(const Json& request, const Json& id, const Send& send);
  void end_analysis();
  /// The solver, for the rule and size of a position.
  Solver& solver_for(const PagePosition& position);
  Json::Array policy_of(const PlayRequest& request);
  /// The result of a search at a level; forgets an earlier stop().
  PlayedMove search(const PlayRequest& request, int level, const Player::OnLine& on_line = {});
  /// The same at the level and with the seed of a request.
  PlayedMove search_at_level(const PlayRequest& play, const Json& request);

  Player player_;
  PlayOptions options_;
  int threads_;  ///< of the options
  std::optional<int> level_threads_;
  std::optional<Solver> solver_;
  std::deque<std::unique_ptr<StoredProof>> proofs_;  ///< the latest ones
  std::atomic<bool> is_stopped_ = false;             ///< of the request in progress
  std::function<void()> hook_;

  std::mutex lock_;  ///< guards the member below
  std::optional<Analysis> analysis_;
};

}  // namespace tengen::page
