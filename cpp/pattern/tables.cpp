// SPDX-License-Identifier: MIT
#include "pattern/tables.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "game/rules.h"

namespace tengen {

namespace {

/// Computes the shape of every key for one colour: fives and fours by the referee, smaller shapes
/// recursively from the best shape that one more stone makes.
class ShapeBuilder {
 public:
  ShapeBuilder(Rule rule, Colour colour)
      : referee_(edge_cells(), rule),
        colour_(colour),
        two_fours_forbidden_(has_forbidden_moves(rule, colour)),
        shapes_(KEY_NB, UNKNOWN) {
    referee_.set(MIDDLE, colour);
  }

  Shape shape(LineKey key) {
    if (shapes_[key] == UNKNOWN) shapes_[key] = static_cast<u8>(find(key));
    return static_cast<Shape>(shapes_[key]);
  }

 private:
  static constexpr Point MIDDLE = make_point(MAX_SIZE / 2, MAX_SIZE / 2);
  static constexpr u8 UNKNOWN = 255;

  static Cells edge_cells() {
    Cells cells;
    cells.fill(EDGE);
    return cells;
  }

  Shape find(LineKey key) {
    if (const Shape five_or_four = referee_shape(key); five_or_four != Shape::NONE)
      return five_or_four;
    Shape best = Shape::NONE;  // the best shape that one more stone can make
    for (int i = 0; i < KEY_CELLS; ++i)
      if (key_stone(key, i) == EMPTY)
        best = std::max(best, value(shape(key_with(key, i, colour_))));
    return one_stone_before(best);
  }

  /// FIVE, OVERLINE or a four by the referee; NONE otherwise.
  Shape referee_shape(LineKey key) {
    for (int i = 0; i < KEY_CELLS; ++i)
      referee_.set(shifted(MIDDLE, ALONG_X, key_offset(i)), key_stone(key, i));
    const Run run = referee_.run_through(MIDDLE, ALONG_X);
    if (referee_.wins(run)) return Shape::FIVE;
    if (run.length > 5) return Shape::OVERLINE;
    switch (referee_.four_through(MIDDLE, ALONG_X)) {
      case Four::NONE: return Shape::NONE;
      case Four::FOUR: return Shape::FOUR;
      case Four::OPEN_FOUR: return Shape::OPEN_FOUR;
      case Four::TWO_FOURS: return Shape::DOUBLE_FOUR;
    }
    return Shape::NONE;
  }

  /// Rank of a shape as the result of one more stone; NONE if that stone is forbidden or useless.
  Shape value(Shape next) const {
    if (next == Shape::OVERLINE) return Shape::NONE;
    if (next == Shape::DOUBLE_FOUR) return two_fours_forbidden_ ? Shape::NONE : Shape::OPEN_FOUR;
    return next;
  }

  static Shape one_stone_before(Shape next) {
    switch (next) {
      case Shape::OPEN_FOUR: return Shape::OPEN_THREE;
      case Shape::FOUR: return Shape::THREE;
      case Shape::OPEN_THREE: return Shape::OPEN_TWO;
      case Shape::THREE: return Shape::TWO;
      case Shape::OPEN_TWO: return Shape::OPEN_ONE;
      case Shape::TWO: return Shape::ONE;
      default: return Shape::NONE;
    }
  }

