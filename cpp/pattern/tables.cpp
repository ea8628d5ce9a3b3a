// SPDX-License-Identifier: MIT
#include "pattern/tables.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "game/rules.h"

namespace tengen {

namespace {

/// Works out the shape of every key for one colour, asking the referee about fives and fours and
/// itself about the rest: what a smaller shape is depends on what one more stone would make of it.
class ShapeBuilder {
 public:
  ShapeBuilder(Rule rule, Colour colour)
      : referee_(nothing_but_edge(), rule),
        colour_(colour),
        two_fours_forbidden_(has_forbidden_moves(rule, colour)),
        known_(KEY_NB, UNKNOWN) {
    referee_.set(MIDDLE, colour);
  }

  Shape shape(LineKey key) {
    if (known_[key] == UNKNOWN) known_[key] = static_cast<u8>(find(key));
    return static_cast<Shape>(known_[key]);
  }

 private:
  static constexpr Point MIDDLE = make_point(MAX_SIZE / 2, MAX_SIZE / 2);
  static constexpr u8 UNKNOWN = 255;

  static Cells nothing_but_edge() {
    Cells cells;
    cells.fill(EDGE);
    return cells;
  }

  Shape find(LineKey key) {
    if (const Shape at_once = ask_referee(key); at_once != Shape::NONE) return at_once;
    Shape best = Shape::NONE;  // the best shape that one more stone can make
    for (int i = 0; i < KEY_CELLS; ++i)
      if (key_stone(key, i) == EMPTY)
        best = std::max(best, value(shape(key_with(key, i, colour_))));
    return one_stone_before(best);
  }

  /// Five, overline or four; NONE if it is none of these.
  Shape ask_referee(LineKey key) {
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

  /// What a shape is worth as the aim of one more stone: nothing, if the stone may not or need not
  /// be played.
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
  std::vector<u8> known_;
};

/// The ways to fill five cells that lie outwards from a point: once the edge has begun, it goes on.
std::vector<u32> sides(bool outwards_is_up) {
  std::vector<u32> found;
  for (u32 bits = 0; bits < 1024; ++bits) {
    bool edge = false, possible = true;
    for (int n = 0; n < KEY_REACH; ++n) {
      const int cell = outwards_is_up ? n : KEY_REACH - 1 - n;
      const bool here = ((bits >> (2 * cell)) & 3) == EDGE;
      possible = possible && (here || !edge);
      edge = here;
    }
    if (possible) found.push_back(bits);
  }
  return found;
}

Threat sum_up(const std::array<int, SHAPE_NB>& lines, bool forbids) {
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
    bool possible = true;
    for (int d = 0; d < DIRECTION_NB; ++d) {
      const u32 shape = (set >> (4 * d)) & 15;
      if (shape < SHAPE_NB) ++lines[shape];
      possible = possible && shape < SHAPE_NB;
    }
    if (!possible) continue;
    const auto threat = static_cast<int>(sum_up(lines, has_forbidden_moves(rule, colour)));
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

/// The five cells that follow offset `from` of a key in direction `way` (1 or -1), nearest first,
/// as half a key. The key's own point, the middle, is empty. Requires that the middle is among
/// them.
u32 cells_beyond(LineKey key, int from, int way) {
  u32 half = 0;
  for (int n = 0; n < KEY_REACH; ++n) {
    const int offset = from + way * (n + 1);
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
  for (const LineKey key : keys) find_seeing_cells(key);
  for (const Colour colour : {BLACK, WHITE})
    threats[side_index(colour)] = make_threats(rule, colour);
}

/// Marks the key's point as seeing each stone that would change its shapes.
void PatternTables::find_seeing_cells(LineKey key) {
  for (int i = 0; i < KEY_CELLS; ++i) {
    if (key_stone(key, i) != EMPTY) continue;
    const int stone = key_offset(i), distance = std::abs(stone);
    const u32 between = cells_beyond(key, stone, stone < 0 ? 1 : -1);
    for (const Colour colour : {BLACK, WHITE}) {
      if (shapes[key_with(key, i, colour)] == shapes[key]) continue;
      const int side = side_index(colour);
      if (stone < 0) {
        sees_stone_after[side][between] |= static_cast<u8>(1 << (distance - 1));
      } else {
        sees_stone_before[side][reversed_cells(between)] |=
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
