// SPDX-License-Identifier: MIT
// The tree of a search, or rather its graph: positions reached by different orders of moves share a
// node. One stone more with every move, so there are no circles. All memory is fixed at the start:
// where it runs out, branches with few visits are cut off. Relies on block_pool.h.
//
// Who may do what: nodes are found, added and given edges by any thread; what is in a node belongs
// to whoever holds its lock. collect() and clear() want the tree to themselves, drop() a node that
// nobody can reach.
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
  /// Uses at most `bytes`, but has room for some blocks in any case.
  explicit Tree(size_t bytes);

  /// Forgets everything.
  void clear();

  Node& node(Index index) { return pool_.at<Node>(index); }
  const Node& node(Index index) const { return pool_.at<Node>(index); }

  struct Found {
    Index node = NO_BLOCK;
    bool is_new = false;
  };
  /// The node of a position; NO_BLOCK if it has none.
  Index find(u64 key);
  /// The same, added at stage NEW if need be; NO_BLOCK if there is no room.
  Found find_or_add(u64 key);
  /// A node that no position leads to: a root with other moves than its position.
  Index add_private();
  /// Takes a private node out, with its edges.
  void drop(Index index);

  /// Gives a node its moves, best first; false if there is no room. Requires its lock, as do the
  /// following.
  bool set_moves(Node& node, std::span<const Choice> choices);
  /// Makes an edge of the next untried move; nullptr if there is no room. Requires one.
  Edge* try_next(Node& node);
  /// Calls visit(edge) for the edges, first tried first.
  template <typename Visit>
  void for_each_edge(const Node& node, Visit visit) {
    int left = node.tried;
    for (Index block = node.edges; left > 0; block = pool_.at<EdgeBlock>(block).next)
      for (int i = 0; i < EDGES_A_BLOCK && left > 0; ++i, --left)
        visit(pool_.at<EdgeBlock>(block).edges[i]);
  }
  /// Takes the moves away from a node; its average becomes its own value.
  void cut(Node& node);

  /// Frees what the root does not lead to. If that leaves more than half of the memory in use,
  /// branches with few visits are cut off, too. False if `go_on` said so, or if
  /// nothing was left to cut off: then there is no room.
  bool collect(Index root, const std::function<bool()>& go_on);

  size_t bytes() const { return pool_.bytes() + heads_.size() * sizeof(Index); }
  /// Share of the memory in use, in thousandths.
  int fill() const { return static_cast<int>(pool_.used() * 1000 / pool_.capacity()); }
  size_t used() const { return pool_.used(); }

 private:
  static constexpr size_t LOCKS = 256;

  Index take();
  void free_moves(Node& node);
  /// Marks what the root leads to and cuts off nodes with fewer visits: the blocks that stay, or 0
  /// if `go_on` said so.
  size_t mark(Index root, u32 least_visits, const std::function<bool()>& go_on);
  size_t blocks_of(const Node& node) const;
  /// Frees some of what the last collection did not reach; false if there is no more of it.
  bool sweep_some();
  size_t sweep_chain(size_t bucket);
  bool is_alive(const Node& node) const {
    return static_cast<i16>(static_cast<u16>(node.epoch - epoch_)) >= 0;
  }
  size_t bucket_of(u64 key) const { return (key >> 20) & (heads_.size() - 1); }
  u8& lock_of(size_t bucket) { return locks_[bucket % LOCKS]; }

  BlockPool pool_;
  std::vector<Index> heads_;  ///< first node of each chain
  std::array<u8, LOCKS> locks_{};
  /// Nodes of an older epoch are gone: nobody finds them, and their blocks are freed when blocks
  /// are wanted, so that no search waits for all of them.
  u16 epoch_ = 0, latest_ = 0;
  size_t swept_ = 0;  ///< chains that were freed since the last collection
  u8 sweep_lock_ = 0;
  std::vector<Index> stack_;  ///< of mark()
};

}  // namespace tengen::mcts
