// SPDX-License-Identifier: MIT
// The fast forbidden test: PatternBoard::forbidden. Overlines and double-fours are read off the
// shapes of the point; for a double-three each apparent three is checked recursively, with
// hypothetical stones added to the lines.
#include <array>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

/// A linked list of hypothetical black stones, newest first.
struct HypotheticalStone {
  Point stone;
  const HypotheticalStone* before;
};

class DoubleThree {
 public:
  DoubleThree(const Lines& lines, const PatternTables& tables) : lines_(lines), tables_(tables) {}

  /// Whether the newest stone makes real threes on two or more lines with the shape OPEN_THREE.
  bool is_real(const HypotheticalStone& newest, ShapeSet shapes) const {
    int threes = 0;
    for (const Direction d : DIRECTIONS)
      if (shape_in(shapes, d) == Shape::OPEN_THREE && is_three(newest, d) && ++threes == 2)
        return true;
    return false;
  }

 private:
  static Shape shape_in(ShapeSet shapes, Direction d) {
    return static_cast<Shape>((shapes >> (4 * d)) & 15);
  }

  LineWord line_with(const HypotheticalStone* stones, int line, Direction d) const {
    LineWord word = lines_.words[d][line];
    for (; stones; stones = stones->before)
      if (line_of(stones->stone, d) == line)
        word |= stone_on_line(BLACK, index_on_line(stones->stone, d));
    return word;
  }

  /// Whether a legal stone turns the newest stone's line into an open four through it.
  bool is_three(const HypotheticalStone& newest, Direction d) const {
    const LineWord line = line_with(&newest, line_of(newest.stone, d), d);
    const int index = index_on_line(newest.stone, d);
    for (const int direction : {-1, 1}) {
      int offset = direction;
      while (stone_at(line, index + offset) == BLACK) offset += direction;
      if (stone_at(line, index + offset) != EMPTY) continue;
      const auto pair = tables_.shapes[key_at(line, index + offset)];
      if (shape_of(pair, BLACK) != Shape::OPEN_FOUR) continue;
      if (is_legal({shifted(newest.stone, d, offset), &newest}, d)) return true;
    }
    return false;
  }

  /// Whether the newest stone, which makes an open four on line `four`, is legal for black. False
  /// for a simultaneous five: that is not the open four of a three.
  bool is_legal(const HypotheticalStone& newest, Direction four) const {
    ShapeSet shapes = 0;
    int threes = 0;
    for (const Direction d : DIRECTIONS) {
      if (d == four) continue;
      const LineWord line = line_with(newest.before, line_of(newest.stone, d), d);
      const Shape shape =
          shape_of(tables_.shapes[key_at(line, index_on_line(newest.stone, d))], BLACK);
      if (shape >= Shape::FOUR) return false;  // a second four, an overline or a five
      threes += shape == Shape::OPEN_THREE;
      shapes |= static_cast<ShapeSet>(static_cast<int>(shape) << (4 * d));
    }
    return threes < 2 || !is_real(newest, shapes);
  }

  static Stone stone_at(LineWord line, int index) {
    return static_cast<Stone>((line >> (2 * index)) & 3);
  }

  const Lines& lines_;
  const PatternTables& tables_;
};

}  // namespace

Forbidden PatternBoard::forbidden(Point p) const {
  if (!has_forbidden_moves(rule(), BLACK)) return Forbidden::NONE;
  const Threat made = threat(BLACK, p);
  if (made == Threat::FORBIDDEN) {
    for (const Direction d : DIRECTIONS)
      if (shape(BLACK, p, d) == Shape::OVERLINE) return Forbidden::OVERLINE;
    return Forbidden::DOUBLE_FOUR;
  }
  if (made != Threat::DOUBLE_THREE && made != Threat::FOUR_DOUBLE_THREE) return Forbidden::NONE;
  const DoubleThree reader(lines_, *tables_);
  return reader.is_real({p, nullptr}, shape_set(BLACK, p)) ? Forbidden::DOUBLE_THREE
                                                           : Forbidden::NONE;
}

}  // namespace tengen
