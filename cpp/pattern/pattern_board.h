// SPDX-License-Identifier: MIT
// Incremental patterns of a position: for every empty point and both colours, the shape on each of
// the four lines, the resulting threat, and the number of points with each threat. undo() restores
// saved values bit by bit.
#pragma once

#include <array>
#include <vector>

#include "game/point_list.h"
#include "pattern/tables.h"

namespace tengen {

/// Points that stop a threat: its own point and cells on its line.
using DefencePoints = PointList<KEY_CELLS + 1>;

class PatternBoard {
 public:
  /// Number of empty points with each threat; padded to a power of two, so that copies are a few
  /// moves.
  using Counts = std::array<u16, 16>;
  static_assert(THREAT_NB <= 16);
  /// Maximum number of points that one stone changes: its own, and ten per line.
  static constexpr int MAX_CHANGES = 1 + DIRECTION_NB * KEY_CELLS;

  explicit PatternBoard(int size, Rule rule);
  /// Computes the patterns from scratch. Clears the undo stack.
  void assign(const Cells& cells);

  /// Plays a stone on an empty point. Passes change no pattern.
  void play(Point p, Colour colour);
  /// Undoes the last play().
  void undo();

  /// The threat of a stone of the colour at p. NONE for occupied points.
  Threat threat(Colour colour, Point p) const { return threat_of(threats_[p], colour); }
  /// The shape on one line. Requires an empty point.
  Shape shape(Colour colour, Point p, Direction d) const {
    return static_cast<Shape>((shape_set(colour, p) >> (4 * d)) & 15);
  }
  /// The shapes on all four lines. Requires an empty point.
  ShapeSet shape_set(Colour colour, Point p) const {
    return static_cast<ShapeSet>(shapes_[p] >> (16 * side_index(colour)));
  }
  /// Number of empty points with the threat.
  int count(Colour colour, Threat threat) const {
    return counts_[side_index(colour)][static_cast<int>(threat)];
  }
  const Counts& counts(Colour colour) const { return counts_[side_index(colour)]; }
  /// Threats of both colours for one row of the grid: GRID cells including the margin (always
  /// NONE).
  const ThreatPair* threat_row(int y) const {
    return &threats_[static_cast<size_t>(y + MARGIN) * GRID];
  }

  /// Calls visit(point) for the empty points whose threat for the colour is at least `min`, row
  /// by row. Requires min > NONE.
  template <typename Visit>
  void for_each_at_least(Colour colour, Threat min, Visit visit) const;

  /// Calls visit(point, before, after) for the points whose shapes the last play() changed,
  /// including the played point, with the shape sets of both colours (black's in the low half).
  /// `after` is undefined for the played point. Requires a play() that was not undone.
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

  /// Empty points where an opponent's stone stops what the colour could make at the empty point p:
  /// its five, or else its open four (or double four) on a line. Includes p. Empty if the colour
  /// could make neither. In ascending order; forbidden points are not checked.
  DefencePoints defences(Colour colour, Point p) const;

  /// Whether a four of the colour, alone or with its other fours, may lead to another four. False
  /// proves that the colour has no win by fours. True where the shapes do not decide it, and always
  /// in renju (forbidden points) and caro (blocked fives). Requires that neither side can make a
  /// five.
  bool has_followup_four(Colour colour) const;

  int size() const { return size_; }
  Rule rule() const { return tables_->rule; }
  const Lines& lines() const { return lines_; }

  /// Whether p is an empty point of the board. Any cell of the grid is allowed.
  bool is_empty(Point p) const { return lines_.stone(p) == EMPTY; }

  /// Whether the colour may play the empty point. Checks neither the side to move nor the end of
  /// the game.
  bool is_legal(Colour colour, Point p) const {
    return !has_forbidden_moves(rule(), colour) || forbidden(p) == Forbidden::NONE;
  }

  /// Equal contents and undo depth.
  bool operator==(const PatternBoard& other) const;

 private:
  /// Saved state of a changed point; two words, so that saving it is one store.
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
  Point only_defence(Colour colour, Point p, Direction d) const;
  Change* reserve_changes();

  alignas(64) std::array<ThreatPair, GRID_CELLS> threats_;
  /// Shape sets of a point: black's in the low half, white's in the high half. Unchanged while a
  /// stone is on the point, so that undo need not restore them.
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