  Referee referee_;
  Colour colour_;
  bool two_fours_forbidden_;
  std::vector<u8> shapes_;
};

/// All contents of five cells outwards from a point: cells beyond an edge cell are edge cells.
std::vector<u32> sides(bool outwards_is_up) {
  std::vector<u32> halves;
  for (u32 bits = 0; bits < 1024; ++bits) {
    bool edge = false, valid = true;
    for (int n = 0; n < KEY_REACH; ++n) {
      const int cell = outwards_is_up ? n : KEY_REACH - 1 - n;
      const bool here = ((bits >> (2 * cell)) & 3) == EDGE;
      valid = valid && (here || !edge);
      edge = here;
    }
    if (valid) halves.push_back(bits);
  }
  return halves;
}

Threat combined_threat(const std::array<int, SHAPE_NB>& lines, bool forbids) {
  const auto count = [&](Shape s) { return lines[static_cast<int>(s)]; };
  const int threes = count(Shape::OPEN_THREE);
  const int fours = count(Shape::FOUR) + count(Shape::OPEN_FOUR) + 2 * count(Shape::DOUBLE_FOUR);
  if (count(Shape::FIVE)) return Threat::FIVE;
  if (forbids && (count(Shape::OVERLINE) || fours >= 2)) return Threat::FORBIDDEN;
  if (forbids && threes >= 2) return fours ? Threat::FOUR_DOUBLE_THREE : Threat::DOUBLE_THREE;
  if (count(Shape::OPEN_FOUR)) return Threat::OPEN_FOUR;
  if (fours >= 2) return Threat::DOUBLE_FOUR;
  if (fours) return threes ? Threat::FOUR_THREE : Threat::FOUR;
  if (threes) return threes >= 2 ? Threat::DOUBLE_THREE : Threat::OPEN_THREE;
  if (count(Shape::THREE)) return Threat::THREE;
  if (count(Shape::OPEN_TWO)) return Threat::OPEN_TWO;
  return count(Shape::TWO) ? Threat::TWO : Threat::NONE;
}

/// See PatternTables::threats.
std::vector<ThreatPair> make_threats(Rule rule, Colour colour) {
  std::vector<ThreatPair> table(1 << 16, 0);
  for (u32 set = 0; set < table.size(); ++set) {
    std::array<int, SHAPE_NB> lines{};
    bool valid = true;
    for (int d = 0; d < DIRECTION_NB; ++d) {
      const u32 shape = (set >> (4 * d)) & 15;
      if (shape < SHAPE_NB) ++lines[shape];
      valid = valid && shape < SHAPE_NB;
    }
    if (!valid) continue;
    const auto threat = static_cast<int>(combined_threat(lines, has_forbidden_moves(rule, colour)));
    table[set] = static_cast<ThreatPair>(threat << (4 * side_index(colour)));
  }
  return table;
}

/// Half a key with the cells in the opposite order.
u32 reversed_cells(u32 half) {
  u32 result = 0;
  for (int n = 0; n < KEY_REACH; ++n)
    result |= ((half >> (2 * n)) & 3) << (2 * (KEY_REACH - 1 - n));
  return result;
}

/// The five cells after offset `from` of a key in direction `sign` (1 or -1), nearest first, as
/// half a key. The middle of the key is empty and must be among them.
u32 cells_beyond(LineKey key, int from, int sign) {
  u32 half = 0;
  for (int n = 0; n < KEY_REACH; ++n) {
    const int offset = from + sign * (n + 1);
    if (offset != 0) half |= u32{key_stone(key, key_cell(offset))} << (2 * n);
  }
  return half;
}

}  // namespace

PatternTables::PatternTables(Rule r) : rule(r), shapes(KEY_NB, 0) {
  std::vector<LineKey> keys;
  for (const u32 before : sides(false))
    for (const u32 after : sides(true)) keys.push_back(before | (after << HALF_KEY_BITS));
  ShapeBuilder black(rule, BLACK), white(rule, WHITE);
  for (const LineKey key : keys) shapes[key] = make_pair_of(black.shape(key), white.shape(key));
  for (const LineKey key : keys) find_affected_cells(key);
  for (const Colour colour : {BLACK, WHITE})
    threats[side_index(colour)] = make_threats(rule, colour);
}

/// Marks the key's point as affected by each stone that changes its shapes.
void PatternTables::find_affected_cells(LineKey key) {
  for (int i = 0; i < KEY_CELLS; ++i) {
    if (key_stone(key, i) != EMPTY) continue;
    const int stone = key_offset(i), distance = std::abs(stone);
    const u32 between = cells_beyond(key, stone, stone < 0 ? 1 : -1);
    for (const Colour colour : {BLACK, WHITE}) {
      if (shapes[key_with(key, i, colour)] == shapes[key]) continue;
      const int side = side_index(colour);
      if (stone < 0) {
        affected_after[side][between] |= static_cast<u8>(1 << (distance - 1));
      } else {
        affected_before[side][reversed_cells(between)] |=
            static_cast<u8>(1 << (KEY_REACH - distance));
      }
    }
  }
}

const PatternTables& pattern_tables(Rule rule) {
  static std::array<std::once_flag, RULE_NB> once;
  static std::array<std::unique_ptr<const PatternTables>, RULE_NB> tables;
  const auto i = static_cast<size_t>(rule);
  std::call_once(once[i], [&] { tables[i] = std::make_unique<const PatternTables>(rule); });
  return *tables[i];
}

}  // namespace tengen
