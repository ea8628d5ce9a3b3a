// SPDX-License-Identifier: MIT
// Proofs of forced wins, and their check by the referee. A proof says what the attacker plays, and
// for each reply how it goes on; replies that are not worth a word of their own are all beaten by
// one stored threat. The check knows nothing of how proofs are found: it plays every legal reply,
// pass included, and asks the referee. Relies on rules.h alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "game/rules.h"

namespace tengen {

/// "No node": the threat of a move that wins at once.
inline constexpr u32 NO_NODE = 0xFFFFFFFF;

/// A reply of the defender, and the node that beats it.
struct ProofReply {
  Point point;  ///< NO_POINT: a pass
  u32 node;
};

/// The attacker is to move and plays `move`. Either that makes a five (then there is no threat and
/// there are no replies), or each legal reply of the defender is listed, or is beaten by the
/// threat: by going on with node `threat`, reply or no reply. Replies that cannot be played are
/// never looked up; a node that carries out a threat may list some.
struct ProofNode {
  Point move;
  u32 threat;
  u32 first_reply;  ///< index into Proof::replies
  u32 reply_count;
};

struct Proof {
  int size = 15;
  Rule rule = Rule::FREESTYLE;
  Cells cells{};            ///< the position it starts from
  Colour attacker = BLACK;  ///< to move there
  int moves_left = 0;       ///< the game is drawn after so many more moves; 0: no such limit

  /// nodes[0] is the root. Threats and replies only point to nodes with a greater index, so there
  /// is no way in circles; a node may be shared by several places.
  std::vector<ProofNode> nodes;
  std::vector<ProofReply> replies;
};

/// Gets the number of moves played so far; a false answer ends the check.
using KeepGoing = std::function<bool(u64)>;

struct ProofCheck {
  bool holds = false;
  bool stopped = false;  ///< `keep_going` said no before the end
  u64 moves_played = 0;  ///< how many moves the referee tried out
  std::string fault;     ///< why it does not hold, in words
  /// The moves from the start to the position of the fault; NO_POINT: a pass. All of them can be
  /// played: where a move of the proof is at fault itself, the words name it and the path ends
  /// before it.
  std::vector<Point> path;
};

/// Does the proof hold? Every fault of a proof, also one that is broken as a structure, is an
/// answer, never undefined behaviour. `keep_going` is asked now and then (some thousand moves
/// apart).
ProofCheck verify(const Proof& proof, const KeepGoing& keep_going = {});

}  // namespace tengen
