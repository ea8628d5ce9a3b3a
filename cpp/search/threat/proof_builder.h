// SPDX-License-Identifier: MIT
// Puts proofs together, node by node from the leaves on. Relies on game/proof.h for what they are,
// and on vcf.h for wins by fours.
#pragma once

#include <unordered_map>
#include <vector>

#include "game/proof.h"
#include "search/threat/vcf.h"

namespace tengen {

class ProofBuilder {
 public:
  using Replies = std::vector<ProofReply>;

  /// The board is the one that the trees are about; it is played on, and left as it was.
  ProofBuilder(ThreatBoard& board, Colour attacker)
      : board_(board), attacker_(attacker), defender_(opponent(attacker)) {}

  /// A five.
  u32 add_five(Point move);
  u32 add(Point move, u32 threat, const Replies& replies);
  /// The whole win by fours from the board as it is. Requires that still_wins holds.
  u32 add_tree(const WinTree& tree);
  /// A four at `move`, which is on the board already. `beat(reply)`, called with the reply on the
  /// board, gives the node that beats it; it is asked only for legal replies that stop every five.
  template <typename Beat>
  u32 add_four(Point move, Beat beat);

  size_t bytes() const {
    return nodes_.capacity() * sizeof(ProofNode) + replies_.capacity() * sizeof(ProofReply);
  }
  /// The finished proof of the node that was added last.
  Proof finish(const Cells& cells, int moves_left) const;

 private:
  u32 read_tree(WinTree::Reader& reader);

  ThreatBoard& board_;
  Colour attacker_, defender_;
  std::vector<ProofNode> nodes_;
  std::vector<ProofReply> replies_;
  std::unordered_map<Point, u32> fives_;
};

template <typename Beat>
u32 ProofBuilder::add_four(Point move, Beat beat) {
  const Point five = board_.five_point_near(attacker_, move);
  const u32 threat = add_five(five);
  Replies replies;
  for (const Point reply : board_.patterns().answers(attacker_, five)) {
    const bool legal = board_.patterns().may_play(defender_, reply);
    const ScopedPlay answered(board_, reply, defender_);
    // A second five also beats a reply that is forbidden here: where this four is part of a threat,
    // a stone more may have made it legal.
    if (board_.has_five(attacker_))
      replies.push_back({reply, add_five(board_.five_point(attacker_))});
    else if (legal)
      replies.push_back({reply, beat(reply)});
  }
  return add(move, threat, replies);
}

}  // namespace tengen
