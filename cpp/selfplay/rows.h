// SPDX-License-Identifier: MIT
// Output of self-play: training rows (docs/formats/shards.md) and the games they come from.
#pragma once

#include <array>
#include <vector>

#include "selfplay/board_packer.h"
#include "selfplay/settings.h"

namespace tengen::selfplay {

/// Origin of a row; stored in the column `source`.
enum class Source : u8 {
  SEARCH = 1,  ///< a full search
  SOLVER = 2,  ///< won by a five, an open four, or VCF
  FORCED = 3,  ///< a four must be stopped, or there is one legal move
  PROVEN = 4,  ///< a full search that proved the result
};

/// How a game ended.
enum class Ending : u8 {
  FIVE,
  DRAW,    ///< full board, move limit, or only a pass left
  SOLVER,  ///< adjudicated by the solver
  PROVEN,  ///< adjudicated by a proof of the search
};

/// A training position from the point of view of the side to move.
struct Row {
  std::array<u8, MAX_BYTES> board;
  std::array<u16, MAX_POLICY_MOVES> move;  ///< point indices
  std::array<u8, MAX_POLICY_MOVES> weight;
  u8 win, loss;   ///< of the root, out of 255
  bool has_root;  ///< false: not searched, the game result is the target
  Colour side;
  Source source;
  u16 ply;
};

/// A finished game.
struct FinishedGame {
  std::vector<Row> rows;
  std::vector<Point> moves;  ///< starting with the opening
  int opening = 0;           ///< number of opening stones
  Stone winner = EMPTY;
  Ending ending = Ending::DRAW;
  u64 playouts = 0;
};

/// Finished games in columns.
struct GameBatch {
  // Per row.
  std::vector<u8> board, prob, value, result, to_move, source;  // `value`: of the root
  std::vector<u16> move, ply;
  std::vector<i32> game;
  // Per game.
  std::vector<u8> winner, ending;
  std::vector<i32> opening, length;  ///< opening stones, and all moves
  std::vector<u16> line;             ///< concatenated moves of all games, as point indices
  u64 playouts = 0;

  size_t rows() const { return to_move.size(); }
  size_t games() const { return winner.size(); }

  void add(const FinishedGame& ended, const BoardPacker& packer, int policy_moves);
};

}  // namespace tengen::selfplay
