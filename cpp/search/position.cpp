// SPDX-License-Identifier: MIT
#include "search/position.h"

#include <utility>

namespace tengen {

namespace {

/// Distance from a stone at which moves are generated: a square of two points around it, and three
/// along the lines.
constexpr int REACH = 3;

/// Columns around the stone (bit REACH), by row distance.
constexpr std::array<u32, REACH + 1> NEAR_COLUMNS = {0b1111111, 0b0111110, 0b0111110, 0b1001001};

}  // namespace

Position::Position(int size, Rule rule, std::unique_ptr<Evaluator> evaluator)
    : threats_(size, rule),
      evaluator_(std::move(evaluator)),
      board_row_(((u32{1} << size) - 1) << MARGIN),
      empty_count_(size * size) {
  rows_.reserve(MAX_SIZE * MAX_SIZE + 1);
  assign(empty_cells(size), BLACK, 0);
}

void Position::assign(const Cells& cells, Colour side, int moves_left) {
  threats_.assign(cells, moves_left);
  evaluator_->assign(threats_.patterns());
  side_ = side;
  empty_count_ = size() * size();
  PointSets sets{};
  for (const Point p : board_points(size())) {
    if (cells[p] == EMPTY) continue;
    --empty_count_;
    mark(sets, p);
  }
  if (empty_count_ == size() * size()) sets.near.fill(board_row_);
  rows_.assign(1, sets);
}

void Position::push_rows(Point p) {
  rows_.push_back(rows_.back());
  if (empty_count_ == size() * size()) rows_.back().near.fill(0);  // the first stone
  mark(rows_.back(), p);
}

void Position::mark(PointSets& sets, Point p) const {
  const int x = p & (GRID - 1), y = p >> 5;
  sets.stones[y] |= u32{1} << x;
  for (int dy = -REACH; dy <= REACH; ++dy)
    sets.near[y + dy] |= (NEAR_COLUMNS[dy < 0 ? -dy : dy] << (x - REACH)) & board_row_;
}

}  // namespace tengen
