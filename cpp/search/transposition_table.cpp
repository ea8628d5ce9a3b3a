// SPDX-License-Identifier: MIT
#include "search/transposition_table.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(TT_EXACT_BONUS, 2, 0, 10, 1, "replacement bonus of an exact entry, in plies");
TUNABLE(TT_AGE_PENALTY, 8, 1, 32, 2, "replacement penalty of an entry per search of age, in plies");
TUNABLE(TT_KEEP_DEPTH, 3, 0, 10, 1,
        "minimum depth difference at which a deeper entry is not replaced");

/// Bits of the data word:
///
///     value, 24, signed | eval, 16, signed | move, 10 | depth + 2, 8 | bound, 2 | generation, 4
constexpr int BOUND_SHIFT = 4, DEPTH_SHIFT = 6, MOVE_SHIFT = 14, EVAL_SHIFT = 24, VALUE_SHIFT = 40;
constexpr int DEPTH_OFFSET = 2;  ///< no used entry is 0
constexpr int MAX_DEPTH = 255 - DEPTH_OFFSET;
constexpr int NO_EVAL = -32768;

constexpr int bits(u64 data, int shift, int count) {
  return static_cast<int>((data >> shift) & ((u64{1} << count) - 1));
}
constexpr int depth_of(u64 data) { return bits(data, DEPTH_SHIFT, 8) - DEPTH_OFFSET; }
constexpr int generation_of(u64 data) { return bits(data, 0, 4); }
constexpr Point move_of(u64 data) { return static_cast<Point>(bits(data, MOVE_SHIFT, 10)); }
constexpr Bound bound_of(u64 data) { return static_cast<Bound>(bits(data, BOUND_SHIFT, 2)); }
constexpr Value value_of(u64 data) {
  return static_cast<i32>(static_cast<i64>(data) >> VALUE_SHIFT);
}
constexpr int eval_of(u64 data) { return static_cast<i16>(bits(data, EVAL_SHIFT, 16)); }

/// Stored mates count from the position itself.
constexpr Value to_table(Value value, int ply) {
  return is_win(value) ? value + ply : is_loss(value) ? value - ply : value;
}
constexpr Value from_table(Value value, int ply) {
  return is_win(value) ? value - ply : is_loss(value) ? value + ply : value;
}

}  // namespace

u64 TranspositionTable::pack(const TTEntry& entry, int ply) const {
  const bool has_eval = entry.eval > NO_EVAL && entry.eval <= 32767;
  const auto eval = static_cast<u16>(has_eval ? entry.eval : NO_EVAL);
  const int depth = std::clamp(entry.depth, MIN_DEPTH, MAX_DEPTH) + DEPTH_OFFSET;
  return static_cast<u64>(static_cast<i64>(to_table(entry.value, ply))) << VALUE_SHIFT |
         u64{eval} << EVAL_SHIFT | u64{entry.move} << MOVE_SHIFT |
         static_cast<u64>(depth) << DEPTH_SHIFT | static_cast<u64>(entry.bound) << BOUND_SHIFT |
         static_cast<u64>(generation_);
}

bool TranspositionTable::probe(u64 key, int ply, TTEntry& result) const {
  for (const Entry& entry : buckets_[index_of(key)].entries) {
    const u64 data = load(entry.data);
    if ((load(entry.key_and_data) ^ data) != key || data == 0) continue;
    result.value = from_table(value_of(data), ply);
    result.eval = eval_of(data) == NO_EVAL ? NO_VALUE : eval_of(data);
    result.move = move_of(data);
    result.depth = depth_of(data);
    result.bound = bound_of(data);
    return true;
  }
  return false;
}

/// Replacement priority: shallow and old entries are replaced first.
int TranspositionTable::replacement_value(u64 data) const {
  if (data == 0) return -1000;
  const int age = (generation_ - generation_of(data) + GENERATION_NB) % GENERATION_NB;
  return depth_of(data) + (bound_of(data) == Bound::EXACT ? TT_EXACT_BONUS : 0) -
         TT_AGE_PENALTY * age;
}

void TranspositionTable::store(u64 key, int ply, const TTEntry& entry) {
  Bucket& bucket = buckets_[index_of(key)];
  Entry* victim = &bucket.entries[0];
  u64 victim_data = load(victim->data);
  TTEntry fresh = entry;
  for (Entry& other : bucket.entries) {
    const u64 data = load(other.data);
    if ((load(other.key_and_data) ^ data) == key && data != 0) {
      // A shallow bound does not replace a much deeper entry of the same search.
      if (entry.bound != Bound::EXACT && entry.depth + TT_KEEP_DEPTH < depth_of(data) &&
          generation_of(data) == generation_)
        return;
      if (fresh.move == NO_POINT) fresh.move = move_of(data);
      victim = &other;
      break;
    }
    if (replacement_value(data) < replacement_value(victim_data)) {
      victim = &other;
      victim_data = data;
    }
  }
  const u64 data = pack(fresh, ply);
  save(victim->key_and_data, key ^ data);
  save(victim->data, data);
}

void TranspositionTable::clear() {
  buckets_ = ZeroedArray<Bucket>(buckets_.size());  // untouched pages cost nothing
  generation_ = 0;
}

int TranspositionTable::hashfull() const {
  const size_t sample = std::min<size_t>(buckets_.size(), 250);
  int used = 0;
  for (size_t i = 0; i < sample; ++i)
    for (const Entry& entry : buckets_[i].entries)
      if (const u64 data = load(entry.data); data != 0 && generation_of(data) == generation_)
        ++used;
  return static_cast<int>(used * 1000 / (sample * ENTRIES_PER_BUCKET));
}

}  // namespace tengen
