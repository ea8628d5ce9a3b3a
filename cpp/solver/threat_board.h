// SPDX-License-Identifier: MIT
// The board of the solvers: patterns, a hash of the stones, and the number of moves left. Either
// colour may play at any time, since solvers also consider passes.
#pragma once

#include "game/board.h"
#include "game/zobrist.h"
#include "pattern/pattern_board.h"

namespace tengen {

class ThreatBoard {
 public:
  ThreatBoard(int size, Rule rule) : patterns_(size, rule) {}

  /// Sets the stones. `moves_left`: the game is drawn after that many more moves; 0: no limit.
  void assign(const Cells& cells, int moves_left);

  void play(Point p, Colour colour) {
    patterns_.play(p, colour);
    hash_ ^= ZOBRIST.stone[side_index(colour)][p];
    --moves_left_;
  }
  /// Undoes the last play, which was at p.
  void undo(Point p, Colour colour) {
    ++moves_left_;
    hash_ ^= ZOBRIST.stone[side_index(colour)][p];
    patterns_.undo();
  }
  /// A pass changes no stone but counts towards the move limit.
  void pass() {
    --moves_left_;
    move_end(-1);
  }
  void undo_pass() {
    ++moves_left_;
    move_end(1);
  }

  const PatternBoard& patterns() const { return patterns_; }
  int size() const { return patterns_.size(); }
  Rule rule() const { return patterns_.rule(); }
  /// Of the stones, and of the move limit if there is one.
  u64 hash() const { return hash_; }
  /// Moves until the move limit; a large number without one. A full board needs no check: a threat
  /// implies an empty point.
  int moves_left() const { return moves_left_; }

  bool can_make_five(Colour colour) const { return patterns_.count(colour, Threat::FIVE) > 0; }
  /// Whether the shapes allow a four; legality is not checked.
  bool can_make_four(Colour colour) const;
  /// The first point that makes a five, row by row. Requires can_make_five.
  Point five_point(Colour colour) const;
  /// The same after the colour played a four at p, near which it searches. Requires can_make_five.
  Point five_point_near(Colour colour, Point p) const;

  /// Legal points where the opponent of `colour` stops every five of `colour`. Requires
  /// can_make_five(colour). `near`: where to search, or NO_POINT.
  DefencePoints defences(Colour colour, Point near) const;

 private:
  void move_end(int stones) {
    if (end_ == 0) return;
    hash_ ^= end_key(end_) ^ end_key(end_ + stones);
    end_ += stones;
  }
  static u64 end_key(int end) { return Rng(static_cast<u64>(end)).next(); }

  PatternBoard patterns_;
  u64 hash_ = 0;
  int moves_left_ = 0;
  int end_ = 0;  ///< number of stones at the move limit; 0: no limit
};

/// Plays a stone for the lifetime of this object.
class ScopedPlay {
 public:
  ScopedPlay(ThreatBoard& board, Point p, Colour colour) : board_(board), p_(p), colour_(colour) {
    board_.play(p, colour);
  }
  ~ScopedPlay() { board_.undo(p_, colour_); }
  ScopedPlay(const ScopedPlay&) = delete;
  ScopedPlay& operator=(const ScopedPlay&) = delete;

 private:
  ThreatBoard& board_;
  Point p_;
  Colour colour_;
};

}  // namespace tengen
