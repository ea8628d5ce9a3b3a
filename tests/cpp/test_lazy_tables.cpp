// SPDX-License-Identifier: MIT
// Lazy tables: the file, incremental sums, and values against plain loops over the file.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/crc32.h"
#include "check.h"
#include "eval/lazy_tables.h"
#include "searches.h"

using namespace tengen;

namespace {

constexpr size_t HEADER = 20;  // magic, rule, checksum, sides
constexpr size_t LANES = 16;
constexpr size_t ROWS = static_cast<size_t>(COMBO_NB) * LANES, MASKS = THREAT_MASK_NB * LANES;
constexpr size_t SIDE_BYTES = 2 * (2 * ROWS + MASKS + LANES * LANES) + 8 * LANES;

std::string word(u32 number) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<char>((number >> shift) & 255));
  return bytes;
}

std::string with_header(Rule rule, u32 sides, const std::string& body) {
  return "TGGUESS1" + word(static_cast<u32>(rule)) + word(crc32(body)) + word(sides) + body;
}

/// Random numbers, as large as those of real tables; those of the last layer up to `last`.
std::string made_file(Rule rule, u32 sides, int last = 60'000) {
  Rng rng(static_cast<u64>(rule) + 31 * sides);
  std::string body;
  const auto push = [&](size_t count, int most, int bytes) {
    for (size_t i = 0; i < count; ++i)
      body += word(static_cast<u32>(static_cast<int>(rng.below(2 * most + 1)) - most))
                  .substr(0, static_cast<size_t>(bytes));
  };
  for (u32 side = 0; side < sides; ++side) {
    push(2 * ROWS, 40, 2);
    push(MASKS, 2000, 2);
    push(LANES * LANES, 1500, 2);
    push(LANES, 90'000, 4);
    push(LANES, last, 4);
  }
  return with_header(rule, sides, body);
}

/// The file, read plainly.
class PlainGuess {
 public:
  PlainGuess(std::string bytes, u32 sides) : bytes_(std::move(bytes)), sides_(sides) {}

  Value value(const PatternBoard& patterns, Colour side) const {
    const Colour other = opponent(side);
    std::array<i64, LANES> lanes{};
    for (size_t lane = 0; lane < LANES; ++lane) {
      i64 sum =
          half(side, 2 * ROWS + static_cast<size_t>(threat_mask(patterns, side)) * LANES + lane);
      for (const Point p : board_points(patterns.size())) {
        if (!patterns.is_empty(p)) continue;
        sum += half(side, combo(patterns, side, p) * LANES + lane);
        sum += half(other, ROWS + combo(patterns, other, p) * LANES + lane);
      }
      lanes[lane] = static_cast<i16>(sum);
    }
    i64 points = 0;
    for (size_t out = 0; out < LANES; ++out) {
      i64 sum = whole(side, out);
      for (size_t lane = 1; lane < LANES; ++lane)
        sum +=
            (std::max<i64>(lanes[lane], 0) / 8) * half(side, 2 * ROWS + MASKS + lane * LANES + out);
      points += std::max<i64>(sum, 0) / 1024 * whole(side, LANES + out);
    }
    const i64 below = points % 65536 < 0 ? 1 : 0;  // rounded down
    return clamp_eval(lanes[0] + points / 65536 - below);
  }

 private:
  static size_t combo(const PatternBoard& patterns, Colour colour, Point p) {
    return static_cast<size_t>(combo_of(patterns.shape_set(colour, p)));
  }
  size_t start(Colour colour) const {
    return HEADER + (sides_ == 2 ? static_cast<size_t>(side_index(colour)) * SIDE_BYTES : 0);
  }
  u8 byte(size_t at) const { return static_cast<u8>(bytes_.at(at)); }
  i16 half(Colour colour, size_t i) const {
    const size_t at = start(colour) + 2 * i;
    return static_cast<i16>(byte(at) | byte(at + 1) << 8);
  }
  i32 whole(Colour colour, size_t i) const {
    const size_t at = start(colour) + 2 * (2 * ROWS + MASKS + LANES * LANES) + 4 * i;
    return static_cast<i32>(u32{byte(at)} | u32{byte(at + 1)} << 8 | u32{byte(at + 2)} << 16 |
                            u32{byte(at + 3)} << 24);
  }

  std::string bytes_;
  u32 sides_;
};

void walk(int size, Rule rule, u32 sides) {
  const std::string file = made_file(rule, sides);
  const PlainGuess plain(file, sides);
  const auto tables = LazyTables::parse(file, rule);
  LazyTablesEvaluator kept(tables, nullptr), fresh(tables, nullptr);
  PatternBoard patterns(size, rule);
  Cells cells = empty_cells(size);
  patterns.assign(cells);
  kept.assign(patterns);
  Rng rng(static_cast<u64>(size));
  std::vector<Point> played;
  for (int step = 0; step < 300; ++step) {
    const Point p = random_empty_point(rng, cells, size);
    if (p != NO_POINT && (played.empty() || rng.below(5) > 1)) {
      const Colour colour = rng.below(2) ? BLACK : WHITE;
      cells[p] = colour;
      patterns.play(p, colour);
      kept.play(patterns, p, colour);
      played.push_back(p);
    } else if (!played.empty()) {
      cells[played.back()] = EMPTY;
      patterns.undo();
      kept.undo();
      played.pop_back();
    }
    fresh.assign(patterns);
    for (const Colour side : {BLACK, WHITE}) {
      CHECK_EQ(kept.value(patterns, side), fresh.value(patterns, side));
      CHECK_EQ(kept.value(patterns, side), plain.value(patterns, side));
    }
  }
}

std::string error_message(const std::string& bytes, Rule rule) {
  try {
    LazyTables::parse(bytes, rule);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& sentence, const std::string& words) {
  return sentence.find(words) != std::string::npos;
}

}  // namespace

TEST(lazy_value_is_never_a_mate) {
  const std::string file = made_file(Rule::FREESTYLE, 2, 1'000'000'000);
  const PlainGuess plain(file, 2);
  LazyTablesEvaluator guess(LazyTables::parse(file, Rule::FREESTYLE), nullptr);
  PatternBoard patterns(15, Rule::FREESTYLE);
  Rng rng(5);
  int at_the_limit = 0;
  for (int board = 0; board < 50; ++board) {
    Cells cells = empty_cells(15);
    for (int stone = 0; stone < 2 * board; ++stone)
      cells[random_empty_point(rng, cells, 15)] = stone % 2 ? WHITE : BLACK;
    patterns.assign(cells);
    guess.assign(patterns);
    for (const Colour side : {BLACK, WHITE}) {
      const Value found = guess.value(patterns, side);
      CHECK_EQ(found, plain.value(patterns, side));
      at_the_limit += std::abs(found) == EVAL_LIMIT;
    }
  }
  CHECK(at_the_limit > 0);
}

TEST(lazy_values_equal_the_file_after_play_and_undo) {
  walk(9, Rule::FREESTYLE, 1);
  walk(15, Rule::STANDARD, 1);
  walk(15, Rule::RENJU, 2);
  walk(20, Rule::CARO, 2);
}

TEST(lazy_tables_score_moves_like_classical_tables) {
  const auto engine = classical_tables(Rule::FREESTYLE);
  PatternBoard patterns(15, Rule::FREESTYLE);
  patterns.assign(empty_cells(15));
  patterns.play(make_point(7, 7), BLACK);
  LazyTablesEvaluator lazy_tables(LazyTables::parse(made_file(Rule::FREESTYLE, 1), Rule::FREESTYLE),
                                  engine);
  ClassicalEvaluator classical(engine);
  lazy_tables.assign(patterns);
  classical.assign(patterns);
  std::vector<ScoredMove> a, b;
  for (const Point p : board_points(15))
    if (patterns.is_empty(p)) a.push_back({p, 0});
  b = a;
  lazy_tables.score_moves(patterns, WHITE, a);
  classical.score_moves(patterns, WHITE, b);
  for (size_t i = 0; i < a.size(); ++i) CHECK_EQ(a[i].score, b[i].score);
}

TEST(invalid_lazy_tables_are_rejected_with_a_message) {
  const Rule rule = Rule::STANDARD;
  const std::string good = made_file(rule, 1);
  CHECK_EQ(good.size(), HEADER + SIDE_BYTES);
  CHECK(error_message(good, rule).empty());
  CHECK(contains(error_message("", rule), "not a file of lazy tables"));
  CHECK(contains(error_message("TGCLASS1" + good.substr(8), rule), "not a file of lazy tables"));
  CHECK(contains(error_message("TGGUESS1", rule), "cut short"));
  CHECK(contains(error_message(good.substr(0, good.size() - 1), rule), "cut short"));
  CHECK(contains(error_message(good + "x", rule), "something was added"));
  CHECK(contains(error_message(with_header(rule, 3, good.substr(HEADER)), rule), "cut short"));
  CHECK(contains(error_message(with_header(rule, 0, ""), rule), "cut short"));
  CHECK(contains(error_message(good, Rule::RENJU), "another rule than renju"));
  std::string damaged = good;
  damaged[5000] = static_cast<char>(damaged[5000] ^ 1);
  CHECK(contains(error_message(damaged, rule), "checksum"));
}
