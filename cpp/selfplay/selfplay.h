// SPDX-License-Identifier: MIT
// Thousands of concurrent games in groups: while the net evaluates the leaves of one group, the
// threads advance another. A game has at most one leaf in flight, so searches need no virtual loss.
// Seed and net outputs determine the games, independently of the number of threads.
#pragma once

#include <memory>

#include "selfplay/game.h"
#include "selfplay/worker_pool.h"

namespace tengen::selfplay {

/// Leaves of a group that wait for the net.
struct Leaves {
  int count = 0;
  int black = 0;  ///< black's leaves, which come first if sorted by colour or mover
};

class SelfPlay {
 public:
  /// Throws std::invalid_argument for invalid settings.
  explicit SelfPlay(const Settings& settings);

  /// Plays each opening once, in game order, instead of sampled ones: one per game, before the
  /// first advance(). Throws std::invalid_argument.
  void play_once(const std::vector<std::vector<Point>>& openings);
  /// Number of games that are idle after their opening was played. A group of idle games has no
  /// leaves.
  int idle_games() const;

  /// Maximum number of leaves of a group.
  int group_size(int group) const;

  /// Takes the net outputs of the group's leaves in order (none the first time), advances its
  /// games, and writes the new leaves: packed boards of bytes_of(size) bytes. `values` has 3
  /// numbers per leaf, `policies` size * size. Throws if an output is invalid; self-play cannot
  /// continue then.
  Leaves advance(int group, const float* values, const i16* policies, u8* boards);

  /// Leaves of the last advance() of the group.
  Leaves leaves(int group) const { return groups_.at(static_cast<size_t>(group)).leaves; }

  /// Rows of finished games since the last take().
  size_t rows_ready() const { return finished_games_.rows(); }
  GameBatch take();

  WorkCounters counters() const;
  u64 solver_nodes() const;
  const Settings& settings() const { return context_.settings; }
  int threads() const { return workers_.size(); }

 private:
  /// Compact status of a game, written by the threads and scanned by one thread afterwards.
  struct GameStatus {
    int slot = -1;        ///< batch index of its leaf, or -1
    Colour side = BLACK;  ///< side of the leaf for batch sorting
    bool has_opening = false, has_ended = false;
  };
  struct Group {
    std::vector<Game> games;
    std::vector<GameStatus> statuses;  ///< of each game
    std::vector<u8> packed;            ///< leaf of each game
    Leaves leaves;
  };

  void advance_game(Group& group, size_t i, LeafInspector& inspector, const float* values,
                    const i16* policies);
  void collect_finished(Group& group);
  Leaves assign_slots(Group& group, u8* boards) const;

  SelfPlayContext context_;
  WorkerPool workers_;
  std::vector<std::unique_ptr<LeafInspector>> inspectors_;  ///< one per worker
  std::vector<Group> groups_;
  GameBatch finished_games_;
  bool failed_ = false, has_started_ = false;
};

}  // namespace tengen::selfplay
