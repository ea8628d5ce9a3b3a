// SPDX-License-Identifier: MIT
#include "search/mcts/tree.h"

#include <algorithm>
#include <bit>

namespace tengen::mcts {

namespace {

constexpr size_t LEAST_CHAINS = 16;
/// One chain for so many blocks: a node with moves takes several.
constexpr size_t BLOCKS_A_CHAIN = 4;
/// Blocks freed before an allocation goes on.
constexpr size_t SWEPT_AT_ONCE = 64;
/// Nodes between two questions whether a collection should go on.
constexpr size_t MARKED_AT_ONCE = 4096;

size_t chains_for(size_t bytes) {
  return std::bit_floor(std::max(bytes / BlockPool::BLOCK / BLOCKS_A_CHAIN, LEAST_CHAINS));
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
  const Index made = take();  // not under the lock of the chain: it may sweep this very chain
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
    return {i, false};  // another thread was quicker
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
  for (size_t done = 0; done < choices.size(); done += CHOICES_A_BLOCK) {
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
                std::min<size_t>(CHOICES_A_BLOCK, choices.size() - done), block.choices);
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
  for (int i = 0; i < node.tried / EDGES_A_BLOCK; ++i) link = &pool_.at<EdgeBlock>(*link).next;
  if (node.tried % EDGES_A_BLOCK == 0) {
    const Index made = take();
    if (made == NO_BLOCK) return nullptr;
    *link = made;
  }
  Edge& edge = pool_.at<EdgeBlock>(*link).edges[node.tried % EDGES_A_BLOCK];
  edge.move = node.next_move;
  edge.prior = node.next_prior;
  ++node.tried;
  node.explored = static_cast<u16>(std::min<int>(node.explored + edge.prior, PRIOR_ONE));
  if (node.tried % CHOICES_A_BLOCK == 0 || node.tried == node.move_count) {  // a block is used up
    const Index used = node.untried;
    node.untried = pool_.at<ChoiceBlock>(used).next;
    pool_.give_back(used);
  }
  if (node.tried < node.move_count) {
    const Choice& next = pool_.at<ChoiceBlock>(node.untried).choices[node.tried % CHOICES_A_BLOCK];
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
  const int untried = node.move_count - node.tried / CHOICES_A_BLOCK * CHOICES_A_BLOCK;
  return 1 + static_cast<size_t>((node.tried + EDGES_A_BLOCK - 1) / EDGES_A_BLOCK) +
         (node.tried == node.move_count
              ? 0
              : static_cast<size_t>((untried + CHOICES_A_BLOCK - 1) / CHOICES_A_BLOCK));
}

bool Tree::collect(Index root, const std::function<bool()>& go_on) {
  const size_t goal = pool_.capacity() / 2;
  u32 least = 0;
  size_t live = mark(root, least, go_on);
  const size_t before = live;
  while (live > goal && least < (u32{1} << 30)) {
    least = least == 0 ? 2 : least * 2;
    live = mark(root, least, go_on);
  }
  if (live == 0) return false;
  epoch_ = latest_;
  swept_ = 0;
  return live < before || live < pool_.capacity() * 9 / 10;
}

size_t Tree::mark(Index root, u32 least_visits, const std::function<bool()>& go_on) {
  ++latest_;
  size_t live = 0, count = 0;
  stack_.assign(1, root);
  node(root).epoch = latest_;
  while (!stack_.empty()) {
    if (++count % MARKED_AT_ONCE == 0 && !go_on()) return 0;
    Node& marked = node(stack_.back());
    const bool is_root = stack_.back() == root;
    stack_.pop_back();
    if (!is_root && marked.stage == Stage::EXPANDED && marked.visits < least_visits) cut(marked);
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
