// SPDX-License-Identifier: MIT
// The moves of leaves that were just evaluated. A net whose sums stand at a position gives its
// policy almost for nothing, but a node gets its moves at its second visit, and many never have
// one. So the scores wait here, outside of the tree, until they are wanted or pushed out by later
// ones; probabilities are made of them only then. Belongs to one worker. Relies on eval.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "eval/evaluator.h"

namespace tengen::mcts {

class PolicyCache {
 public:
  /// Uses about that many bytes; none if that is too few for the moves of a board.
  explicit PolicyCache(size_t bytes)
      : ring_(std::bit_floor(bytes / sizeof(Waiting) / 4 * 3)), entries_(ring_.size() / MOVES) {
    if (ring_.size() < static_cast<size_t>(2 * MAX_SIZE * MAX_SIZE)) entries_.clear();
  }

  bool is_on() const { return !entries_.empty(); }
  void clear() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

  void put(u64 key, std::span<const ScoredMove> moves) {
    entries_[place_of(key)] = {key, next_, static_cast<u32>(moves.size())};
    i32 best = moves.empty() ? 0 : moves[0].score;
    for (const ScoredMove& move : moves) best = std::max(best, move.score);
    for (const ScoredMove& move : moves)
      ring_[next_++ & (ring_.size() - 1)] = {
          move.point, static_cast<u16>(std::min(best - move.score, MOST_BELOW))};
  }
  /// Replaces `moves` by those of a position, in the order in which they were put, with scores
  /// below that of the best, which is 0; false if they are not there (any more).
  bool take(u64 key, std::vector<ScoredMove>& moves) {
    if (!is_on()) return false;
    Entry& entry = entries_[place_of(key)];
    if (entry.key != key || entry.count == 0 || next_ - entry.first > ring_.size()) return false;
    moves.clear();
    for (u32 i = 0; i < entry.count; ++i) {
      const Waiting& waiting = ring_[(entry.first + i) & (ring_.size() - 1)];
      moves.push_back({waiting.move, -i32{waiting.below}});
    }
    entry.count = 0;
    return true;
  }

 private:
  /// Moves that a position has on average, roughly: so many of them have an entry together.
  static constexpr size_t MOVES = 64;

  /// Points: what is further below the best move, by hundreds of logits, counts as just so far.
  static constexpr i32 MOST_BELOW = 65535;

  struct Waiting {
    Point move;
    u16 below;  ///< the score of the best move
  };
  struct Entry {
    u64 key = 0;
    u64 first = 0;  ///< counted from the first move that was ever put here
    u32 count = 0;
  };

  size_t place_of(u64 key) const { return (key >> 20) % entries_.size(); }

  std::vector<Waiting> ring_;
  u64 next_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tengen::mcts
