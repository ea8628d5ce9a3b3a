// SPDX-License-Identifier: MIT
// A player on its own thread: it runs tasks in order and reports the events of its searches. All
// methods but the destructor return at once, except where noted.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/player.h"
#include "protocol/session.h"

namespace tengen::app {

class EngineThread {
 public:
  using Report = std::function<void(protocol::SearchEvent)>;

  /// Calls `report` on its thread. Memory in `options` is that of the command line.
  EngineThread(PlayOptions options, Bundle bundle, LoadExternal load_external, Report report);
  ~EngineThread();

  /// Prepares the player for such boards, and clears the last game. Waits until the player and its
  /// tables are in place, also nets that are read from the cache; those that are baked take longer.
  void start_game(const protocol::StartGame& game);
  /// Starts loading the evaluator for such boards.
  void prepare(const protocol::PrepareEvaluator& request);
  /// Searches; the limit counts from `since`, a time of StopCondition::now_in_nanoseconds().
  void search(const protocol::StartSearch& request, i64 since);
  void ponder(const protocol::StartPondering& request);
  /// Ends the last search that was requested, or pondering.
  void stop();
  /// Ends the thread; whether that took at most `seconds`.
  bool close(double seconds);

 private:
  void run();
  void add(std::function<void()> task);
  /// The player with these options; smaller tables, fewer threads and no nets if memory is short.
  Player& ready(const protocol::SessionOptions& options);
  bool make_smaller(const protocol::SessionOptions& options);
  /// Calls work(), again with less as long as memory does not suffice.
  template <typename Work>
  auto with_less_memory(const protocol::SessionOptions& options, Work work);
  PlayOptions limited(const protocol::SessionOptions& options) const;
  void do_start_game(const protocol::StartGame& game);
  void do_search(const protocol::StartSearch& request, i64 since, u64 job);
  PlayedMove played(const protocol::StartSearch& request, i64 since, u64 job);

  PlayOptions options_;
  Bundle bundle_;
  LoadExternal load_external_;
  Report report_;
  std::unique_ptr<Player> player_;
  // Bounds of this game, after tables, threads or nets did not fit; memory in MiB.
  std::optional<int> max_memory_, max_threads_, max_net_memory_;

  std::mutex lock_;  ///< guards the members below
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  u64 jobs_ = 0;     ///< searches requested so far
  u64 stopped_ = 0;  ///< all up to this one are to end
  u64 running_ = 0;  ///< the one that runs; 0: none
  bool closing_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace tengen::app
