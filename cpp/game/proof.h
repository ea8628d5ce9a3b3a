// SPDX-License-Identifier: MIT
// Proofs of forced wins and their verification. A proof is a tree of attacking moves with a
// refutation of each listed reply; one stored threat refutes all replies that are not listed.
// Verification is independent of the solvers: it plays every legal reply, pass included, under the
// rules of rules.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "game/rules.h"

namespace tengen {

/// "No node": the threat of a move that makes a five.
inline constexpr u32 NO_NODE = 0xFFFFFFFF;

/// A reply of the defender and the node that refutes it.
struct ProofReply {
  Point point;  ///< NO_POINT: a pass
  u32 node;
};

/// The attacker is to move and plays `move`. Either that makes a five (then there is no threat and
/// there are no replies), or each legal reply of the defender is listed or refuted by the threat:
/// continuing with node `threat`. Listed replies that are not playable are ignored; a node that
/// executes a threat may have some.
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
  int moves_left = 0;       ///< moves until the game is drawn; 0: no limit

  /// nodes[0] is the root. Threats and replies point to nodes with a greater index, so there are no
  /// cycles; nodes may be shared.
  std::vector<ProofNode> nodes;
  std::vector<ProofReply> replies;
};

/// What is wrong with a proof as a structure: its start, nodes that are none, or points off the
/// board; empty if nothing is. Says nothing about the moves.
std::string structure_error(const Proof& proof);

/// Called with the number of moves played so far; returning false ends the verification.
using ShouldContinue = std::function<bool(u64)>;

struct ProofCheck {
  bool is_valid = false;
  bool interrupted = false;  ///< `should_continue` returned false
  u64 moves_played = 0;      ///< moves played by the verification
  std::string error;         ///< error message if the proof does not hold
  /// Moves from the start to the position of the error; NO_POINT: a pass. All of them are legal: if
  /// a move of the proof is at fault, the message names it and the path ends before it.
  std::vector<Point> path;
};

/// Verifies a proof. Any input is safe: structural errors are reported like others.
/// `should_continue` is called every few thousand moves.
ProofCheck verify(const Proof& proof, const ShouldContinue& should_continue = {});

}  // namespace tengen
