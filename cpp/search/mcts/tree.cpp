// SPDX-License-Identifier: MIT
#include "search/mcts/tree.h"

#include <algorithm>
#include <bit>

#include "base/tunable.h"

namespace tengen::mcts {

namespace {

TUNABLE(MCTS_COLLECT_GOAL, 50, 10, 90, 5, "per cent of the memory that a collection keeps");
TUNABLE(MCTS_COLLECT_FULL, 90, 50, 99, 5, "per cent of the memory above which the tree stays full");

/// Collections stop raising the visit threshold here.
constexpr u32 MAX_MIN_VISITS = u32{1} << 30;
constexpr size_t MIN_CHAINS = 16;
/// Blocks per hash chain: an expanded node takes several.
constexpr size_t BLOCKS_PER_CHAIN = 4;
/// Blocks to sweep before an allocation is retried.
constexpr size_t SWEEP_BATCH = 64;
/// Nodes between two calls of `should_continue`.
constexpr size_t MARK_CHECK_PERIOD = 4096;

size_t chains_for(size_t bytes) {
  return std::bit_floor(std::max(bytes / BlockPool::BLOCK / BLOCKS_PER_CHAIN, MIN_CHAINS));
}

size_t pool_bytes(size_t bytes) {
  const size_t heads = chains_for(bytes) * sizeof(Index);
  return bytes > heads ? bytes - heads : 0;
}

}  // namespace

Tree::Tree(size_t bytes) : pool_(pool_bytes(bytes)), chain_heads_(chains_for(bytes), NO_NODE) {
  swept_ = chain_heads_.size();
}

void Tree::clear() {
  pool_.reset();
  std::fill(chain_heads_.begin(), chain_heads_.end(), NO_NODE);
  swept_ = chain_heads_.size();
}

Index Tree::allocate() {
  for (;;) {
    if (const Index block = pool_.allocate(); block != NO_BLOCK) return block;
    if (!sweep_some()) return NO_BLOCK;
  }
}

Index Tree::find(u64 key) {
  const size_t bucket = bucket_of(key);
  const SpinGuard guard(lock_of(bucket));
  for (Index i = chain_heads_[bucket]; i != NO_NODE; i = node(i).next)
    if (node(i).key == key && is_alive(node(i))) return i;
  return NO_NODE;
}

Tree::FindResult Tree::find_or_add(u64 key) {
  if (const Index index = find(key); index != NO_NODE) return {index, false};
  const Index allocated = allocate();  // not under the lock of the chain, which it may sweep
  if (allocated == NO_BLOCK) return {};
  const size_t bucket = bucket_of(key);
  {
    const SpinGuard guard(lock_of(bucket));
    Index i = chain_heads_[bucket];
    while (i != NO_NODE && !(node(i).key == key && is_alive(node(i)))) i = node(i).next;
    if (i == NO_NODE) {
      Node& added = node(allocated);
      added.key = key;
      added.generation = mark_generation_;
      added.next = chain_heads_[bucket];
      chain_heads_[bucket] = allocated;
      return {allocated, true};
    }
    pool_.release(allocated);
    return {i, false};  // another thread added it
  }
}

Index Tree::add_detached_root() {
  const Index index = allocate();
  if (index == NO_BLOCK) return NO_NODE;
  node(index).generation = mark_generation_;
  node(index).is_detached_root = 1;
  return index;
}

void Tree::free_node(Index index) {
  free_moves(node(index));
  pool_.release(index);
}

bool Tree::set_moves(Node& node, std::span<const MovePrior> moves) {
  Index first = NO_BLOCK;
  Index* link = &first;
  for (size_t done = 0; done < moves.size(); done += MOVES_PER_BLOCK) {
    const Index index = allocate();
    if (index == NO_BLOCK) {
      while (first != NO_BLOCK) {
        const Index next = pool_.at<MovePriorBlock>(first).next;
        pool_.release(first);
        first = next;
      }
      return false;
    }
    *link = index;
    MovePriorBlock& block = pool_.at<MovePriorBlock>(index);
    std::copy_n(moves.begin() + static_cast<std::ptrdiff_t>(done),
                std::min<size_t>(MOVES_PER_BLOCK, moves.size() - done), block.moves);
    link = &block.next;
  }
  node.unvisited = first;
  node.move_count = static_cast<u16>(moves.size());
  node.next_move = moves.empty() ? NO_POINT : moves[0].move;
  node.next_prior = moves.empty() ? u16{0} : moves[0].prior;
  return true;
}

Edge* Tree::add_edge(Node& node) {
  Index* link = &node.edges;
  for (int i = 0; i < node.edge_count / EDGES_PER_BLOCK; ++i)
    link = &pool_.at<EdgeBlock>(*link).next;
  if (node.edge_count % EDGES_PER_BLOCK == 0) {
    const Index index = allocate();
    if (index == NO_BLOCK) return nullptr;
    *link = index;
  }
  Edge& edge = pool_.at<EdgeBlock>(*link).edges[node.edge_count % EDGES_PER_BLOCK];
  edge.move = node.next_move;
  edge.prior = node.next_prior;
  ++node.edge_count;
  node.visited_prior = static_cast<u16>(std::min<int>(node.visited_prior + edge.prior, PRIOR_ONE));
  if (node.edge_count % MOVES_PER_BLOCK == 0 ||
      node.edge_count == node.move_count) {  // the block is used up
    const Index used = node.unvisited;
    node.unvisited = pool_.at<MovePriorBlock>(used).next;
    pool_.release(used);
  }
  if (node.edge_count < node.move_count) {
    const MovePrior& next =
        pool_.at<MovePriorBlock>(node.unvisited).moves[node.edge_count % MOVES_PER_BLOCK];
    node.next_move = next.move;
    node.next_prior = next.prior;
  }
  return &edge;
}

void Tree::free_moves(Node& node) {
  for (Index block = node.edges; block != NO_BLOCK;) {
    const Index next = pool_.at<EdgeBlock>(block).next;
    pool_.release(block);
    block = next;
  }
  for (Index block = node.unvisited; block != NO_BLOCK;) {
    const Index next = pool_.at<MovePriorBlock>(block).next;
    pool_.release(block);
    block = next;
  }
}

void Tree::collapse(Node& node) {
  free_moves(node);
  node.value = static_cast<float>(node.mean());
  node.value_sum = node.value;
  node.value_weight = 1;
  node.edge_visits = 0;
  node.edges = node.unvisited = NO_BLOCK;
  node.move_count = node.edge_count = node.visited_prior = 0;
  node.stage = Stage::EVALUATED;
}

size_t Tree::blocks_of(const Node& node) const {
  const int unvisited = node.move_count - node.edge_count / MOVES_PER_BLOCK * MOVES_PER_BLOCK;
  return 1 + static_cast<size_t>((node.edge_count + EDGES_PER_BLOCK - 1) / EDGES_PER_BLOCK) +
         (node.edge_count == node.move_count
              ? 0
              : static_cast<size_t>((unvisited + MOVES_PER_BLOCK - 1) / MOVES_PER_BLOCK));
}

bool Tree::collect_garbage(Index root, const std::function<bool()>& should_continue) {
  const size_t goal = pool_.capacity() * static_cast<size_t>(MCTS_COLLECT_GOAL) / 100;
  u32 min_visits = 0;
  size_t live = mark(root, min_visits, should_continue);
  const size_t before = live;
  while (live > goal && min_visits < MAX_MIN_VISITS) {
    min_visits = min_visits == 0 ? 2 : min_visits * 2;
    live = mark(root, min_visits, should_continue);
  }
  if (live == 0) return false;
  live_generation_ = mark_generation_;
  swept_ = 0;
  return live < before || live < pool_.capacity() * static_cast<size_t>(MCTS_COLLECT_FULL) / 100;
}

size_t Tree::mark(Index root, u32 min_visits, const std::function<bool()>& should_continue) {
  ++mark_generation_;
  size_t live = 0, count = 0;
  stack_.assign(1, root);
  node(root).generation = mark_generation_;
  while (!stack_.empty()) {
    if (++count % MARK_CHECK_PERIOD == 0 && !should_continue()) return 0;
    Node& marked = node(stack_.back());
    const bool is_root = stack_.back() == root;
    stack_.pop_back();
    if (!is_root && marked.stage == Stage::EXPANDED && marked.edge_visits < min_visits)
      collapse(marked);
    live += blocks_of(marked);
    for_each_edge(marked, [&](const Edge& edge) {
      if (edge.child == NO_NODE || node(edge.child).generation == mark_generation_) return;
      node(edge.child).generation = mark_generation_;
      stack_.push_back(edge.child);
    });
  }
  return live;
}

bool Tree::sweep_some() {
  const SpinGuard guard(sweep_lock_);
  size_t freed = 0;
  while (swept_ < chain_heads_.size() && freed < SWEEP_BATCH) freed += sweep_chain(swept_++);
  return freed > 0;
}

size_t Tree::sweep_chain(size_t bucket) {
  const SpinGuard guard(lock_of(bucket));
  size_t freed = 0;
  for (Index* link = &chain_heads_[bucket]; *link != NO_NODE;) {
    const Index index = *link;
    Node& swept = node(index);
    if (is_alive(swept)) {
      link = &swept.next;
      continue;
    }
    freed += blocks_of(swept);
    *link = swept.next;
    free_node(index);
  }
  return freed;
}

}  // namespace tengen::mcts
