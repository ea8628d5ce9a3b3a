// SPDX-License-Identifier: MIT
// Proof and disproof numbers of positions in a table of fixed size.
#pragma once

#include <algorithm>
#include <bit>

#include "base/memory.h"
#include "base/rng.h"

namespace tengen {

/// From the point of view of the side to move: `phi` estimates the work to show that it reaches its
/// goal (the proof number at attacker nodes), `delta` the work for the other side. 0: proven;
/// PN_INFINITE: disproven.
struct ProofNumbers {
  u32 phi = 1;
  u32 delta = 1;

  bool operator==(const ProofNumbers&) const = default;
};

inline constexpr u32 PN_INFINITE = 1u << 30;
/// Solved nodes, for the side to move: it reaches its goal, or it cannot.
inline constexpr ProofNumbers PN_WIN = {0, PN_INFINITE};
inline constexpr ProofNumbers PN_LOSS = {PN_INFINITE, 0};

class PnTable {
 public:
  /// Uses at most `bytes`, but at least one bucket.
  explicit PnTable(size_t bytes) : buckets_(std::max<size_t>(bytes / sizeof(Bucket), 1)) {}

  /// The numbers of a key, or nullptr. Valid until the next store.
  const ProofNumbers* find(u64 key) const {
    key ^= salt_;
    const u64 tag = tag_of(key);
    for (const Entry& entry : buckets_[index_of(key)].entries)
      if (((entry.tag ^ tag) >> COST_BITS) == 0) return &entry.numbers;
    return nullptr;
  }

  /// Replaces the entry of this key, a cleared one, or the cheapest of the bucket. `nodes`: the
  /// work behind it.
  void store(u64 key, ProofNumbers numbers, u64 nodes) {
    key ^= salt_;
    const u64 tag = tag_of(key);
    Bucket& bucket = buckets_[index_of(key)];
    Entry* chosen = &bucket.entries[0];
    for (Entry& entry : bucket.entries) {
      if (((entry.tag ^ tag) >> COST_BITS) == 0) {
        chosen = &entry;
        break;
      }
      if (replacement_value(entry) < replacement_value(*chosen)) chosen = &entry;
    }
    *chosen = {tag | static_cast<u64>(std::bit_width(nodes)), numbers};
  }

  void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index_of(key ^ salt_)]); }

  /// Clears the table in constant time.
  void clear() {
    age_ = age_ % (AGE_NB - 1) + 1;
    salt_ = Rng(salt_).next();
  }

  size_t bytes() const { return buckets_.bytes(); }

 private:
  /// Tag: low 48 bits of the key | age, 8 bits, 0 if empty | logarithm of the cost, 8 bits
  ///
  /// The bucket index covers the high bits of the key, so none is lost with 65536 or more buckets.
  struct Entry {
    u64 tag;
    ProofNumbers numbers;
  };
  struct alignas(64) Bucket {
    Entry entries[4];
  };
  static constexpr int COST_BITS = 8;
  static constexpr u64 AGE_NB = 256;

  u64 tag_of(u64 key) const { return (key << 16) | (age_ << COST_BITS); }
  u64 replacement_value(const Entry& entry) const {
    return (entry.tag >> COST_BITS) % AGE_NB == age_ ? 1 + entry.tag % (1 << COST_BITS) : 0;
  }

  /// Works for any number of buckets below 2^32.
  size_t index_of(u64 key) const { return ((key >> 32) * buckets_.size()) >> 32; }

  ZeroedArray<Bucket> buckets_;
  u64 age_ = 1;
  u64 salt_ = 0;  ///< mixed into every key: entries before a clear() are not found
};

}  // namespace tengen
