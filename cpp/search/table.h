// SPDX-License-Identifier: MIT
// The transposition table: what searches found out about positions, shared by all threads without
// locks. An entry is two words; the first is the key mixed with the second, so that an entry torn
// by two writers is not recognised. Relies on eval/value.h; one rule and board size at a time.
#pragma once

#include <atomic>

#include "base/memory.h"
#include "eval/value.h"
#include "game/point.h"

namespace tengen {

/// What the true value is, compared with the one that was found.
enum class Bound : u8 { NONE, UPPER, LOWER, EXACT };

/// What the table holds of a position.
struct TableEntry {
  Value value = 0;        ///< mates count from the position, not from the root
  Value eval = NO_VALUE;  ///< static value, if known
  Point move = NO_POINT;
  int depth = 0;
  Bound bound = Bound::NONE;
};

/// Does the entry's value hold as such a bound? An exact one holds as both.
constexpr bool has_bound(const TableEntry& entry, Bound bound) {
  return (static_cast<int>(entry.bound) & static_cast<int>(bound)) != 0;
}

class Table {
 public:
  static constexpr int LEAST_DEPTH = -1;

  /// Uses at most `bytes`, but at least one bucket. Memory is taken as it is touched.
  explicit Table(size_t bytes) : buckets_(bytes / sizeof(Bucket) ? bytes / sizeof(Bucket) : 1) {}

  /// False if the position is not there. Mates are told as from `ply`.
  bool probe(u64 key, int ply, TableEntry& found) const;
  /// `entry.value` may be a mate as from `ply`. An entry without a move keeps the one that is
  /// there.
  void store(u64 key, int ply, const TableEntry& entry);
  void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index_of(key)]); }

  /// Entries of former searches are the first to make room.
  void new_search() { generation_ = (generation_ + 1) % GENERATION_NB; }
  /// Forgets everything. No search may be running.
  void clear();

  size_t bytes() const { return buckets_.bytes(); }
  /// Share of entries in use by this search, in thousandths, from a sample.
  int fill() const;

 private:
  static constexpr int GENERATION_NB = 16;
  static constexpr int ENTRIES_A_BUCKET = 4;

  /// Zero bytes are a free entry. Plain words, used through atomic_ref: that keeps the array
  /// trivially made.
  struct Entry {
    u64 key_and_data;  ///< key ^ data
    u64 data;
  };
  struct alignas(64) Bucket {
    Entry entries[ENTRIES_A_BUCKET];
  };

  static u64 load(const u64& word) {
    return std::atomic_ref<u64>(const_cast<u64&>(word)).load(std::memory_order_relaxed);
  }
  static void save(u64& word, u64 value) {
    std::atomic_ref<u64>(word).store(value, std::memory_order_relaxed);
  }
  u64 pack(const TableEntry& entry, int ply) const;
  int worth(u64 data) const;
  /// Any number of buckets below 2^32 will do.
  size_t index_of(u64 key) const { return ((key >> 32) * buckets_.size()) >> 32; }

  ZeroedArray<Bucket> buckets_;
  int generation_ = 0;
};

}  // namespace tengen
