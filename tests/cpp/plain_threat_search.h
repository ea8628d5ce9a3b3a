// SPDX-License-Identifier: MIT
// A simple reference search of wins by threats and quiet moves, for small boards: every move and
// every reply, checked by the referee. It shares with the solvers only
// the rules.
//
// The attacker is to move; the game is drawn when no moves are left.
//   - He wins by fours if he can make a five, or play a four after which, whatever the defender
//   does, he wins
//     by fours. (A four is a legal move after which he could make a five; it fails if the defender
//     can make a five.)
//   - He wins by threats if he wins by fours, or can play a threat after which, whatever the
//   defender does, he
//     wins by threats. (A threat is a legal move after which he would win by fours if the defender
//     passed; it fails if the defender can make a five.)
//   - With q quiet moves he may also play a move that is no threat, if he wins with q - 1 quiet
//   moves whatever
//     the defender does, and if he does nothing.
#pragma once

#include <unordered_map>

#include "game/rules.h"

namespace tengen {

class PlainThreatSearch {
 public:
  /// Gives up after looking at `max_positions` positions with the attacker to move. `moves_left` 0:
  /// no limit.
  PlainThreatSearch(const Cells& cells, int size, Rule rule, Colour attacker, int moves_left,
                    u64 max_positions);

  /// False also if it gave up.
  bool wins_by_fours();
  bool wins(int quiet);
  bool gave_up() const { return gave_up_; }

 private:
  bool by_fours(int left);
  bool by_threats(int left, int quiet);
  bool beats_all(int left, int quiet);
  bool is_legal(Point p, Colour colour);
  bool can_make_five(Colour colour);
  void put(Point p, Colour colour, Stone stone);
  bool spend();

  Referee referee_;
  Rule rule_;
  const std::vector<Point>& points_;
  Colour attacker_, defender_;
  int left_;
  u64 budget_;
  bool gave_up_ = false;
  u64 hash_ = 0;
  std::unordered_map<u64, bool> memo_;
};

}  // namespace tengen
