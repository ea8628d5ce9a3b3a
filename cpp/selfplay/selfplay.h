// SPDX-License-Identifier: MIT
// Thousands of games at once. They are in groups: while the leaves of one group are with the net,
// another group is advanced on all threads. Every game has at most one leaf at a time, so that each
// search is an ordinary one, without virtual loss. The same seed and the same answers of the net
// give the same games, whatever the number of threads. Relies on game.h and crew.h; the binding
// relies on it.
#pragma once

#include <memory>

#include "selfplay/crew.h"
#include "selfplay/game.h"

namespace tengen::selfplay {

/// Leaves of a group that wait for a net.
struct Leaves {
  int count = 0;
  int black = 0;  ///< with black to move; they come first if games are to be told by colour
};

class SelfPlay {
 public:
  /// Throws std::invalid_argument for settings that make no sense.
  explicit SelfPlay(const Settings& settings);

  /// Most leaves of a group.
  int group_size(int group) const;

  /// Takes the answers to the group's leaves, in their order (nothing the first time), advances all
  /// its games, and writes the leaves that wait now: packed boards, bytes_of(size) each. `values`
  /// has 3 numbers for each leaf, `policies` size * size. Throws if an answer is none; then no game
  /// can go on.
  Leaves advance(int group, const float* values, const i16* policies, u8* boards);

  /// Those that wait since the group was advanced last.
  Leaves leaves(int group) const { return groups_.at(static_cast<size_t>(group)).leaves; }

  /// The rows of games that have ended since the last take().
  size_t rows_ready() const { return harvest_.rows(); }
  Harvest take();

  Work work() const;
  u64 solver_plays() const;
  const Settings& settings() const { return common_.settings; }
  int threads() const { return crew_.members(); }

 private:
  struct Group {
    std::vector<Game> games;
    std::vector<int> slot;  ///< of each game: its leaf's place in the batch, or -1
    Leaves leaves;
  };

  Leaves hand_out(Group& group, u8* boards);

  Common common_;
  Crew crew_;
  std::vector<std::unique_ptr<Looker>> lookers_;  ///< of the members of the crew
  std::vector<Group> groups_;
  Harvest harvest_;
  bool failed_ = false;
};

}  // namespace tengen::selfplay
