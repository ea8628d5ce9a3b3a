// SPDX-License-Identifier: MIT
#include "solver/proof_builder.h"

#include <algorithm>
#include <cassert>

namespace tengen {

u32 ProofBuilder::add_five(Point move) {
  const auto [place, is_new] = fives_.try_emplace(move, static_cast<u32>(nodes_.size()));
  if (is_new) add(move, NO_NODE, {});
  return place->second;
}

u32 ProofBuilder::add(Point move, u32 threat, const Replies& replies) {
  nodes_.push_back(
      {move, threat, static_cast<u32>(replies_.size()), static_cast<u32>(replies.size())});
  replies_.insert(replies_.end(), replies.begin(), replies.end());
  return static_cast<u32>(nodes_.size() - 1);
}

u32 ProofBuilder::add_tree(const WinTree& tree) {
  WinTree::Reader reader(tree);
  return read_tree(reader);
}

u32 ProofBuilder::read_tree(WinTree::Reader& reader) {
  const Point move = reader.next();
  int replies = reader.next();
  if (board_.patterns().threat(attacker_, move) == Threat::FIVE) {
    reader.skip_replies(replies);
    return add_five(move);
  }
  // The trees of the replies follow one another in their own order. Some may be unused: stones may
  // have been added to the board.
  std::vector<ProofReply> refuted;
  const ScopedPlay played(board_, move, attacker_);
  const Answers defences = board_.defences(attacker_, move);
  for (; replies > 0; --replies) {
    const Point reply = reader.next();
    if (!defences.contains(reply)) {
      reader.skip();
      continue;
    }
    const ScopedPlay answered(board_, reply, defender_);
    refuted.push_back({reply, read_tree(reader)});
  }
  return add_four(move, [&](Point reply) {
    const auto it = std::find_if(refuted.begin(), refuted.end(),
                                 [&](const ProofReply& r) { return r.point == reply; });
    assert(it != refuted.end());
    return it->node;
  });
}

Proof ProofBuilder::finish(const Cells& cells, int moves_left) const {
  // Nodes were added from the leaves on; a proof starts with its root.
  const auto reversed = [&](u32 node) {
    return node == NO_NODE ? NO_NODE : static_cast<u32>(nodes_.size() - 1 - node);
  };
  Proof proof;
  proof.size = board_.size();
  proof.rule = board_.rule();
  proof.cells = cells;
  proof.attacker = attacker_;
  proof.moves_left = moves_left;
  for (size_t i = nodes_.size(); i-- > 0;) {
    ProofNode node = nodes_[i];
    node.threat = reversed(node.threat);
    proof.nodes.push_back(node);
  }
  for (const ProofReply& reply : replies_)
    proof.replies.push_back({reply.point, reversed(reply.node)});
  return proof;
}

}  // namespace tengen
