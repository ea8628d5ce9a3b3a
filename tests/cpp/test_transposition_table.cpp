// SPDX-License-Identifier: MIT
// The transposition table: everything that goes in comes out again, or is not recognised.
#include <thread>
#include <vector>

#include "base/rng.h"
#include "check.h"
#include "search/transposition_table.h"

using namespace tengen;

namespace {

// Access to the table's memory, to damage it: an explicit instantiation may name private members.
template <auto Member>
struct Opened {
  friend auto& buckets_of(TranspositionTable& table) { return table.*Member; }
};
auto& buckets_of(TranspositionTable& table);
template struct Opened<&TranspositionTable::buckets_>;

constexpr size_t ONE_BUCKET = 64;
constexpr int ENTRIES = 4;  // of a bucket

/// Keys of one bucket of a table that has only one.
u64 key_of(int i) { return Rng(static_cast<u64>(i) + 1).next(); }

bool same(const TTEntry& a, const TTEntry& b) {
  return a.value == b.value && a.eval == b.eval && a.move == b.move && a.depth == b.depth &&
         a.bound == b.bound;
}

TTEntry entry_at(int depth, Bound bound = Bound::LOWER) {
  return {depth, depth, static_cast<Point>(100 + depth), depth, bound};
}

bool holds(const TranspositionTable& table, u64 key) {
  TTEntry found;
  return table.probe(key, 0, found);
}

TTEntry found_at(const TranspositionTable& table, u64 key, int ply = 0) {
  TTEntry found;
  CHECK(table.probe(key, ply, found));
  return found;
}

}  // namespace

TEST(tt_returns_stored_entries) {
  TranspositionTable table(1 << 16);
  const std::vector<Value> values = {
      0,           1,          -1,          EVAL_LIMIT,     -EVAL_LIMIT,    mate_in(1),
      mated_in(0), MATE_BOUND, -MATE_BOUND, MATE_BOUND - 1, 1 - MATE_BOUND, mate_in(511)};
  const std::vector<Value> evals = {0, 1, -1, 32767, -32767, NO_VALUE};
  int i = 0;
  for (const Value value : values)
    for (const Value eval : evals)
      for (const Point move : {NO_POINT, make_point(0, 0), make_point(21, 21)})
        for (const int depth : {TranspositionTable::MIN_DEPTH, 0, 1, 100, 253})
          for (const Bound bound : {Bound::UPPER, Bound::LOWER, Bound::EXACT}) {
            const TTEntry stored{value, eval, move, depth, bound};
            const u64 key = key_of(++i);
            table.store(key, 0, stored);
            CHECK(same(found_at(table, key), stored));
          }
}

TEST(tt_clamps_values_out_of_range) {
  TranspositionTable table(1 << 16);
  table.store(1, 0, {5, 0, NO_POINT, MAX_PLY, Bound::LOWER});
  CHECK_EQ(found_at(table, 1).depth, 253);
  table.store(2, 0, {5, 0, NO_POINT, -40, Bound::LOWER});
  CHECK_EQ(found_at(table, 2).depth, TranspositionTable::MIN_DEPTH);
  // An evaluation that does not fit is not known, rather than wrong.
  for (const Value eval : {32768, -32768, -32769, EVAL_LIMIT, -EVAL_LIMIT, 65536 + 7}) {
    table.store(3, 0, {5, eval, NO_POINT, 1, Bound::LOWER});
    CHECK_EQ(found_at(table, 3).eval, NO_VALUE);
    CHECK_EQ(found_at(table, 3).value, 5);
  }
}

