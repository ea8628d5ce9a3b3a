// SPDX-License-Identifier: MIT
#include "solver/proof_builder.h"

#include <algorithm>
#include <cassert>

namespace tengen {

u32 ProofBuilder::add_five(Point move) {
  const auto [entry, is_new] = fives_.try_emplace(move, static_cast<u32>(nodes_.size()));
  if (is_new) add(move, NO_NODE, {});
  return entry->second;
}

u32 ProofBuilder::add(Point move, u32 threat, const Replies& replies) {
  nodes_.push_back(
      {move, threat, static_cast<u32>(replies_.size()), static_cast<u32>(replies.size())});
  replies_.insert(replies_.end(), replies.begin(), replies.end());
  return static_cast<u32>(nodes_.size() - 1);
}

u32 ProofBuilder::add_tree(const VcfTree& tree) {
  VcfTree::Reader reader(tree);
  return read_tree(reader);
}

u32 ProofBuilder::read_tree(VcfTree::Reader& reader) {
  const Point move = reader.next();
  int count = reader.next();
  if (board_.patterns().threat(attacker_, move) == Threat::FIVE) {
    reader.skip_defences(count);
    return add_five(move);
  }
  // The trees of the defences are read in the order of the tree. Some may be unused: stones may
  // have been added to the board since the tree was found.
  std::vector<ProofReply> refuted;
  const ScopedPlay played(board_, move, attacker_);
  const DefencePoints legal = board_.defences(attacker_, move);
  for (; count > 0; --count) {
    const Point defence = reader.next();
    if (!legal.contains(defence)) {
      reader.skip();
      continue;
    }
    const ScopedPlay defended(board_, defence, defender_);
    refuted.push_back({defence, read_tree(reader)});
  }
  return add_four(move, [&](Point defence) {
    const auto it = std::find_if(refuted.begin(), refuted.end(),
                                 [&](const ProofReply& r) { return r.point == defence; });
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
