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
constexpr size_t SWEPT_AT_ONCE = 64;
/// Nodes between two calls of `keep_running`.
constexpr size_t MARKED_AT_ONCE = 4096;

size_t chains_for(size_t bytes) {
  return std::bit_floor(std::max(bytes / BlockPool::BLOCK / BLOCKS_PER_CHAIN, MIN_CHAINS));
}

size_t pool_bytes(size_t bytes) {
  const size_t heads = chains_for(bytes) * sizeof(Index);
  return bytes > heads ? bytes - heads : 0;
}

}  // namespace

Tree::Tree(size_t bytes) : pool_(pool_bytes(bytes)), heads_(chains_for(bytes), NO_BLOCK) {
  swept_ = heads_.size();
}

void Tree::clear() {
  pool_.reset();
  std::fill(heads_.begin(), heads_.end(), NO_BLOCK);
  swept_ = heads_.size();
}

Index Tree::take() {
  for (;;) {
    if (const Index block = pool_.take(); block != NO_BLOCK) return block;
    if (!sweep_some()) return NO_BLOCK;
  }
}

Index Tree::find(u64 key) {
  const size_t bucket = bucket_of(key);
  const SpinGuard guard(lock_of(bucket));
  for (Index i = heads_[bucket]; i != NO_BLOCK; i = node(i).next)
    if (node(i).key == key && is_alive(node(i))) return i;
  return NO_BLOCK;
}

Tree::Found Tree::find_or_add(u64 key) {
  if (const Index found = find(key); found != NO_BLOCK) return {found, false};
  const Index made = take();  // not under the lock of the chain, which it may sweep
  if (made == NO_BLOCK) return {};
  const size_t bucket = bucket_of(key);
  {
    const SpinGuard guard(lock_of(bucket));
    Index i = heads_[bucket];
    while (i != NO_BLOCK && !(node(i).key == key && is_alive(node(i)))) i = node(i).next;
    if (i == NO_BLOCK) {
      Node& added = node(made);
      added.key = key;
      added.epoch = latest_;
      added.next = heads_[bucket];
      heads_[bucket] = made;
      return {made, true};
    }
    pool_.give_back(made);
    return {i, false};  // another thread added it
  }
}

Index Tree::add_private() {
  const Index made = take();
  if (made == NO_BLOCK) return NO_BLOCK;
  node(made).epoch = latest_;
  node(made).is_private = 1;
  return made;
}

void Tree::drop(Index index) {
  free_moves(node(index));
  pool_.give_back(index);
}

bool Tree::set_moves(Node& node, std::span<const Choice> choices) {
  Index first = NO_BLOCK;
  Index* link = &first;
  for (size_t done = 0; done < choices.size(); done += CHOICES_PER_BLOCK) {
    const Index made = take();
    if (made == NO_BLOCK) {
      while (first != NO_BLOCK) {
        const Index next = pool_.at<ChoiceBlock>(first).next;
        pool_.give_back(first);
        first = next;
      }
      return false;
    }
    *link = made;
    ChoiceBlock& block = pool_.at<ChoiceBlock>(made);
    std::copy_n(choices.begin() + static_cast<std::ptrdiff_t>(done),
                std::min<size_t>(CHOICES_PER_BLOCK, choices.size() - done), block.choices);
    link = &block.next;
  }
  node.untried = first;
  node.move_count = static_cast<u16>(choices.size());
  node.next_move = choices.empty() ? NO_POINT : choices[0].move;
  node.next_prior = choices.empty() ? u16{0} : choices[0].prior;
  return true;
}

Edge* Tree::try_next(Node& node) {
  Index* link = &node.edges;
  for (int i = 0; i < node.tried / EDGES_PER_BLOCK; ++i) link = &pool_.at<EdgeBlock>(*link).next;
  if (node.tried % EDGES_PER_BLOCK == 0) {
    const Index made = take();
    if (made == NO_BLOCK) return nullptr;
    *link = made;
  }
  Edge& edge = pool_.at<EdgeBlock>(*link).edges[node.tried % EDGES_PER_BLOCK];
  edge.move = node.next_move;
  edge.prior = node.next_prior;
  ++node.tried;
  node.explored = static_cast<u16>(std::min<int>(node.explored + edge.prior, PRIOR_ONE));
  if (node.tried % CHOICES_PER_BLOCK == 0 ||
      node.tried == node.move_count) {  // the block is used up
    const Index used = node.untried;
    node.untried = pool_.at<ChoiceBlock>(used).next;
    pool_.give_back(used);
  }
  if (node.tried < node.move_count) {
    const Choice& next =
        pool_.at<ChoiceBlock>(node.untried).choices[node.tried % CHOICES_PER_BLOCK];
    node.next_move = next.move;
    node.next_prior = next.prior;
  }
  return &edge;
}