TEST(tt_counts_mates_from_the_position) {
  TranspositionTable table(1 << 16);
  for (const int stored_at : {0, 1, 7, 60, 300})
    for (const int probed_at : {0, 1, 6, 61, 200})
      for (const int plies : {1, 2, 9, 150}) {
        table.store(1, stored_at, {mate_in(stored_at + plies), 0, NO_POINT, 3, Bound::EXACT});
        CHECK_EQ(found_at(table, 1, probed_at).value, mate_in(probed_at + plies));
        table.store(1, stored_at, {mated_in(stored_at + plies), 0, NO_POINT, 3, Bound::EXACT});
        CHECK_EQ(found_at(table, 1, probed_at).value, mated_in(probed_at + plies));
        table.store(1, stored_at, {EVAL_LIMIT, 0, NO_POINT, 3, Bound::EXACT});
        CHECK_EQ(found_at(table, 1, probed_at).value, EVAL_LIMIT);
      }
}

TEST(empty_tt_has_no_entries) {
  for (const size_t bytes : {size_t{0}, ONE_BUCKET, size_t{1} << 16}) {
    const TranspositionTable table(bytes);
    CHECK(table.bytes() <= std::max(bytes, ONE_BUCKET));
    CHECK_EQ(table.hashfull(), 0);
    for (const u64 key : {u64{0}, u64{1}, ~u64{0}, key_of(1)}) CHECK(!holds(table, key));
  }
}

TEST(tt_accepts_any_key) {
  TranspositionTable table(1 << 12);
  for (const u64 key : {u64{0}, u64{1}, ~u64{0}, u64{1} << 63, u64{1} << 32}) {
    table.store(key, 0, entry_at(5));
    CHECK(same(found_at(table, key), entry_at(5)));
  }
}

TEST(tt_keeps_the_stored_move) {
  TranspositionTable table(ONE_BUCKET);
  table.store(1, 0, {3, 0, make_point(4, 4), 5, Bound::LOWER});
  table.store(1, 0, {-3, 0, NO_POINT, 6, Bound::UPPER});
  CHECK_EQ(found_at(table, 1).move, make_point(4, 4));
  CHECK_EQ(found_at(table, 1).value, -3);
  table.store(1, 0, {-3, 0, make_point(5, 5), 6, Bound::UPPER});
  CHECK_EQ(found_at(table, 1).move, make_point(5, 5));
}

TEST(shallow_bound_does_not_replace_a_deep_one) {
  TranspositionTable table(ONE_BUCKET);
  table.store(1, 0, entry_at(10));
  table.store(1, 0, entry_at(6));  // much shallower
  CHECK_EQ(found_at(table, 1).depth, 10);
  table.store(1, 0, entry_at(7));  // a little shallower: the newer entry counts
  CHECK_EQ(found_at(table, 1).depth, 7);
  table.store(1, 0, entry_at(20));
  table.store(1, 0, entry_at(2, Bound::EXACT));  // a value is more than a bound
  CHECK_EQ(found_at(table, 1).depth, 2);
  table.store(1, 0, entry_at(20));
  table.new_search();
  table.store(1, 0, entry_at(2));  // what is there is old
  CHECK_EQ(found_at(table, 1).depth, 2);
}

TEST(full_bucket_keeps_deep_entries) {
  for (int shallow = 0; shallow < ENTRIES; ++shallow) {
    TranspositionTable table(ONE_BUCKET);
    for (int i = 0; i < ENTRIES; ++i) table.store(key_of(i), 0, entry_at(i == shallow ? 3 : 9 + i));
    for (int i = 0; i < ENTRIES; ++i) CHECK(holds(table, key_of(i)));
    table.store(key_of(ENTRIES), 0, entry_at(5));
    CHECK(holds(table, key_of(ENTRIES)));  // what is new is always kept
    for (int i = 0; i < ENTRIES; ++i) CHECK_EQ(holds(table, key_of(i)), i != shallow);
  }
}

