// SPDX-License-Identifier: MIT
// Proof and disproof numbers of positions, in a table of fixed size. Relies on base.
#pragma once

#include <algorithm>
#include <bit>

#include "base/memory.h"
#include "game/point.h"

namespace tengen {

/// As the side to move sees it: `mine` is about the least work in which it could show that it
/// reaches its aim (for the attacker the proof number), `theirs` the same for the other side. 0:
/// shown; PN_INFINITE: shown to be impossible.
struct PnPair {
  u32 mine = 1;
  u32 theirs = 1;

  bool operator==(const PnPair&) const = default;
};

inline constexpr u32 PN_INFINITE = 1u << 30;
inline constexpr PnPair PN_REACHED = {0, PN_INFINITE};
inline constexpr PnPair PN_MISSED = {PN_INFINITE, 0};

class PnTable {
 public:
  struct Entry {
    u64 key;
    PnPair pair;
    Point move;  ///< the child that looked best
    u8 age;      ///< generation that wrote it; 0: the entry is empty
    u8 cost;     ///< logarithm of the work behind it
  };

  /// Uses at most `bytes`, but at least one bucket.
  explicit PnTable(size_t bytes) : buckets_(std::max<size_t>(bytes / sizeof(Bucket), 1)) {}

  /// The entry of the key, if this generation wrote one. Valid until the next store.
  const Entry* find(u64 key) const {
    for (const Entry& entry : bucket_of(key).entries)
      if (entry.key == key && entry.age == age_) return &entry;
    return nullptr;
  }

  /// Replaces the entry of this key, or an old one, or else the cheapest of its bucket. `nodes`:
  /// the work behind it.
  void store(u64 key, PnPair pair, Point move, u64 nodes) {
    Bucket& bucket = bucket_of(key);
    Entry* chosen = &bucket.entries[0];
    for (Entry& entry : bucket.entries) {
      if (entry.key == key) {
        chosen = &entry;
        break;
      }
      if (worth(entry) < worth(*chosen)) chosen = &entry;
    }
    *chosen = {key, pair, move, age_, static_cast<u8>(std::bit_width(nodes))};
  }

  void prefetch(u64 key) const { __builtin_prefetch(&bucket_of(key)); }

  /// Forgets everything, without touching the memory most of the time.
  void clear() {
    if (++age_ != 0) return;
    std::ranges::fill(buckets_.all(), Bucket{});
    age_ = 1;
  }
  size_t bytes() const { return buckets_.bytes(); }

 private:
  struct Bucket {
    Entry entries[4];
  };

  int worth(const Entry& entry) const { return entry.age == age_ ? 1 + entry.cost : 0; }

  /// Any number of buckets below 2^32 will do.
  size_t index_of(u64 key) const { return ((key >> 32) * buckets_.size()) >> 32; }
  const Bucket& bucket_of(u64 key) const { return buckets_[index_of(key)]; }
  Bucket& bucket_of(u64 key) { return buckets_[index_of(key)]; }

  ZeroedArray<Bucket> buckets_;
  u8 age_ = 1;
};

}  // namespace tengen
