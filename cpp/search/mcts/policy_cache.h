// SPDX-License-Identifier: MIT
// The moves of leaves that were just evaluated. A net whose sums stand at a position gives its
// policy almost for nothing, but a node gets its moves at its second visit, and many never have
// one. So the policy waits here, outside of the tree, until it is wanted or pushed out by later
// ones. Belongs to one worker. Relies on node.h.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "search/mcts/node.h"

namespace tengen::mcts {

class PolicyCache {
 public:
  /// Uses about that many bytes; none if that is too few for the moves of a board.
  explicit PolicyCache(size_t bytes)
      : ring_(std::bit_floor(bytes / sizeof(Choice) / 4 * 3)), entries_(ring_.size() / CHOICES) {
    if (ring_.size() < static_cast<size_t>(2 * MAX_SIZE * MAX_SIZE)) entries_.clear();
  }

  bool is_on() const { return !entries_.empty(); }
  void clear() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

  void put(u64 key, std::span<const Choice> choices) {
    entries_[place_of(key)] = {key, next_, static_cast<u32>(choices.size())};
    for (const Choice& choice : choices) ring_[next_++ & (ring_.size() - 1)] = choice;
  }
  /// Replaces `choices` by the moves of a position; false if they are not there (any more).
  bool take(u64 key, std::vector<Choice>& choices) {
    if (!is_on()) return false;
    Entry& entry = entries_[place_of(key)];
    if (entry.key != key || entry.count == 0 || next_ - entry.first > ring_.size()) return false;
    choices.clear();
    for (u32 i = 0; i < entry.count; ++i)
      choices.push_back(ring_[(entry.first + i) & (ring_.size() - 1)]);
    entry.count = 0;
    return true;
  }

 private:
  /// Moves that a position has on average, roughly: so many of them have an entry together.
  static constexpr size_t CHOICES = 64;

  struct Entry {
    u64 key = 0;
    u64 first = 0;  ///< counted from the first move that was ever put here
    u32 count = 0;
  };

  size_t place_of(u64 key) const { return (key >> 20) % entries_.size(); }

  std::vector<Choice> ring_;
  u64 next_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tengen::mcts
