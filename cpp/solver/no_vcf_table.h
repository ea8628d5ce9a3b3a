// SPDX-License-Identifier: MIT
// Positions without a VCF, in a table of fixed size. Entries stay valid for one board size and
// rule, so they are kept between searches.
#pragma once

#include <algorithm>
#include <bit>

#include "base/memory.h"
#include "base/rng.h"

namespace tengen {

class NoVcfTable {
 public:
  /// Uses at most `bytes`, but at least one bucket.
  explicit NoVcfTable(size_t bytes) : buckets_(std::max<size_t>(bytes / sizeof(Bucket), 1)) {}

  bool contains(u64 key) const {
    key ^= salt_;
    const u64 tag = tag_of(key);
    for (const u64 entry : buckets_[index_of(key)].entries)
      if (((entry ^ tag) >> KEY_SHIFT) == 0 && entry != 0) return true;
    return false;
  }

  /// `nodes`: the work behind it. Replaces a cleared entry, or the cheapest of the bucket.
  void insert(u64 key, u64 nodes) {
    key ^= salt_;
    Bucket& bucket = buckets_[index_of(key)];
    u64* victim = &bucket.entries[0];
    for (u64& entry : bucket.entries)
      if (replacement_value(entry) < replacement_value(*victim)) victim = &entry;
    *victim = tag_of(key) | std::min<u64>(static_cast<u64>(std::bit_width(nodes)) + 1, COST_NB - 1);
  }

  void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index_of(key ^ salt_)]); }

  /// Clears the table in constant time.
  void clear() {
    age_ = (age_ + 1) % AGE_NB;
    salt_ = Rng(salt_).next();
  }

  /// Resets to the initial state with fresh memory, so that replacements repeat exactly.
  void reset() { *this = NoVcfTable(bytes()); }

  size_t bytes() const { return buckets_.bytes(); }

 private:
  /// An entry, 0 if free:
  ///
  ///     low 54 bits of the key | age, 5 bits | logarithm of the cost, 5 bits, not 0
  ///
  /// The bucket index covers the high bits of the key, so none is lost with 1024 or more buckets.
  static constexpr int AGE_SHIFT = 5, KEY_SHIFT = 10;
  static constexpr u64 COST_NB = 32, AGE_NB = 32;

  struct alignas(64) Bucket {
    u64 entries[8];
  };

  u64 tag_of(u64 key) const { return (key << KEY_SHIFT) | (age_ << AGE_SHIFT); }
  u64 replacement_value(u64 entry) const {
    return (entry >> AGE_SHIFT) % AGE_NB == age_ ? entry % COST_NB : 0;
  }
  /// Works for any number of buckets below 2^32.
  size_t index_of(u64 key) const { return ((key >> 32) * buckets_.size()) >> 32; }

  ZeroedArray<Bucket> buckets_;
  u64 age_ = 0;
  u64 salt_ = 0;  ///< mixed into every key: entries before a clear() are not found
};

}  // namespace tengen