void Tree::free_moves(Node& node) {
  for (Index block = node.edges; block != NO_BLOCK;) {
    const Index next = pool_.at<EdgeBlock>(block).next;
    pool_.give_back(block);
    block = next;
  }
  for (Index block = node.untried; block != NO_BLOCK;) {
    const Index next = pool_.at<ChoiceBlock>(block).next;
    pool_.give_back(block);
    block = next;
  }
}

void Tree::cut(Node& node) {
  free_moves(node);
  node.value = static_cast<float>(node.mean());
  node.sum = node.value;
  node.weight = 1;
  node.visits = 0;
  node.edges = node.untried = NO_BLOCK;
  node.move_count = node.tried = node.explored = 0;
  node.stage = Stage::VALUED;
}

size_t Tree::blocks_of(const Node& node) const {
  const int untried = node.move_count - node.tried / CHOICES_PER_BLOCK * CHOICES_PER_BLOCK;
  return 1 + static_cast<size_t>((node.tried + EDGES_PER_BLOCK - 1) / EDGES_PER_BLOCK) +
         (node.tried == node.move_count
              ? 0
              : static_cast<size_t>((untried + CHOICES_PER_BLOCK - 1) / CHOICES_PER_BLOCK));
}

bool Tree::collect(Index root, const std::function<bool()>& keep_running) {
  const size_t goal = pool_.capacity() * static_cast<size_t>(MCTS_COLLECT_GOAL) / 100;
  u32 min_visits = 0;
  size_t live = mark(root, min_visits, keep_running);
  const size_t before = live;
  while (live > goal && min_visits < MAX_MIN_VISITS) {
    min_visits = min_visits == 0 ? 2 : min_visits * 2;
    live = mark(root, min_visits, keep_running);
  }
  if (live == 0) return false;
  epoch_ = latest_;
  swept_ = 0;
  return live < before || live < pool_.capacity() * static_cast<size_t>(MCTS_COLLECT_FULL) / 100;
}

size_t Tree::mark(Index root, u32 min_visits, const std::function<bool()>& keep_running) {
  ++latest_;
  size_t live = 0, count = 0;
  stack_.assign(1, root);
  node(root).epoch = latest_;
  while (!stack_.empty()) {
    if (++count % MARKED_AT_ONCE == 0 && !keep_running()) return 0;
    Node& marked = node(stack_.back());
    const bool is_root = stack_.back() == root;
    stack_.pop_back();
    if (!is_root && marked.stage == Stage::EXPANDED && marked.visits < min_visits) cut(marked);
    live += blocks_of(marked);
    for_each_edge(marked, [&](const Edge& edge) {
      if (edge.child == NO_BLOCK || node(edge.child).epoch == latest_) return;
      node(edge.child).epoch = latest_;
      stack_.push_back(edge.child);
    });
  }
  return live;
}

bool Tree::sweep_some() {
  const SpinGuard guard(sweep_lock_);
  size_t freed = 0;
  while (swept_ < heads_.size() && freed < SWEPT_AT_ONCE) freed += sweep_chain(swept_++);
  return freed > 0;
}

size_t Tree::sweep_chain(size_t bucket) {
  const SpinGuard guard(lock_of(bucket));
  size_t freed = 0;
  for (Index* link = &heads_[bucket]; *link != NO_BLOCK;) {
    const Index index = *link;
    Node& swept = node(index);
    if (is_alive(swept)) {
      link = &swept.next;
      continue;
    }
    freed += blocks_of(swept);
    *link = swept.next;
    drop(index);
  }
  return freed;
}

}  // namespace tengen::mcts
