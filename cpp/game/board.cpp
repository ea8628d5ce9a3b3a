// SPDX-License-Identifier: MIT
#include "game/board.h"

#include <cassert>

namespace tengen {

Cells empty_cells(int size) {
  Cells cells;
  cells.fill(EDGE);
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) cells[make_point(x, y)] = EMPTY;
  return cells;
}

const std::vector<Point>& board_points(int size) {
  static const auto all = [] {
    std::array<std::vector<Point>, MAX_SIZE + 1> lists;
    for (int n = MIN_SIZE; n <= MAX_SIZE; ++n)
      for (int i = 0; i < n * n; ++i) lists[n].push_back(make_point(i % n, i / n));
    return lists;
  }();
  return all[size];
}

Board::Board(int size) : cells_(empty_cells(size)), size_(size), empty_count_(size * size) {
  assert(MIN_SIZE <= size && size <= MAX_SIZE);
  moves_.reserve(static_cast<size_t>(size) * size);
}

void Board::set_up(Point p, Colour colour) {
  assert(cells_[p] == EMPTY && moves_.empty());
  cells_[p] = colour;
  hash_ ^= ZOBRIST.stone[side_index(colour)][p];
  --empty_count_;
}

void Board::set_side_to_move(Colour colour) {
  assert(moves_.empty());
  if (colour != side_to_move_) toggle_turn();
}

void Board::toggle_turn() {
  side_to_move_ = opponent(side_to_move_);
  hash_ ^= ZOBRIST.white_to_move;
}

u64 Board::pass_hash() const {
  const size_t n = moves_.size();
  if (n == 0 || moves_[n - 1] != NO_POINT) return ZOBRIST.passes[0];
  return n >= 2 && moves_[n - 2] == NO_POINT ? ZOBRIST.passes[2] : ZOBRIST.passes[1];
}

void Board::play(Point p) {
  assert(cells_[p] == EMPTY);
  hash_ ^= pass_hash();
  cells_[p] = side_to_move_;
  hash_ ^= ZOBRIST.stone[side_index(side_to_move_)][p];
  --empty_count_;
  moves_.push_back(p);
  toggle_turn();
}

void Board::pass() {
  hash_ ^= pass_hash();
  moves_.push_back(NO_POINT);
  hash_ ^= pass_hash();
  toggle_turn();
}

void Board::undo() {
  assert(!moves_.empty());
  const Point p = moves_.back();
  hash_ ^= pass_hash();
  moves_.pop_back();
  hash_ ^= pass_hash();
  toggle_turn();
  if (p == NO_POINT) return;
  cells_[p] = EMPTY;
  hash_ ^= ZOBRIST.stone[side_index(side_to_move_)][p];
  ++empty_count_;
}

bool Board::passed_twice() const {
  const size_t n = moves_.size();
  return n >= 2 && moves_[n - 1] == NO_POINT && moves_[n - 2] == NO_POINT;
}

}  // namespace tengen
