// SPDX-License-Identifier: MIT
// Combos, the classical tables and evaluator, and the fake evaluator.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "base/crc32.h"
#include "check.h"
#include "eval/combo.h"
#include "game/symmetry.h"
#include "searches.h"

using namespace tengen;

namespace {

constexpr size_t HEADER = 16;  // magic, rule, checksum
constexpr size_t ALL_COMBOS = static_cast<size_t>(COMBO_NB) * COLOUR_NB;

ShapeSet shape_set(const std::array<int, 4>& shapes) {
  return static_cast<ShapeSet>(shapes[0] | shapes[1] << 4 | shapes[2] << 8 | shapes[3] << 12);
}

/// A file of random numbers, so that no two places in it are alike. Colours differ in renju alone.
std::string made_file(Rule rule) {
  Rng rng(static_cast<u64>(rule) + 77);
  std::string numbers;
  const auto push = [&](int number) {
    numbers.push_back(static_cast<char>(number & 255));
    numbers.push_back(static_cast<char>((number >> 8) & 255));
  };
  const auto push_table = [&](size_t length) {
    std::vector<int> table(length);
    for (const Colour colour : {BLACK, WHITE}) {
      if (colour == BLACK || rule == Rule::RENJU)
        for (int& number : table) number = static_cast<int>(rng.below(16001)) - 8000;
      for (const int number : table) push(number);
    }
  };
  for (int table = 0; table < 4; ++table) push_table(COMBO_NB);
  push_table(THREAT_MASK_NB);
  push_table(1);
  std::string bytes = "TGCLASS1";
  for (const u32 word : {static_cast<u32>(rule), crc32(numbers)})
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<char>((word >> shift) & 255));
  return bytes + numbers;
}

std::shared_ptr<const ClassicalTables> made_tables(Rule rule) {
  return ClassicalTables::parse(made_file(rule), rule);
}

/// The file's numbers, read plainly: V_own, V_opp, P_own, P_opp by colour and combo, then M by
/// colour and mask, then the bias by colour.
class PlainTables {
 public:
  explicit PlainTables(std::string bytes) : bytes_(std::move(bytes)) {}

  int value(int table, Colour colour, ShapeSet set) const {
    return number(static_cast<size_t>(table) * ALL_COMBOS +
                  static_cast<size_t>(side_index(colour) * COMBO_NB + combo_of(set)));
  }
  int by_threats(Colour colour, int mask) const {
    return number(4 * ALL_COMBOS + static_cast<size_t>(side_index(colour) * 1024 + mask));
  }
  int bias(Colour colour) const {
    return number(4 * ALL_COMBOS + 2048 + static_cast<size_t>(side_index(colour)));
  }

 private:
  int number(size_t i) const {
    const auto byte = [&](size_t at) { return static_cast<u8>(bytes_.at(at)); };
    return static_cast<i16>(byte(HEADER + 2 * i) | byte(HEADER + 2 * i + 1) << 8);
  }

  std::string bytes_;
};

/// The mask by looking at every point.
int plain_mask(const PatternBoard& patterns, Colour side) {
  constexpr std::array<std::array<Threat, 2>, THREAT_GROUP_NB> GROUPS = {
      {{Threat::OPEN_FOUR, Threat::DOUBLE_FOUR},
       {Threat::FOUR_THREE, Threat::FOUR_DOUBLE_THREE},
       {Threat::FOUR, Threat::FOUR},
       {Threat::DOUBLE_THREE, Threat::DOUBLE_THREE},
       {Threat::OPEN_THREE, Threat::OPEN_THREE}}};
  int mask = 0;
  for (const Point p : board_points(patterns.size()))
    for (int i = 0; i < THREAT_GROUP_NB; ++i)
      for (const Threat threat : GROUPS[static_cast<size_t>(i)]) {
        if (patterns.threat(side, p) == threat) mask |= 1 << i;
        if (patterns.threat(opponent(side), p) == threat) mask |= 1 << (i + THREAT_GROUP_NB);
      }
  return mask;
}

Value plain_value(const PlainTables& tables, const PatternBoard& patterns, Colour side) {
  const Colour other = opponent(side);
  Value sum = tables.by_threats(side, plain_mask(patterns, side)) + tables.bias(side);
  for (const Point p : board_points(patterns.size())) {
    if (!patterns.is_empty(p)) continue;
    sum += tables.value(0, side, patterns.shape_set(side, p));
    sum -= tables.value(1, other, patterns.shape_set(other, p));
  }
  return sum;
}

