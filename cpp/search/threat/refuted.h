// SPDX-License-Identifier: MIT
// The positions from which a win by fours was ruled out, in a table of fixed size. What is in it is
// true for ever (for its size of board and rule), so it may be kept from search to search. Relies
// on base.
#pragma once

#include <algorithm>
#include <bit>

#include "base/memory.h"

namespace tengen {

class RefutedTable {
 public:
  /// Uses at most `bytes`, but at least one bucket.
  explicit RefutedTable(size_t bytes)
      : buckets_(std::bit_floor(std::max<size_t>(bytes / sizeof(Bucket), 1))),
        mask_(buckets_.size() - 1) {}

  bool contains(u64 key) const {
    const Bucket& bucket = buckets_[key & mask_];
    for (const u64 entry : bucket.entries)
      if (((entry ^ key) & KEY_BITS) == 0 && entry != 0) return true;
    return false;
  }

  /// `nodes`: what it cost to find out. The cheapest of a bucket makes room.
  void insert(u64 key, u64 nodes) {
    Bucket& bucket = buckets_[key & mask_];
    u64* cheapest = &bucket.entries[0];
    for (u64& entry : bucket.entries)
      if ((entry & COST_BITS) < (*cheapest & COST_BITS)) cheapest = &entry;
    *cheapest = (key & KEY_BITS) | std::bit_width(nodes + 1);
  }

  void prefetch(u64 key) const { __builtin_prefetch(&buckets_[key & mask_]); }
  void clear() { std::ranges::fill(buckets_.all(), Bucket{}); }
  size_t bytes() const { return buckets_.bytes(); }

 private:
  /// An entry: bits 63 to 6 of the key, and in the low six bits the logarithm of its cost (0:
  /// empty). The bucket's number holds the key's low bits, so no bit is lost with 64 or more
  /// buckets.
  static constexpr u64 COST_BITS = 63;
  static constexpr u64 KEY_BITS = ~COST_BITS;

  struct alignas(64) Bucket {
    u64 entries[8];
  };

  ZeroedArray<Bucket> buckets_;
  u64 mask_;
};

}  // namespace tengen
