// SPDX-License-Identifier: MIT
// Policy scores of recently evaluated leaves. The policy is almost free right after the value, but
// a node gets its moves at its second visit, which many never have. The scores are kept here in a
// ring buffer until then; the softmax is applied on demand. One per worker.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "eval/evaluator.h"

namespace tengen::mcts {

class PolicyCache {
 public:
  /// Uses about `bytes`; disabled if that is too small for the moves of one board.
  explicit PolicyCache(size_t bytes)
      : ring_(std::bit_floor(bytes / sizeof(StoredMove) / 4 * 3)), entries_(ring_.size() / MOVES) {
    if (ring_.size() < static_cast<size_t>(2 * MAX_SIZE * MAX_SIZE)) entries_.clear();
  }

  bool enabled() const { return !entries_.empty(); }
  void clear() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

  void insert(u64 key, std::span<const ScoredMove> moves) {
    entries_[slot_of(key)] = {key, next_, static_cast<u32>(moves.size())};
    i32 best = moves.empty() ? 0 : moves[0].score;
    for (const ScoredMove& move : moves) best = std::max(best, move.score);
    for (const ScoredMove& move : moves)
      ring_[next_++ & (ring_.size() - 1)] = {
          move.point, static_cast<u16>(std::min(best - move.score, MAX_BELOW))};
  }
  /// Moves a cached policy out: replaces `moves` by its moves, in their original order, with scores
  /// relative to the best (0). False if it is not cached.
  bool take(u64 key, std::vector<ScoredMove>& moves) {
    if (!enabled()) return false;
    Entry& entry = entries_[slot_of(key)];
    if (entry.key != key || entry.count == 0 || next_ - entry.first > ring_.size()) return false;
    moves.clear();
    for (u32 i = 0; i < entry.count; ++i) {
      const StoredMove& stored = ring_[(entry.first + i) & (ring_.size() - 1)];
      moves.push_back({stored.move, -i32{stored.below}});
    }
    entry.count = 0;
    return true;
  }

 private:
  /// Estimated moves per position: entries are sized by it.
  static constexpr size_t MOVES = 64;

  /// Largest score difference that is stored: hundreds of logits.
  static constexpr i32 MAX_BELOW = 65535;

  struct StoredMove {
    Point move;
    u16 below;  ///< the best score minus this one
  };
  struct Entry {
    u64 key = 0;
    u64 first = 0;  ///< position in the stream of all stored moves
    u32 count = 0;
  };

  size_t slot_of(u64 key) const { return (key >> 20) % entries_.size(); }

  std::vector<StoredMove> ring_;
  u64 next_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tengen::mcts