std::vector<ScoredMove> all_scores(Evaluator& evaluator, const PatternBoard& patterns,
                                   Colour side) {
  std::vector<ScoredMove> moves;
  for (const Point p : board_points(patterns.size()))
    if (patterns.is_empty(p)) moves.push_back({p, 0});
  evaluator.score_moves(patterns, side, moves);
  return moves;
}

/// The sentence with which the bytes are refused; empty if they are taken.
std::string error_message(const std::string& bytes, Rule rule) {
  try {
    ClassicalTables::parse(bytes, rule);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& sentence, const std::string& word) {
  return sentence.find(word) != std::string::npos;
}

/// Both evaluators, and a fresh one, after any play and undo.
class Walk {
 public:
  Walk(int size, Rule rule)
      : tables_(made_file(rule)),
        patterns_(size, rule),
        cells_(empty_cells(size)),
        kept_(made_tables(rule)),
        fresh_(made_tables(rule)) {}

  void start(const std::vector<Placed>& stones) {
    for (const auto& [point, colour] : stones) cells_[point] = colour;
    patterns_.assign(cells_);
    kept_.assign(patterns_);
    played_.clear();
  }

  void step(Rng& rng) {
    const Point p = random_empty_point(rng, cells_, patterns_.size());
    if (p != NO_POINT && (played_.empty() || rng.below(5) > 1)) {
      const Colour colour = rng.below(2) ? BLACK : WHITE;
      cells_[p] = colour;
      patterns_.play(p, colour);
      kept_.play(patterns_, p, colour);
      played_.push_back(p);
    } else if (!played_.empty()) {
      cells_[played_.back()] = EMPTY;
      patterns_.undo();
      kept_.undo();
      played_.pop_back();
    }
  }

  void check() {
    fresh_.assign(patterns_);
    for (const Colour side : {BLACK, WHITE}) {
      CHECK_EQ(kept_.value(patterns_, side), fresh_.value(patterns_, side));
      CHECK_EQ(kept_.value(patterns_, side), plain_value(tables_, patterns_, side));
    }
  }

 private:
  PlainTables tables_;
  PatternBoard patterns_;
  Cells cells_;
  ClassicalEvaluator kept_, fresh_;
  std::vector<Point> played_;
};

}  // namespace

TEST(combos_are_numbered_without_gaps) {
  std::vector<bool> seen(COMBO_NB, false);
  for (int a = 0; a < SHAPE_NB; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c)
        for (int d = 0; d <= c; ++d) {
          std::array<int, 4> shapes = {d, c, b, a};
          const int combo = combo_of(shape_set(shapes));
          CHECK(0 <= combo && combo < COMBO_NB);
          CHECK(!seen.at(static_cast<size_t>(combo)));
          seen.at(static_cast<size_t>(combo)) = true;
          // The order of the lines does not matter.
          do CHECK_EQ(combo_of(shape_set(shapes)), combo);
          while (std::next_permutation(shapes.begin(), shapes.end()));
        }
  CHECK(std::all_of(seen.begin(), seen.end(), [](bool b) { return b; }));
  // As the file format says: for a >= b >= c >= d, C(a+3,4) + C(b+2,3) + C(c+1,2) + d.
  CHECK_EQ(combo_of(shape_set({1, 0, 0, 0})), 1);
  CHECK_EQ(combo_of(shape_set({3, 0, 2, 1})), 15 + 4 + 1 + 0);
  CHECK_EQ(combo_of(shape_set({11, 11, 11, 11})), COMBO_NB - 1);
}

TEST(crc32_gives_the_published_numbers) {
  // At run time; the numbers are those of zlib.
  CHECK_EQ(crc32(std::string()), 0u);
  CHECK_EQ(crc32(std::string("a")), 0xE8B7BE43u);
  CHECK_EQ(crc32(std::string("123456789")), 0xCBF43926u);
  CHECK_EQ(crc32(std::string("The quick brown fox jumps over the lazy dog")), 0x414FA339u);
  CHECK_EQ(crc32(std::string(32, '\xFF')), 0xFF6CAB0Bu);
}

