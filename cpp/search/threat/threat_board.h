// SPDX-License-Identifier: MIT
// The board of the threat solvers: patterns, a hash of the stones, and how many moves the game can
// still last. Either colour may play at any time, because a solver also asks what would happen
// after a pass.
#pragma once

#include "game/board.h"
#include "game/zobrist.h"
#include "pattern/pattern_board.h"

namespace tengen {

class ThreatBoard {
 public:
  ThreatBoard(int size, Rule rule) : patterns_(size, rule) {}

  /// Takes over the stones. `moves_left`: the game is drawn after so many more moves; 0: no limit.
  void assign(const Cells& cells, int moves_left);

  void play(Point p, Colour colour) {
    patterns_.play(p, colour);
    hash_ ^= ZOBRIST.stone[side_index(colour)][p];
    --moves_left_;
  }
  /// Takes back the last play, which was this one.
  void undo(Point p, Colour colour) {
    ++moves_left_;
    hash_ ^= ZOBRIST.stone[side_index(colour)][p];
    patterns_.undo();
  }
  /// A pass changes no stone, but counts as a move: a move limit is reached one stone earlier.
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
  /// Of the stones alone, and of the move limit if there is one.
  u64 hash() const { return hash_; }
  /// Moves before the game is drawn by its move limit; very many if it has none. That a full board
  /// also ends the game needs no counting: where there is a threat, there is an empty point.
  int moves_left() const { return moves_left_; }

  bool has_five(Colour colour) const { return patterns_.count(colour, Threat::FIVE) > 0; }
  /// Could the colour play any four, if nothing but the shapes counted?
  bool has_four(Colour colour) const;
  /// The first point that makes a five, row by row. Requires has_five.
  Point five_point(Colour colour) const;
  /// The same after the colour has just played a four at p, which is where to look. Requires
  /// has_five.
  Point five_point_near(Colour colour, Point p) const;

  /// Legal points where the opponent of `colour` stops every five that `colour` threatens. Requires
  /// has_five(colour). `near`: where to look for them, or NO_POINT.
  Answers stops(Colour colour, Point near) const;

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
  int end_ = 0;  ///< stones on the board when the move limit is reached; 0: no limit
};

/// A stone that is on the board as long as this object lives.
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
