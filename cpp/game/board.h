// SPDX-License-Identifier: MIT
// The board: stones, side to move, move history and hash. Legality and results are in rules.h.
#pragma once

#include <array>
#include <vector>

#include "game/point.h"
#include "game/rule.h"
#include "game/zobrist.h"

namespace tengen {

/// The cells of the whole grid, margin included.
using Cells = std::array<Stone, GRID_CELLS>;

/// Cells of an empty board.
Cells empty_cells(int size);

/// All points of a board of `size`, row by row from a1. The reference stays valid.
const std::vector<Point>& board_points(int size);

class Board {
 public:
  /// An empty board, black to move. Requires MIN_SIZE <= size <= MAX_SIZE.
  explicit Board(int size);

  /// Adds a stone before the first move. Requires an empty cell.
  void set_up(Point p, Colour colour);
  /// Requires that no move was made yet.
  void set_side_to_move(Colour colour);

  /// The side to move places a stone, or passes. Requires an empty point of the board.
  void play(Point p);
  void pass();
  /// Takes back the last move, pass or stone. Requires ply() > 0.
  void undo();

  int size() const { return size_; }
  Stone at(Point p) const { return cells_[p]; }
  const Cells& cells() const { return cells_; }
  Colour side_to_move() const { return side_to_move_; }
  /// Moves made since the set-up, passes included.
  int ply() const { return static_cast<int>(moves_.size()); }
  /// Points of the moves made; NO_POINT is a pass.
  const std::vector<Point>& moves() const { return moves_; }
  Point last_move() const { return moves_.empty() ? NO_POINT : moves_.back(); }
  int empty_count() const { return empty_count_; }
  bool is_full() const { return empty_count_ == 0; }
  /// True if the last two moves were passes.
  bool passed_twice() const;
  /// Hash of stones, side to move, and number of trailing passes (0 to 2). Size and rule are not
  /// included: a transposition table serves one size and one rule.
  u64 hash() const { return hash_; }

  bool operator==(const Board&) const = default;

 private:
  void toggle_turn();
  u64 pass_hash() const;

  Cells cells_;
  u64 hash_ = 0;
  std::vector<Point> moves_;
  int size_;
  int empty_count_;
  Colour side_to_move_ = BLACK;
};

}  // namespace tengen