TEST(classical_tables_equal_the_file) {
  Rng rng(1);
  for (int r = 0; r < RULE_NB; ++r) {
    const Rule rule = static_cast<Rule>(r);
    const PlainTables plain(made_file(rule));
    const auto tables = made_tables(rule);
    CHECK(tables->rule == rule);
    for (const Colour colour : {BLACK, WHITE}) {
      const auto side = static_cast<size_t>(side_index(colour));
      for (int i = 0; i < 2000; ++i) {
        std::array<int, 4> shapes{};
        for (int& shape : shapes) shape = static_cast<int>(rng.below(SHAPE_NB));
        const ShapeSet set = shape_set(shapes);
        CHECK_EQ(tables->value[side][set].to_move, plain.value(0, colour, set));
        CHECK_EQ(tables->value[side][set].waiting, plain.value(1, colour, set));
        CHECK_EQ(tables->move[side][set].to_move, plain.value(2, colour, set));
        CHECK_EQ(tables->move[side][set].waiting, plain.value(3, colour, set));
      }
      for (int mask = 0; mask < THREAT_MASK_NB; ++mask)
        CHECK_EQ(tables->by_threats[side][static_cast<size_t>(mask)],
                 plain.by_threats(colour, mask));
      CHECK_EQ(tables->bias[side], plain.bias(colour));
    }
  }
}

TEST(bundled_tables_fit_their_rules) {
  for (int r = 0; r < RULE_NB; ++r) {
    const Rule rule = static_cast<Rule>(r);
    const auto tables = classical_tables(rule);
    CHECK(tables->rule == rule);
    if (rule == Rule::RENJU) continue;
    // Where the rule is the same for both colours, so are the numbers.
    CHECK(tables->by_threats[0] == tables->by_threats[1] && tables->bias[0] == tables->bias[1]);
    for (const auto* table : {&tables->value, &tables->move})
      for (size_t set = 0; set < (*table)[0].size(); ++set)
        CHECK((*table)[0][set].to_move == (*table)[1][set].to_move &&
              (*table)[0][set].waiting == (*table)[1][set].waiting);
  }
}

TEST(invalid_classical_tables_are_rejected) {
  const std::string good = table_file(Rule::RENJU);
  CHECK_EQ(error_message(good, Rule::RENJU), std::string());
  CHECK(contains(error_message("", Rule::RENJU), "not a file of classical tables"));
  CHECK(
      contains(error_message("TGCLASS2" + good.substr(8), Rule::RENJU), "not a file of classical"));
  for (const size_t length : {size_t{8}, size_t{12}, size_t{15}, size_t{16}, good.size() - 1})
    CHECK(contains(error_message(good.substr(0, length), Rule::RENJU), std::to_string(length)));
  CHECK(contains(error_message(good + '\0', Rule::RENJU), std::to_string(good.size() + 1)));
  const std::string other = error_message(good, Rule::CARO6);
  CHECK(contains(other, "renju") && contains(other, "caro6"));
  std::string unknown = good;
  unknown[8] = 99;
  CHECK(contains(error_message(unknown, Rule::RENJU), "not known"));
  unknown[8] = static_cast<char>(-1), unknown[11] = static_cast<char>(-1);
  CHECK(contains(error_message(unknown, Rule::RENJU), "not known"));
  // One bit anywhere behind the rule: in the checksum, in the first number, in the last.
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    const size_t at = i < 5    ? 12 + static_cast<size_t>(i)
                      : i == 5 ? good.size() - 1
                               : 12 + rng.below(static_cast<u32>(good.size() - 12));
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << rng.below(8)));
    CHECK(contains(error_message(damaged, Rule::RENJU), "checksum"));
  }
}

TEST(classical_value_is_kept_by_play_and_undo) {
  for (int r = 0; r < RULE_NB; ++r)
    for (const int size : {MIN_SIZE, 9, 15, 20, MAX_SIZE}) {
      Rng rng(static_cast<u64>(10 * size + r));
      Walk walk(size, static_cast<Rule>(r));
      walk.start(rng.below(2) ? random_stones(rng, size) : std::vector<Placed>());
      for (int i = 0; i < 120; ++i) {
        walk.step(rng);
        if (i % 3 == 0) walk.check();
      }
    }
}

