// SPDX-License-Identifier: MIT
// What self-play gives: rows as data sets have them (docs/formats/shards.md), and the games they
// come from. Relies on settings.h and view.h.
#pragma once

#include <array>
#include <vector>

#include "selfplay/settings.h"
#include "selfplay/view.h"

namespace tengen::selfplay {

/// Which search made a row; the numbers are in the column `source`.
enum class Source : u8 {
  SEARCH = 1,  ///< a full search
  SOLVER = 2,  ///< won by a five, an open four, or VCF
  FORCED = 3,  ///< a four is faced, or one move is left
  PROVEN = 4,  ///< a full search that proved who wins
};

/// What ended a game.
enum class Ending : u8 {
  FIVE,
  DRAW,    ///< a full board, the move limit, or nothing but to pass
  SOLVER,  ///< cut off: the solver knew who wins
  PROVEN,  ///< cut off: the search proved who wins
};

/// A position to learn from, seen by the side to move.
struct Row {
  std::array<u8, MAX_BYTES> board;
  std::array<u16, MAX_POLICY_MOVES> move;  ///< indices of points
  std::array<u8, MAX_POLICY_MOVES> weight;
  u8 win, loss;   ///< of the root, out of 255
  bool has_root;  ///< else nobody searched: the result counts for both
  Colour side;
  Source source;
  u16 ply;
};

/// A game that has ended.
struct EndedGame {
  std::vector<Row> rows;
  std::vector<Point> moves;  ///< those of the opening first
  int opening = 0;           ///< stones of it
  Stone winner = EMPTY;
  Ending ending = Ending::DRAW;
  u64 playouts = 0;
};

/// Games that have ended, a column an array, as Python takes them.
struct Harvest {
  // Of rows.
  std::vector<u8> board, prob, value, result, to_move, source;  // `value`: of the root
  std::vector<u16> move, ply;
  std::vector<i32> game;
  // Of games.
  std::vector<u8> winner, ending;
  std::vector<i32> opening, length;  ///< stones of the opening, and moves with those
  std::vector<u16> line;             ///< the moves of all games, one after the other, as indices
  u64 playouts = 0;

  size_t rows() const { return to_move.size(); }
  size_t games() const { return winner.size(); }

  void add(const EndedGame& ended, const View& view, int policy_moves);
};

}  // namespace tengen::selfplay
