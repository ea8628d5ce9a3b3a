// SPDX-License-Identifier: MIT
#include "selfplay/rows.h"

namespace tengen::selfplay {

namespace {

constexpr u8 ALL = 255;

/// Column `result`: 0 loss, 1 draw, 2 win.
u8 result_for(Colour side, Stone winner) {
  return winner == EMPTY ? u8{1} : winner == side ? u8{2} : u8{0};
}

}  // namespace

void GameBatch::add(const FinishedGame& ended, const BoardPacker& packer, int policy_moves) {
  for (const Row& row : ended.rows) {
    board.insert(board.end(), row.board.begin(), row.board.begin() + bytes_of(packer.size()));
    move.insert(move.end(), row.move.begin(), row.move.begin() + policy_moves);
    prob.insert(prob.end(), row.weight.begin(), row.weight.begin() + policy_moves);
    const u8 game_result = result_for(row.side, ended.winner);
    value.push_back(row.has_root ? row.win : game_result == 2 ? ALL : u8{0});
    value.push_back(row.has_root ? row.loss : game_result == 0 ? ALL : u8{0});
    result.push_back(game_result);
    to_move.push_back(row.side);
    source.push_back(static_cast<u8>(row.source));
    ply.push_back(row.ply);
    game.push_back(static_cast<i32>(games()));
  }
  winner.push_back(ended.winner);
  ending.push_back(static_cast<u8>(ended.ending));
  opening.push_back(ended.opening);
  length.push_back(static_cast<i32>(ended.moves.size()));
  for (const Point p : ended.moves) line.push_back(static_cast<u16>(packer.index(p, 0)));
  playouts += ended.playouts;
}

}  // namespace tengen::selfplay