TEST(classical_evaluation_is_symmetric) {
  Rng rng(3);
  std::vector<std::shared_ptr<const ClassicalTables>> tables;
  for (int r = 0; r < RULE_NB; ++r) tables.push_back(made_tables(static_cast<Rule>(r)));
  for (int i = 0; i < 150; ++i) {
    const int size = random_size(rng);
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const std::vector<Placed> stones = random_stones(rng, size);
    PatternBoard patterns(size, rule), image(size, rule);
    ClassicalEvaluator evaluator(tables[static_cast<size_t>(rule)]);
    ClassicalEvaluator of_image(tables[static_cast<size_t>(rule)]);
    patterns.assign(position_of(size, rule, stones).cells);
    evaluator.assign(patterns);
    // Seen from the other side of the board, and (where the rule is the same for both)
    // with the colours exchanged.
    for (int s = 0; s < 2 * SYMMETRY_NB; ++s) {
      const bool swap = s >= SYMMETRY_NB;
      if (swap && rule == Rule::RENJU) break;
      Cells cells = empty_cells(size);
      for (const auto& [p, colour] : stones)
        cells[transformed(p, s % SYMMETRY_NB, size)] = swap ? opponent(colour) : colour;
      image.assign(cells);
      of_image.assign(image);
      for (const Colour side : {BLACK, WHITE}) {
        const Colour image_side = swap ? opponent(side) : side;
        CHECK_EQ(of_image.value(image, image_side), evaluator.value(patterns, side));
        std::vector<ScoredMove> moves = all_scores(evaluator, patterns, side);
        for (const ScoredMove& move : moves) {
          ScoredMove there = {transformed(move.point, s % SYMMETRY_NB, size), 0};
          of_image.score_moves(image, image_side, {&there, 1});
          CHECK_EQ(there.score, move.score);
        }
      }
    }
  }
}

TEST(classical_scores_equal_the_file) {
  Rng rng(4);
  for (int i = 0; i < 50; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const PlainTables plain(made_file(rule));
    PatternBoard patterns(15, rule);
    patterns.assign(position_of(15, rule, random_stones(rng, 15)).cells);
    ClassicalEvaluator evaluator(made_tables(rule));
    evaluator.assign(patterns);
    for (const Colour side : {BLACK, WHITE})
      for (const ScoredMove& move : all_scores(evaluator, patterns, side))
        CHECK_EQ(move.score, plain.value(2, side, patterns.shape_set(side, move.point)) +
                                 plain.value(3, opponent(side),
                                             patterns.shape_set(opponent(side), move.point)));
  }
}

TEST(threat_mask_is_a_count_of_points) {
  Rng rng(5);
  int all_bits = 0;
  for (int i = 0; i < 1500; ++i) {
    const int size = random_size(rng);
    PatternBoard patterns(size, static_cast<Rule>(i % RULE_NB));
    patterns.assign(position_of(size, patterns.rule(), random_stones(rng, size)).cells);
    for (const Colour side : {BLACK, WHITE}) {
      CHECK_EQ(threat_mask(patterns, side), plain_mask(patterns, side));
      all_bits |= threat_mask(patterns, side);
    }
  }
  CHECK_EQ(all_bits, THREAT_MASK_NB - 1);
}

TEST(fake_evaluation_is_stable) {
  PatternBoard patterns(15, Rule::FREESTYLE);
  FakeEvaluator evaluator, other;
  const std::array<Point, 3> points = {make_point(7, 7), make_point(8, 8), make_point(3, 0)};
  evaluator.assign(patterns);
  for (const Point p : points) evaluator.play(patterns, p, p == points[1] ? WHITE : BLACK);
  // Written down once; the test positions of the search rest on it.
  CHECK_EQ(evaluator.value(patterns, BLACK), -529);
  CHECK_EQ(evaluator.value(patterns, WHITE), -evaluator.value(patterns, BLACK));
  // Stones laid in another order, or all at once, are the same stones.
  other.assign(patterns);
  for (const size_t i : {2u, 1u, 0u}) other.play(patterns, points[i], i == 1 ? WHITE : BLACK);
  CHECK_EQ(other.value(patterns, BLACK), evaluator.value(patterns, BLACK));
  for (const Point p : points) patterns.play(p, p == points[1] ? WHITE : BLACK);
  other.assign(patterns);
  CHECK_EQ(other.value(patterns, BLACK), evaluator.value(patterns, BLACK));
  const auto scores = all_scores(other, patterns, WHITE),
             same = all_scores(evaluator, patterns, WHITE);
  for (size_t i = 0; i < scores.size(); ++i) CHECK_EQ(scores[i].score, same[i].score);
  // What is taken back is gone; other stones have other values.
  std::set<Value> values;
  for (const Point p : board_points(15)) {
    if (!patterns.is_empty(p)) continue;
    evaluator.play(patterns, p, WHITE);
    values.insert(evaluator.value(patterns, BLACK));
    evaluator.undo();
  }
  CHECK(values.size() > 180 && *values.begin() < -900 && *values.rbegin() > 900);
  CHECK_EQ(evaluator.value(patterns, BLACK), other.value(patterns, BLACK));
}
