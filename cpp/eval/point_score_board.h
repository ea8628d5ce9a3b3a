// SPDX-License-Identifier: MIT
// The classical paper's scores of a position: per point, colour and line, and the total of each
// side's stones. Implements the four update methods that the paper compares; they give equal
// results.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "eval/point_score.h"

namespace tengen {

/// What play() and undo() recompute. The first three recompute on undo as well, like the paper.
enum class PointScoreUpdate : u8 {
  WHOLE,      ///< all points
  POINT,      ///< the points on the star around the stone, all four lines
  DIRECTION,  ///< the points on the star, only the line shared with the stone
  BLOCKED,    ///< only points reached by a blocked scan; undo() restores saved values
};

inline constexpr int POINT_SCORE_UPDATE_NB = 4;
inline constexpr std::array<std::string_view, POINT_SCORE_UPDATE_NB> POINT_SCORE_UPDATE_NAMES = {
    "whole", "point", "direction", "blocked"};

class PointScoreBoard {
 public:
  /// An empty board. Requires MIN_SIZE <= size <= MAX_SIZE.
  explicit PointScoreBoard(int size, Rule rule,
                           PointScoreUpdate update = PointScoreUpdate::BLOCKED);
  /// Computes the scores of a position from scratch. Clears the undo stack.
  void assign(const Lines& lines);

  /// Plays a stone on an empty point. Colours need not alternate.
  void play(Point p, Colour colour);
  /// Undoes the last play(). Requires one since the last assign().
  void undo();

  /// The paper's point score, 0 to 4 * 10^7: of a possible or existing stone of the colour; 0 on
  /// the other colour's stones. Renju's double-threes, and double-fours on two lines, are not
  /// considered.
  Value score(Colour colour, Point p) const { return score_of(points_[p].scores, colour); }
  /// The part of one line.
  Value score(Colour colour, Point p, Direction d) const {
    return score_of(tables_->by_shapes[(points_[p].shapes >> (8 * d)) & 255], colour);
  }
  /// Value of the point for both sides together.
  Value importance(Point p) const { return score(BLACK, p) + score(WHITE, p); }
  /// Sum over the colour's stones; may exceed 32 bits.
  i64 whole_score(Colour colour) const { return totals_[side_index(colour)]; }

  /// The paper's value of the position, for `to_move`. The paper evaluates for the agent (the
  /// searching side): with agent == to_move the value depends on the position alone.
  Value value(Colour to_move, Colour agent) const {
    const Value v =
        point_score_value(whole_score(agent), whole_score(opponent(agent)), agent == to_move);
    return agent == to_move ? v : -v;
  }

  int size() const { return size_; }
  Rule rule() const { return tables_->rule; }
  const Lines& lines() const { return lines_; }
  bool is_empty(Point p) const { return lines_.stone(p) == EMPTY; }

  /// Equal scores and undo depth; the update method is ignored.
  bool operator==(const PointScoreBoard& other) const;

 private:
  /// State of a point including its index, so that undo() only copies it.
  struct PointState {
    ScorePair scores;  ///< sum over the lines
    u32 shapes;        ///< ShapePair of line d in byte d; NONE for a colour opposed by a stone here
    u32 point;

    bool operator==(const PointState&) const = default;
  };

  struct Played {
    std::array<i64, COLOUR_NB> totals;  ///< before the move
    u32 changes;                        ///< changes_used_ before the move
    Point point;
    Colour colour;
  };

  PointState from_lines(Point p) const;
  PointState with_line(Point p, Direction d) const;
  void replace(const PointState& after);
  void rescan_board();
  void rescan_star(Point p);
  void play_blocked(Point p, Colour colour);
  template <Direction D>
  PointState* scan_line(Point p, PointState* saved, ScorePair& totals);
  void restore_saved(const Played& last);
  PointState* reserve_changes();

  alignas(64) std::array<PointState, GRID_CELLS> points_;
  std::array<i64, COLOUR_NB> totals_;
  Lines lines_;
  const PointScoreTables* tables_;
  int size_;
  PointScoreUpdate update_;
  std::vector<Played> played_;
  /// BLOCKED: saved points. A stack, grown in large steps and never cleared.
  std::vector<PointState> changes_;
  u32 changes_used_ = 0;
};

}  // namespace tengen
