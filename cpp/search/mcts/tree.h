// SPDX-License-Identifier: MIT
// The search graph: transpositions share a node. Every move adds a stone, so there are no cycles.
// All memory is allocated at the start; when it runs out, branches with few visits are pruned.
//
// Threading: any thread may find, add and expand nodes; the contents of a node need its lock.
// collect_garbage() and clear() need exclusive access, free_node() a node that is unreachable.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "search/mcts/block_pool.h"
#include "search/mcts/node.h"

namespace tengen::mcts {

class Tree {
 public:
  /// Uses at most `bytes`, but at least a few blocks.
  explicit Tree(size_t bytes);

  /// Removes all nodes.
  void clear();

  Node& node(Index index) { return pool_.at<Node>(index); }
  const Node& node(Index index) const { return pool_.at<Node>(index); }

  struct FindResult {
    Index node = NO_NODE;
    bool is_new = false;
  };
  /// The node of a position; NO_NODE if it has none.
  Index find(u64 key);
  /// Finds the node or adds one in stage NEW; NO_NODE if memory is full.
  FindResult find_or_add(u64 key);
  /// Adds a root that is not in the hash table, for restricted root moves.
  Index add_detached_root();
  /// Frees a detached root and its edges.
  void free_node(Index index);

  /// Sets the moves of a node, best first; false if memory is full. Requires its lock, like the
  /// functions below.
  bool set_moves(Node& node, std::span<const MovePrior> moves);
  /// Turns the next unvisited move into an edge; nullptr if memory is full. Requires an unvisited
  /// move.
  Edge* add_edge(Node& node);
  /// Calls fn(edge) for each edge, in the order of first visits.
  template <typename Function>
  void for_each_edge(const Node& node, Function fn) {
    int remaining = node.edge_count;
    for (Index block = node.edges; remaining > 0; block = pool_.at<EdgeBlock>(block).next)
      for (int i = 0; i < EDGES_PER_BLOCK && remaining > 0; ++i, --remaining)
        fn(pool_.at<EdgeBlock>(block).edges[i]);
  }
  /// Turns an expanded node into a leaf: removes its moves, and its mean becomes its value.
  void collapse(Node& node);

  /// Frees nodes that are unreachable from the root. If more than half of the memory stays in use,
  /// also prunes branches with few visits. False if `should_continue` returned false or nothing
  /// could be freed.
  bool collect_garbage(Index root, const std::function<bool()>& should_continue);

  size_t bytes() const { return pool_.bytes() + chain_heads_.size() * sizeof(Index); }
  /// Memory in use, per mille.
  int hashfull() const { return static_cast<int>(pool_.used() * 1000 / pool_.capacity()); }
  size_t used() const { return pool_.used(); }

 private:
  static constexpr size_t LOCKS = 256;

  Index allocate();
  void free_moves(Node& node);
  /// Marks reachable nodes and prunes those with fewer visits. Returns the live blocks, or 0 if
  /// `should_continue` returned false.
  size_t mark(Index root, u32 min_visits, const std::function<bool()>& should_continue);
  size_t blocks_of(const Node& node) const;
  /// Frees some unmarked nodes; false if none are left.
  bool sweep_some();
  size_t sweep_chain(size_t bucket);
  bool is_alive(const Node& node) const {
    return static_cast<i16>(static_cast<u16>(node.generation - live_generation_)) >= 0;
  }
  size_t bucket_of(u64 key) const { return (key >> 20) & (chain_heads_.size() - 1); }
  u8& lock_of(size_t bucket) { return locks_[bucket % LOCKS]; }

  BlockPool pool_;
  std::vector<Index> chain_heads_;  ///< first node of each chain
  std::array<u8, LOCKS> locks_{};
  u16 live_generation_ = 0;  ///< older nodes are dead: not found, and freed by later allocations
  u16 mark_generation_ = 0;  ///< of new nodes and of those that the last mark() reached
  size_t swept_ = 0;         ///< chains swept since the last collection
  u8 sweep_lock_ = 0;
  std::vector<Index> stack_;  ///< of mark()
};

}  // namespace tengen::mcts
