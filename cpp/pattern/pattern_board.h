// SPDX-License-Identifier: MIT
// The incremental patterns of a position: for every empty point and both colours, the shape on each
// of the four lines, the threat they add up to, and how many points have each threat. play/undo
// keep all of it; undo is a replay of saved values, so it restores every bit. Relies on tables.h;
// the search reads its moves from here.
#pragma once

#include <array>
#include <vector>

#include "game/point_list.h"
#include "pattern/tables.h"

namespace tengen {

/// Points that answer a threat: it and the cells it sees on one line.
using Answers = PointList<KEY_CELLS + 1>;

class PatternBoard {
 public:
  /// How many empty points have each threat; filled up to a power of two, so that saving them is a
  /// few moves.
  using Counts = std::array<u16, 16>;
  static_assert(THREAT_NB <= 16);
  /// Most points that one stone can change: its own, and ten on each line.
  static constexpr int MAX_CHANGES = 1 + DIRECTION_NB * KEY_CELLS;

  explicit PatternBoard(int size, Rule rule);
  /// The patterns of the given cells, worked out from nothing. Forgets what could be undone.
  void assign(const Cells& cells);

  /// Puts a stone on an empty point. Passes change no pattern and are not told to this class.
  void play(Point p, Colour colour);
  /// Takes back the last play().
  void undo();

  /// What a stone of the colour would make at p. NONE for points that are not empty.
  Threat threat(Colour colour, Point p) const { return threat_of(threats_[p], colour); }
  /// The same on one line. Requires an empty point.
  Shape shape(Colour colour, Point p, Direction d) const {
    return static_cast<Shape>((shape_set(colour, p) >> (4 * d)) & 15);
  }
  /// The shapes on all four lines. Requires an empty point.
  ShapeSet shape_set(Colour colour, Point p) const {
    return static_cast<ShapeSet>(shapes_[p] >> (16 * side_index(colour)));
  }
  /// Number of empty points with the threat. Equals a full recount at all times.
  int count(Colour colour, Threat threat) const {
    return counts_[side_index(colour)][static_cast<int>(threat)];
  }
  const Counts& counts(Colour colour) const { return counts_[side_index(colour)]; }
  /// Threats of both colours for one row of the grid: GRID cells, the margin's among them (always
  /// NONE).
  const ThreatPair* threat_row(int y) const {
    return &threats_[static_cast<size_t>(y + MARGIN) * GRID];
  }

  /// Calls visit(point) for the empty points whose threat for the colour is at least `least`, row
  /// by row. Requires least > NONE.
  template <typename Visit>
  void for_each_at_least(Colour colour, Threat least, Visit visit) const;

  /// Calls visit(point, before, after) for the points whose shapes the last play() changed, the
  /// played point among them, with both colours' shape sets (black's in the low half). `after`
  /// means nothing for the played point. Requires a play() that was not undone.
  template <typename Visit>
  void for_each_change(Visit visit) const {
    const Change* const end = changes_.data() + changes_used_;
    for (const Change* change = changes_.data() + played_.back().changes; change != end; ++change) {
      const auto p = static_cast<Point>(change->threats_and_point & 0xFFFF);
      visit(p, change->shapes, shapes_[p]);
    }
  }

  /// Why black may not play the empty point; NONE unless the rule is renju. Agrees with the
  /// referee.
  Forbidden forbidden(Point p) const;

  /// Calls visit(point, reason) for the points forbidden to black, row by row.
  template <typename Visit>
  void for_each_forbidden(Visit visit) const;

  /// Empty points where an opponent's stone would stop what the colour could make at the empty
  /// point p: its five, or else its open four (or two fours) on a line; p itself is the first idea.
  /// Nothing if it could make neither. In ascending order. What renju forbids, to the one side or
  /// the other, is not asked.
  Answers answers(Colour colour, Point p) const;

  /// Whether no four that the colour can play leads to another one, alone or with the others: then
  /// it does not win by fours. Where it is not sure of that, and under rules with points that are
  /// forbidden or fives that can be closed, it says no. Requires that nobody has a five to make.
  bool has_only_lonely_fours(Colour colour) const;

  int size() const { return size_; }
  Rule rule() const { return tables_->rule; }
  const Lines& lines() const { return lines_; }

  /// Is p a point of the board without a stone? Any cell of the grid may be asked for.
  bool is_empty(Point p) const { return lines_.stone(p) == EMPTY; }

  /// May the colour play the empty point? Does not ask whose turn it is or whether the game is
  /// over.
  bool may_play(Colour colour, Point p) const {
    return !has_forbidden_moves(rule(), colour) || forbidden(p) == Forbidden::NONE;
  }

  /// Equal in every bit that can be read, and in how much can be undone.
  bool operator==(const PatternBoard& other) const;

 private:
  /// One changed point, as it was before; two words, so that saving it is one store.
  struct Change {
    u32 shapes;
    u32 threats_and_point;  ///< ThreatPair << 16 | Point
  };

  struct Played {
    std::array<Counts, COLOUR_NB> counts;  ///< before the move
    u32 changes;                           ///< changes_used_ before the move
    Point point;
    Colour colour;
  };

  class CountChange;

  template <Direction D>
  Change* update_line(Point p, int side, Change* change, CountChange& counts);
  void set_from_lines(Point p);
  Point answer_that_ends(Colour colour, Point p, Direction d) const;
  Change* room_for_changes();

  alignas(64) std::array<ThreatPair, GRID_CELLS> threats_;
  /// Shape sets of a point: black's in the low half, white's in the high half. Left as they are
  /// while a stone is on the point, so that undo finds them right.
  std::array<u32, GRID_CELLS> shapes_;
  std::array<Counts, COLOUR_NB> counts_;
  Lines lines_;
  const PatternTables* tables_;
  int size_;
  std::vector<Played> played_;
  /// A stack, grown in large steps and never cleared, so that play() only writes.
  std::vector<Change> changes_;
  u32 changes_used_ = 0;
};

}  // namespace tengen

#include "pattern/pattern_board_inl.h"
