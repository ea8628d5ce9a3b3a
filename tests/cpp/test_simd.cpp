// SPDX-License-Identifier: MIT
// Every supported instruction set gives the results of the scalar version.
#include <algorithm>
#include <array>

#include "base/rng.h"
#include "check.h"
#include "simd/simd.h"

using namespace tengen;

TEST(scalar_version_is_right) {
  const simd::Ops& plain = *simd::available().front();
  CHECK_EQ(plain.name, std::string_view("scalar"));
  std::array<u8, 64> bytes{};
  bytes[0] = 0x05;
  bytes[31] = 0xF4;
  bytes[33] = 0x5F;
  std::array<u32, 2> masks{};
  plain.nibbles_at_least(bytes.data(), 2, 0, 5, masks.data());
  CHECK_EQ(masks[0], 1u);
  CHECK_EQ(masks[1], 2u);
  plain.nibbles_at_least(bytes.data(), 2, 4, 5, masks.data());
  CHECK_EQ(masks[0], 1u << 31);
  CHECK_EQ(masks[1], 2u);
}

TEST(simd_versions_agree) {
  Rng rng(5);
  std::array<u8, 22 * 32> bytes{};
  for (int n = 0; n < 2000; ++n) {
    for (u8& byte : bytes) byte = static_cast<u8>(rng.next());
    const int rows = 1 + static_cast<int>(rng.below(22)),
              shift = static_cast<int>(rng.below(2)) * 4;
    const u8 least = static_cast<u8>(rng.below(17));
    std::array<u32, 22> expected{};
    simd::available().front()->nibbles_at_least(bytes.data(), rows, shift, least, expected.data());
    for (const simd::Ops* version : simd::available()) {
      std::array<u32, 22> found{};
      version->nibbles_at_least(bytes.data(), rows, shift, least, found.data());
      CHECK(found == expected);
    }
  }
}

TEST(exchange_rows_versions_agree) {
  Rng rng(6);
  struct alignas(64) Row {
    std::array<i16, simd::ROW_WORDS> words;
  };
  std::array<Row, 100> rows;
  for (Row& row : rows)
    for (i16& word : row.words) word = static_cast<i16>(rng.next());  // sums overflow
  for (int n = 0; n < 500; ++n) {
    std::array<const i16*, 40> added, removed;
    for (auto* list : {&added, &removed})
      for (const i16*& row : *list) row = rows[rng.below(rows.size())].words.data();
    const int adds = static_cast<int>(rng.below(41)), removals = static_cast<int>(rng.below(41));
    Row expected = rows[rng.below(rows.size())];
    const Row first = expected;
    for (size_t k = 0; k < simd::ROW_WORDS; ++k) {
      int sum = first.words[k];
      for (int i = 0; i < adds; ++i) sum += added[static_cast<size_t>(i)][k];
      for (int i = 0; i < removals; ++i) sum -= removed[static_cast<size_t>(i)][k];
      expected.words[k] = static_cast<i16>(sum);
    }
    for (const simd::Ops* version : simd::available()) {
      Row found = first;
      version->exchange_rows(found.words.data(), added.data(), adds, removed.data(), removals);
      CHECK(found.words == expected.words);
    }
  }
}

TEST(small_net_versions_agree) {
  Rng rng(7);
  const auto number = [&](int bits) {  // with a sign; now and then the least or the most
    const i64 most = i64{1} << (bits - 1);
    if (rng.below(20) == 0) return rng.below(2) ? -most : most - 1;
    return static_cast<i64>(rng.below(static_cast<u64>(2 * most))) - most;
  };
  for (int n = 0; n < 2000; ++n) {
    simd::SmallNet net;
    std::array<i16, simd::SmallNet::IN> inputs;
    for (i16& input : inputs) input = static_cast<i16>(number(16));
    for (i16& weight : net.first) weight = static_cast<i16>(number(n % 2 ? 16 : 11));
    for (i32& bias : net.first_bias) bias = static_cast<i32>(number(32));
    for (i32& weight : net.second) weight = static_cast<i32>(number(32));
    const int shift = 4 + static_cast<int>(rng.below(12));
    i64 expected = 0;
    for (size_t h = 0; h < simd::SmallNet::HIDDEN; ++h) {
      i64 sum = net.first_bias[h];
      for (size_t i = 0; i < simd::SmallNet::IN; ++i)
        sum += i64{inputs[i]} * net.first[simd::SmallNet::weight_index(i, h)];
      expected += i64{std::max(static_cast<i32>(sum), 0) >> shift} * net.second[h];
    }
    for (const simd::Ops* version : simd::available())
      CHECK_EQ(version->small_net(net, inputs.data(), shift), expected);
  }
}
