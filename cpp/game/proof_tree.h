// SPDX-License-Identifier: MIT
// Navigation of a proof: how long each node resists, the order of replies, the main line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "game/board.h"
#include "game/proof.h"

namespace tengen {

class ProofTree {
 public:
  /// The proof must outlive this object. Throws std::invalid_argument for a structure_error().
  explicit ProofTree(const Proof& proof);

  /// The maximum number of moves of the attacker up to the five, if each listed reply can be
  /// played.
  int bound(u32 node) const { return bounds_[node]; }

  struct Reply {
    std::optional<Point> point;  ///< nullopt: any that is not listed
    u32 node;                    ///< that refutes it
  };
  /// The replies to a node, the longest resistance first. Of those that resist equally long, listed
  /// ones come first, of these those that leave the fewest listed replies, then row by row.
  std::vector<Reply> resistance(u32 node) const;

  /// The position it starts from.
  Board start() const;
  struct Line {
    std::vector<Point> moves;
    std::string error;  ///< why the proof goes no further; empty: the last move makes the five
  };
  /// The main line: each reply is the one that resists longest. A pass stands for any reply without
  /// its own answer.
  Line line() const;
  /// The node after a line of play from the start: after a reply the node that refutes it, after a
  /// move of the attacker the node of that move. The caller checks that the moves are legal. Throws
  /// std::invalid_argument for another move of the attacker than the proof's, and after the five.
  u32 walk(const std::vector<Point>& moves) const;

 private:
  std::optional<Point> playable(const Board& board, u32 node, const Reply& reply) const;
  bool is_listed(u32 node, Point p) const;

  const Proof& proof_;
  std::vector<i32> bounds_;
};

}  // namespace tengen
