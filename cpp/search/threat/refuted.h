// SPDX-License-Identifier: MIT
// The positions from which a win by fours was ruled out, in a table of fixed size. What is in it is
// true for ever (for its size of board and rule), so it may be kept from search to search. Relies
// on base.
#pragma once

#include <algorithm>
#include <bit>

#include "base/memory.h"
#include "base/rng.h"

namespace tengen {

class RefutedTable {
 public:
  /// Uses at most `bytes`, but at least one bucket.
  explicit RefutedTable(size_t bytes) : buckets_(std::max<size_t>(bytes / sizeof(Bucket), 1)) {}

  bool contains(u64 key) const {
    key ^= salt_;
    const u64 tag = tag_of(key);
    for (const u64 entry : buckets_[index_of(key)].entries)
      if (((entry ^ tag) >> KEY_SHIFT) == 0 && entry != 0) return true;
    return false;
  }

  /// `nodes`: what it cost to find out. The cheapest entry of a bucket makes room, forgotten ones
  /// first.
  void insert(u64 key, u64 nodes) {
    key ^= salt_;
    Bucket& bucket = buckets_[index_of(key)];
    u64* victim = &bucket.entries[0];
    for (u64& entry : bucket.entries)
      if (worth(entry) < worth(*victim)) victim = &entry;
    *victim = tag_of(key) | std::min<u64>(static_cast<u64>(std::bit_width(nodes)) + 1, COST_NB - 1);
  }

  void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index_of(key ^ salt_)]); }

  /// Forgets everything, without touching the memory.
  void clear() {
    age_ = (age_ + 1) % AGE_NB;
    salt_ = Rng(salt_).next();
  }

  /// As it was made, so that what is kept where is the same again. Takes new memory.
  void reset() { *this = RefutedTable(bytes()); }

  size_t bytes() const { return buckets_.bytes(); }

 private:
  /// An entry, 0 if it is free:
  ///
  ///     low 54 bits of the key | age, 5 bits | logarithm of its cost, 5 bits, not 0
  ///
  /// The bucket's number holds the key's high bits, so none is lost with 1024 or more buckets.
  static constexpr int AGE_SHIFT = 5, KEY_SHIFT = 10;
  static constexpr u64 COST_NB = 32, AGE_NB = 32;

  struct alignas(64) Bucket {
    u64 entries[8];
  };

  u64 tag_of(u64 key) const { return (key << KEY_SHIFT) | (age_ << AGE_SHIFT); }
  u64 worth(u64 entry) const { return (entry >> AGE_SHIFT) % AGE_NB == age_ ? entry % COST_NB : 0; }
  /// Any number of buckets below 2^32 will do.
  size_t index_of(u64 key) const { return ((key >> 32) * buckets_.size()) >> 32; }

  ZeroedArray<Bucket> buckets_;
  u64 age_ = 0;
  u64 salt_ = 0;  ///< in every key: entries from before a clear() are never met again
};

}  // namespace tengen
