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
  int black = 0;  ///< black's, which come first if leaves are told by colour or by mover
};

class SelfPlay {
 public:
  /// Throws std::invalid_argument for settings that make no sense.
  explicit SelfPlay(const Settings& settings);

  /// Plays each of these openings once, in the order of the games, instead of drawn ones: as many
  /// as there are games, before the first advance(). Throws std::invalid_argument.
  void play_once(const std::vector<std::vector<Point>>& openings);
  /// Games that have been played so, and rest. A group all of whose games rest has no leaves.
  int resting() const;

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
  /// What the threads have seen of a game, and where one thread looks afterwards: games themselves
  /// are too far apart in memory to be looked through one by one.
  struct Seen {
    int slot = -1;        ///< its leaf's place in the batch, or -1
    Colour side = BLACK;  ///< whose leaf it is, in the order of the batch
    bool has_chosen = false, has_ended = false;
  };
  struct Group {
    std::vector<Game> games;
    std::vector<Seen> seen;  ///< of each game
    std::vector<u8> packed;  ///< the leaf of each game
    Leaves leaves;
  };

  void advance_game(Group& group, size_t i, Looker& looker, const float* values,
                    const i16* policies);
  void gather(Group& group);
  Leaves hand_out(Group& group, u8* boards) const;

  Common common_;
  Crew crew_;
  std::vector<std::unique_ptr<Looker>> lookers_;  ///< of the members of the crew
  std::vector<Group> groups_;
  Harvest harvest_;
  bool failed_ = false, has_begun_ = false;
};

}  // namespace tengen::selfplay
