// SPDX-License-Identifier: MIT
// The classical paper's scores of a position: for every point, both colours and each line, what a
// stone makes there, and the whole-score of each side's stones. Four ways of keeping them up to
// date, as the paper compares them; they always agree. Relies on paper_score.h.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "eval/paper_score.h"

namespace tengen {

/// What play() and undo() look at again. The first three work everything out anew, in both
/// directions of time, as the paper does.
enum class PaperUpdate : u8 {
  WHOLE,      ///< every point of the board
  POINT,      ///< the points on the star around the stone, on all four lines
  DIRECTION,  ///< the points on the star, on the line they share with the stone
  BLOCKED,    ///< of those only the ones that a blocked scan gets to; undo() copies saved values
};

inline constexpr int PAPER_UPDATE_NB = 4;
inline constexpr std::array<std::string_view, PAPER_UPDATE_NB> PAPER_UPDATE_NAMES = {
    "whole", "point", "direction", "blocked"};

class PaperBoard {
 public:
  /// An empty board. Requires MIN_SIZE <= size <= MAX_SIZE.
  explicit PaperBoard(int size, Rule rule, PaperUpdate update = PaperUpdate::BLOCKED);
  /// The scores of a position on a board of this size, worked out from nothing. Forgets what could
  /// be undone.
  void assign(const Lines& lines);

  /// Puts a stone on an empty point of the board. The colours need not take turns.
  void play(Point p, Colour colour);
  /// Takes back the last play(). Requires one since the last assign().
  void undo();

  /// The paper's point score, 0 … 4 * 10^7: what a stone of the colour would make on an empty
  /// point, what the colour's stone on it makes; 0 if the other colour's stone is there. Renju's
  /// double-threes, and double-fours on two lines, are not asked for: such points score as if
  /// black could play them.
  Value score(Colour colour, Point p) const { return score_of(points_[p].scores, colour); }
  /// The part of it that comes from one line.
  Value score(Colour colour, Point p, Direction d) const {
    return score_of(tables_->by_shapes[(points_[p].shapes >> (8 * d)) & 255], colour);
  }
  /// What the point is worth to both together: to have it, and to keep the other from having it.
  Value importance(Point p) const { return score(BLACK, p) + score(WHITE, p); }
  /// Sum of the scores of the colour's stones. Wider than a Value: a board full of fives is beyond
  /// 32 bits.
  i64 whole_score(Colour colour) const { return wholes_[side_index(colour)]; }

  /// The paper's value of the position, turned to the view of `to_move`. The paper judges for the
  /// agent, the side that searches, whoever is to move: with agent == to_move the value depends on
  /// the position alone.
  Value value(Colour to_move, Colour agent, FirstHand reading = FIRST_HAND) const {
    const Value v =
        paper_value(whole_score(agent), whole_score(opponent(agent)), agent == to_move, reading);
    return agent == to_move ? v : -v;
  }

  int size() const { return size_; }
  Rule rule() const { return tables_->rule; }
  PaperUpdate update() const { return update_; }
  const Lines& lines() const { return lines_; }
  bool is_empty(Point p) const { return lines_.stone(p) == EMPTY; }

  /// Equal in every score, and in how much can be undone. How they are kept does not count.
  bool operator==(const PaperBoard& other) const;

 private:
  /// Everything about a point. It knows its place, so that a copy of it is all that undo() needs.
  struct PointState {
    ScorePair scores;  ///< sum over the lines
    u32 shapes;        ///< ShapePair of line d in byte d; NONE for a colour opposed by a stone here
    u32 point;

    bool operator==(const PointState&) const = default;
  };

  struct Played {
    std::array<i64, COLOUR_NB> wholes;  ///< before the move
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
  PointState* scan_line(Point p, PointState* saved, ScorePair& wholes);
  void restore_saved(const Played& last);
  PointState* room_for_changes();

  alignas(64) std::array<PointState, GRID_CELLS> points_;
  std::array<i64, COLOUR_NB> wholes_;
  Lines lines_;
  const PaperTables* tables_;
  int size_;
  PaperUpdate update_;
  std::vector<Played> played_;
  /// BLOCKED: points as they were. A stack, grown in large steps and never cleared.
  std::vector<PointState> changes_;
  u32 changes_used_ = 0;
};

}  // namespace tengen
