// SPDX-License-Identifier: MIT
#include "pattern/pattern_board.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tengen {

namespace {

/// Most points that one stone can change: ten on each line.
constexpr int MAX_CHANGES = DIRECTION_NB * KEY_CELLS;

/// Both colours' shapes of one line, at their places in PatternBoard::shapes_.
constexpr u32 spread(ShapePair pair, Direction d) {
  return ((pair | (u32{pair} << 12)) & 0x000F000F) << (4 * d);
}

}  // namespace

PatternBoard::PatternBoard(int size, Rule rule)
    : tables_(&pattern_tables(rule)), empty_lines_(Lines::of_empty_board(size)), size_(size) {
  const size_t cells = static_cast<size_t>(size) * size;
  played_.reserve(cells);
  changes_.reserve(cells * MAX_CHANGES / 2);
  assign(empty_cells(size));
}

void PatternBoard::assign(const Cells& cells) {
  played_.clear();
  changes_.clear();
  lines_ = empty_lines_;
  for (const Point p : board_points(size_)) lines_.toggle(p, cells[p]);
  shapes_.fill(0);
  for (auto& side : threats_) side.fill(0);
  for (Counts& counts : counts_) counts.fill(0);
  for (const Point p : board_points(size_))
    if (cells[p] == EMPTY) set_from_lines(p);
}

/// Works out an empty point whose threats are still unset.
void PatternBoard::set_from_lines(Point p) {
  u32 shapes = 0;
  for (const Direction d : DIRECTIONS) shapes |= spread(tables_->shapes[lines_.key(p, d)], d);
  shapes_[p] = shapes;
  for (const Colour colour : {BLACK, WHITE}) {
    const int side = side_index(colour);
    const auto threat = static_cast<u8>(tables_->threats[side][shape_set(colour, p)]);
    threats_[side][p] = threat;
    ++counts_[side][threat];
  }
}

/// Brings the points on one line through the new stone at p up to date, and saves what they were.
template <Direction D>
PatternBoard::Change* PatternBoard::update_line(Point p, Change* change) {
  const LineWord line = lines_.words[D][line_of(p, D)];
  const int place = place_on_line(p, D);
  const LineKey key = key_at(line, place);
  u32 seeing = tables_->sees_stone_before[key & 0x3FF] |
               (u32{tables_->sees_stone_after[key >> KEY_CELLS]} << KEY_REACH);
  const ShapePair* shape_table = tables_->shapes.data();
  for (; seeing; seeing &= seeing - 1) {
    const int offset = key_offset(std::countr_zero(seeing));
    const Point q = shifted(p, D, offset);
    const u32 before = shapes_[q];
    const u32 after = (before & ~(0x000F000Fu << (4 * D))) |
                      spread(shape_table[key_at(line, place + offset)], D);
    if (after == before) continue;
    *change++ = {before, q, {threats_[0][q], threats_[1][q]}};
    shapes_[q] = after;
    for (int side = 0; side < COLOUR_NB; ++side) {
      const auto threat = static_cast<u8>(tables_->threats[side][(after >> (16 * side)) & 0xFFFF]);
      --counts_[side][threats_[side][q]];
      ++counts_[side][threat];
      threats_[side][q] = threat;
    }
  }
  return change;
}

void PatternBoard::play(Point p, Colour colour) {
  const size_t old_size = changes_.size();
  played_.push_back({counts_, static_cast<u32>(old_size), p, colour});
  changes_.resize(old_size + MAX_CHANGES + 1);
  Change* const first = changes_.data() + old_size;
  Change* change = first;

  *change++ = {shapes_[p], p, {threats_[0][p], threats_[1][p]}};
  for (int side = 0; side < COLOUR_NB; ++side) {
    --counts_[side][threats_[side][p]];
    threats_[side][p] = 0;
  }
  lines_.toggle(p, colour);
  change = update_line<ALONG_X>(p, change);
  change = update_line<ALONG_Y>(p, change);
  change = update_line<DIAGONAL>(p, change);
  change = update_line<ANTI_DIAGONAL>(p, change);
  changes_.resize(old_size + (change - first));
}

void PatternBoard::undo() {
  assert(!played_.empty());
  const Played& last = played_.back();
  lines_.toggle(last.point, last.colour);
  counts_ = last.counts;
  const Change* const end = changes_.data() + changes_.size();
  for (const Change* change = changes_.data() + last.changes; change != end; ++change) {
    shapes_[change->point] = change->shapes;
    threats_[0][change->point] = change->threats[0];
    threats_[1][change->point] = change->threats[1];
  }
  changes_.resize(last.changes);
  played_.pop_back();
}

bool PatternBoard::operator==(const PatternBoard& other) const {
  return size_ == other.size_ && tables_ == other.tables_ && threats_ == other.threats_ &&
         shapes_ == other.shapes_ && counts_ == other.counts_ && lines_ == other.lines_ &&
         played_.size() == other.played_.size() && changes_.size() == other.changes_.size();
}

}  // namespace tengen
