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
  explicit RefutedTable(size_t bytes)
      : buckets_(std::bit_floor(std::max<size_t>(bytes / sizeof(Bucket), 1))),
        mask_(buckets_.size() - 1) {}

  bool contains(u64 key) const {
    key ^= salt_;
    for (const u64 entry : buckets_[key & mask_].entries)
      if (((entry ^ key) & KEY_BITS) == 0 && entry != 0) return true;
    return false;
  }

  /// `nodes`: what it cost to find out. The cheapest entry of a bucket makes room, forgotten ones
  /// first.
  void insert(u64 key, u64 nodes) {
    key ^= salt_;
    Bucket& bucket = buckets_[key & mask_];
    u64* victim = &bucket.entries[0];
    for (u64& entry : bucket.entries)
      if (worth(entry) < worth(*victim)) victim = &entry;
    const u64 cost = std::min<u64>(static_cast<u64>(std::bit_width(nodes)) + 1, COST_BITS);
    *victim = (key & KEY_BITS) | (age_ << AGE_SHIFT) | cost;
  }

  void prefetch(u64 key) const { __builtin_prefetch(&buckets_[(key ^ salt_) & mask_]); }

  /// Forgets everything, without touching the memory.
  void clear() {
    age_ = (age_ + 1) % AGE_NB;
    salt_ = Rng(salt_).next();
  }

  size_t bytes() const { return buckets_.bytes(); }

 private:
  /// An entry, 0 if it is free:
  ///
  ///     bits 63 to 10 of the key | age, 5 bits | logarithm of its cost, 5 bits, not 0
  ///
  /// The bucket's number holds the key's low bits, so none is lost with 1024 or more buckets.
  static constexpr int AGE_SHIFT = 5;
  static constexpr u64 AGE_NB = 32;
  static constexpr u64 COST_BITS = 31;
  static constexpr u64 KEY_BITS = ~u64{1023};

  struct alignas(64) Bucket {
    u64 entries[8];
  };

  u64 worth(u64 entry) const {
    return ((entry >> AGE_SHIFT) % AGE_NB == age_ ? entry & COST_BITS : 0);
  }

  ZeroedArray<Bucket> buckets_;
  u64 mask_;
  u64 age_ = 0;
  u64 salt_ = 0;  ///< in every key: entries from before a clear() are never met again
};

}  // namespace tengen
