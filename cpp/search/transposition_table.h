// SPDX-License-Identifier: MIT
// The transposition table, shared by all threads without locks. An entry is two words; the first is
// the key xor the second, so that an entry torn by two writers is not found. Valid for one rule and
// board size at a time.
#pragma once

#include "base/memory.h"
#include "eval/value.h"
#include "game/point.h"

namespace tengen {

/// Relation of the true value to the stored one.
enum class Bound : u8 { NONE, UPPER, LOWER, EXACT };

/// Contents of an entry.
struct TTEntry {
  Value value = 0;        ///< mates count from the position, not from the root
  Value eval = NO_VALUE;  ///< static evaluation, if known
  Point move = NO_POINT;
  int depth = 0;
  Bound bound = Bound::NONE;
};

/// Whether the value is a bound of this kind; EXACT is both.
constexpr bool has_bound(const TTEntry& entry, Bound bound) {
  return (static_cast<int>(entry.bound) & static_cast<int>(bound)) != 0;
}

class TranspositionTable {
 public:
  static constexpr int MIN_DEPTH = -1;

  /// Uses at most `bytes`, but at least one bucket. Pages are allocated when touched.
  explicit TranspositionTable(size_t bytes)
      : buckets_(bytes / sizeof(Bucket) ? bytes / sizeof(Bucket) : 1) {}

  /// False if the position is not stored. Mates are converted to count from `ply`.
  bool probe(u64 key, int ply, TTEntry& result) const;
  /// `entry.value` may be a mate counted from `ply`. An entry without a move keeps the stored move.
  void store(u64 key, int ply, const TTEntry& entry);
  void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index_of(key)]); }

  /// Ages the entries of earlier searches; they are replaced first.
  void new_search() { generation_ = (generation_ + 1) % GENERATION_NB; }
  /// Removes all entries. No search may be running.
  void clear();

  size_t bytes() const { return buckets_.bytes(); }
  /// Entries written by this search, per mille, estimated from a sample.
  int hashfull() const;

 private:
  static constexpr int GENERATION_NB = 16;
  static constexpr int ENTRIES_PER_BUCKET = 4;

  /// All zero: free. Plain words with atomic access, so that the array is trivially constructible;
  /// by built-ins, because not all C++ libraries have std::atomic_ref.
  struct Entry {
    u64 key_and_data;  ///< key ^ data
    u64 data;
  };
  struct alignas(64) Bucket {
    Entry entries[ENTRIES_PER_BUCKET];
  };

  static u64 load(const u64& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }
  static void save(u64& word, u64 value) { __atomic_store_n(&word, value, __ATOMIC_RELAXED); }
  u64 pack(const TTEntry& entry, int ply) const;
  int replacement_value(u64 data) const;
  /// Works for any number of buckets below 2^32.
  size_t index_of(u64 key) const { return ((key >> 32) * buckets_.size()) >> 32; }

  ZeroedArray<Bucket> buckets_;
  int generation_ = 0;
};

}  // namespace tengen
