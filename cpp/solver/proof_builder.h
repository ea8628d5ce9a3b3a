// SPDX-License-Identifier: MIT
// Builds proofs node by node, from the leaves on.
#pragma once

#include <unordered_map>
#include <vector>

#include "game/proof.h"
#include "solver/vcf.h"

namespace tengen {

class ProofBuilder {
 public:
  using Replies = std::vector<ProofReply>;

  /// The trees start from this board; it is played on and left unchanged.
  ProofBuilder(ThreatBoard& board, Colour attacker)
      : board_(board), attacker_(attacker), defender_(opponent(attacker)) {}

  /// A five.
  u32 add_five(Point move);
  u32 add(Point move, u32 threat, const Replies& replies);
  /// The whole VCF from the current board. Requires still_wins().
  u32 add_tree(const VcfTree& tree);
  /// A four at `move`, which is already on the board. `refute(defence)` is called with the defence
  /// on the board and returns the node that refutes it; only for legal moves that stop every five.
  template <typename Refute>
  u32 add_four(Point move, Refute refute);

  size_t bytes() const {
    return nodes_.capacity() * sizeof(ProofNode) + replies_.capacity() * sizeof(ProofReply);
  }
  /// The proof of the last added node.
  Proof finish(const Cells& cells, int moves_left) const;

 private:
  u32 read_tree(VcfTree::Reader& reader);

  ThreatBoard& board_;
  Colour attacker_, defender_;
  std::vector<ProofNode> nodes_;
  std::vector<ProofReply> replies_;
  std::unordered_map<Point, u32> fives_;
};

template <typename Refute>
u32 ProofBuilder::add_four(Point move, Refute refute) {
  const Point five = board_.five_point_near(attacker_, move);
  const u32 threat = add_five(five);
  Replies replies;
  for (const Point defence : board_.patterns().defences(attacker_, five)) {
    const bool legal = board_.patterns().is_legal(defender_, defence);
    const ScopedPlay defended(board_, defence, defender_);
    // A second five also refutes a defence that is forbidden here: if this four is part of a
    // threat, another stone may have made the defence legal.
    if (board_.can_make_five(attacker_))
      replies.push_back({defence, add_five(board_.five_point(attacker_))});
    else if (legal)
      replies.push_back({defence, refute(defence)});
  }
  return add(move, threat, replies);
}

}  // namespace tengen
