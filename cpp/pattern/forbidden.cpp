// SPDX-License-Identifier: MIT
// The fast forbidden test: PatternBoard::forbidden. Overlines and double-fours are read off the
// shapes of the point; for a double-three each apparent three is followed up, with the stones tried
// so far laid over the lines in thought.
#include <array>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

/// Black stones imagined on the board: the newest, and those before it.
struct Imagined {
  Point stone;
  const Imagined* before;
};

class DoubleThree {
 public:
  DoubleThree(const Lines& lines, const PatternTables& tables) : lines_(lines), tables_(tables) {}

  /// Does the newest imagined stone make threes on two or more of the lines whose shapes look like
  /// it?
  bool is_real(const Imagined& newest, ShapeSet shapes) const {
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

  LineWord line_with(const Imagined* stones, int line, Direction d) const {
    LineWord word = lines_.words[d][line];
    for (; stones; stones = stones->before)
      if (line_of(stones->stone, d) == line)
        word |= stone_on_line(BLACK, place_on_line(stones->stone, d));
    return word;
  }

  /// Can the newest stone's line become an open four through it by a legal stone?
  bool is_three(const Imagined& newest, Direction d) const {
    const LineWord line = line_with(&newest, line_of(newest.stone, d), d);
    const int place = place_on_line(newest.stone, d);
    for (const int way : {-1, 1}) {
      int offset = way;
      while (stone_at(line, place + offset) == BLACK) offset += way;
      if (stone_at(line, place + offset) != EMPTY) continue;
      const auto pair = tables_.shapes[key_at(line, place + offset)];
      if (shape_of(pair, BLACK) != Shape::OPEN_FOUR) continue;
      if (may_play({shifted(newest.stone, d, offset), &newest}, d)) return true;
    }
    return false;
  }

  /// May black play the newest stone, which makes an open four on line d? A five at the same time
  /// also means no: it is a five, not a three's open four.
  bool may_play(const Imagined& newest, Direction four) const {
    ShapeSet shapes = 0;
    int threes = 0;
    for (const Direction d : DIRECTIONS) {
      if (d == four) continue;
      const LineWord line = line_with(newest.before, line_of(newest.stone, d), d);
      const Shape shape =
          shape_of(tables_.shapes[key_at(line, place_on_line(newest.stone, d))], BLACK);
      if (shape >= Shape::FOUR) return false;  // a second four, an overline or a five
      threes += shape == Shape::OPEN_THREE;
      shapes |= static_cast<ShapeSet>(static_cast<int>(shape) << (4 * d));
    }
    return threes < 2 || !is_real(newest, shapes);
  }

  static Stone stone_at(LineWord line, int place) {
    return static_cast<Stone>((line >> (2 * place)) & 3);
  }

  const Lines& lines_;
  const PatternTables& tables_;
};

}  // namespace

Forbidden PatternBoard::forbidden(Point p) const {
  if (!has_forbidden_moves(rule(), BLACK)) return Forbidden::NONE;
  const Threat found = threat(BLACK, p);
  if (found == Threat::FORBIDDEN) {
    for (const Direction d : DIRECTIONS)
      if (shape(BLACK, p, d) == Shape::OVERLINE) return Forbidden::OVERLINE;
    return Forbidden::DOUBLE_FOUR;
  }
  if (found != Threat::DOUBLE_THREE && found != Threat::FOUR_DOUBLE_THREE) return Forbidden::NONE;
  const DoubleThree reader(lines_, *tables_);
  return reader.is_real({p, nullptr}, shape_set(BLACK, p)) ? Forbidden::DOUBLE_THREE
                                                           : Forbidden::NONE;
}

}  // namespace tengen