TEST(full_bucket_keeps_recent_entries) {
  for (int old = 0; old < ENTRIES; ++old) {
    TranspositionTable table(ONE_BUCKET);
    table.store(key_of(old), 0, entry_at(9));
    table.new_search();
    for (int i = 0; i < ENTRIES; ++i)
      if (i != old) table.store(key_of(i), 0, entry_at(3));
    table.store(key_of(ENTRIES), 0, entry_at(1));
    for (int i = 0; i <= ENTRIES; ++i) CHECK_EQ(holds(table, key_of(i)), i != old);
  }
}

TEST(hashfull_counts_this_search_only) {
  TranspositionTable table(ONE_BUCKET);
  for (int i = 0; i < ENTRIES; ++i) {
    CHECK_EQ(table.hashfull(), 250 * i);
    table.store(key_of(i), 0, entry_at(5));
  }
  CHECK_EQ(table.hashfull(), 1000);
  table.new_search();
  CHECK_EQ(table.hashfull(), 0);
  table.store(key_of(1), 0, entry_at(5));
  CHECK_EQ(table.hashfull(), 250);
  for (int i = 0; i < 15; ++i) table.new_search();  // generations come round again
  CHECK(holds(table, key_of(1)));
}

TEST(cleared_tt_has_no_entries) {
  TranspositionTable table(1 << 12);
  for (int i = 0; i < 100; ++i) table.store(key_of(i), 0, entry_at(5));
  const size_t bytes = table.bytes();
  table.clear();
  for (int i = 0; i < 100; ++i) CHECK(!holds(table, key_of(i)));
  CHECK_EQ(table.hashfull(), 0);
  CHECK_EQ(table.bytes(), bytes);
  table.store(key_of(1), 0, entry_at(5));
  CHECK(same(found_at(table, key_of(1)), entry_at(5)));
}

TEST(torn_entries_are_not_found) {
  // Two threads write to one place: one word is the first one's, the other the second one's.
  for (const u64 second_key : {key_of(1), key_of(2)}) {
    TranspositionTable first(ONE_BUCKET), second(ONE_BUCKET);
    first.store(key_of(1), 0, entry_at(5));
    second.store(second_key, 0, entry_at(8, Bound::EXACT));
    auto& here = buckets_of(first)[0].entries[0];
    const auto& there = buckets_of(second)[0].entries[0];
    CHECK(holds(first, key_of(1)) && holds(second, second_key));
    const u64 data = here.data, key_and_data = here.key_and_data;
    here.data = there.data;
    CHECK(!holds(first, key_of(1)) && !holds(first, second_key));
    here.data = data;
    here.key_and_data = there.key_and_data;
    CHECK(!holds(first, key_of(1)) && !holds(first, second_key));
    here.key_and_data = key_and_data;
    CHECK(holds(first, key_of(1)));
    // A new entry takes its place all the same.
    here.data = there.data;
    first.store(key_of(1), 0, entry_at(6));
    CHECK(same(found_at(first, key_of(1)), entry_at(6)));
  }
}

TEST(threads_share_the_tt_without_false_hits) {
  // Every key has entries of one kind; whatever is found under it must be of that kind.
  TranspositionTable table(8 * ONE_BUCKET);
  const auto work = [&table](u64 seed, int& wrong, int& found_count) {
    Rng rng(seed);
    for (int i = 0; i < 30000; ++i) {
      const int which = static_cast<int>(rng.below(64)), variant = static_cast<int>(rng.below(100));
      TTEntry found;
      if (table.probe(key_of(which), 0, found)) {
        ++found_count;
        wrong += found.value % 64 != which || found.eval != found.value ||
                 found.depth != found.value / 64;
      }
      const Value value = 64 * variant + which;
      table.store(key_of(which), 0, {value, value, NO_POINT, variant, Bound::EXACT});
    }
  };
  std::array<int, 3> wrong{}, found{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < wrong.size(); ++i)
    threads.emplace_back([&, i] { work(i, wrong[i], found[i]); });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < wrong.size(); ++i) {
    CHECK_EQ(wrong[i], 0);
    CHECK(found[i] > 1000);
  }
}
