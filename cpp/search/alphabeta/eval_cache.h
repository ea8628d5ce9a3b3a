// SPDX-License-Identifier: MIT
// Cache of net evaluations: values of leaves that become inner nodes one iteration later, and
// policy scores of nodes that are searched deeper. Direct-mapped, a few hundred KiB per thread.
// Cached results equal those of the net, so the search is the same with and without it.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "eval/evaluator.h"

namespace tengen {

/// Values by position key, for one evaluator.
class ValueCache {
 public:
  /// NO_VALUE: not cached.
  Value find(u64 key) const {
    const Entry& entry = entries_[slot(key)];
    return entry.key == key ? entry.value : NO_VALUE;
  }
  void store(u64 key, Value value) { entries_[slot(key)] = {key, value}; }

 private:
  static constexpr size_t ENTRY_NB = size_t{1} << 14;
  struct Entry {
    u64 key = 0;
    Value value = NO_VALUE;
  };

  static size_t slot(u64 key) { return key % ENTRY_NB; }

  std::vector<Entry> entries_ = std::vector<Entry>(ENTRY_NB);
};

/// Policy scores of all moves of a position in generation order, by position key, for one evaluator
/// and one generator.
class ScoreCache {
 public:
  /// Fills in the scores; false if they are not cached.
  bool find(u64 key, std::span<ScoredMove> moves) const {
    const Entry& entry = entries_[slot(key)];
    if (entry.key != key || entry.count != moves.size()) return false;
    for (size_t i = 0; i < moves.size(); ++i) moves[i].score = entry.scores[i];
    return true;
  }
  /// Skips positions with a score that does not fit into 16 bits.
  void store(u64 key, std::span<const ScoredMove> moves) {
    using Limits = std::numeric_limits<i16>;
    const auto fits = [](const ScoredMove& move) {
      return move.score >= Limits::min() && move.score <= Limits::max();
    };
    if (moves.size() > MOVE_NB || !std::all_of(moves.begin(), moves.end(), fits)) return;
    Entry& entry = entries_[slot(key)];
    entry.key = key;
    entry.count = static_cast<u16>(moves.size());
    for (size_t i = 0; i < moves.size(); ++i) entry.scores[i] = static_cast<i16>(moves[i].score);
  }

 private:
  static constexpr size_t ENTRY_NB = 1024, MOVE_NB = 224;
  struct Entry {
    u64 key = 0;
    u16 count = 0;
    std::array<i16, MOVE_NB> scores;
  };

  static size_t slot(u64 key) { return key % ENTRY_NB; }

  std::vector<Entry> entries_ = std::vector<Entry>(ENTRY_NB);
};

/// The caches of a worker with a net.
struct EvalCache {
  ValueCache values;
  ScoreCache scores;
};

}  // namespace tengen
