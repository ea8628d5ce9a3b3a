// SPDX-License-Identifier: MIT
#include "eval/point_score_board.h"

#include <bit>
#include <cassert>

namespace tengen {

namespace {

/// Maximum number of points that one stone changes: its own, and ten per line.
constexpr int MAX_CHANGES = 1 + DIRECTION_NB * KEY_CELLS;

/// Mask of the colours that can score on a point, by its contents.
constexpr std::array<u8, 4> SCORING = {0xFF, 0x0F, 0xF0, 0x00};

Lines lines_of(const Cells& cells) {
  Lines lines{};
  for (int p = 0; p < GRID_CELLS; ++p) lines.toggle(static_cast<Point>(p), cells[p]);
  return lines;
}

constexpr u32 with_byte(u32 bytes, int i, u32 byte) {
  return (bytes & ~(255u << (8 * i))) | (byte << (8 * i));
}

}  // namespace

PointScoreBoard::PointScoreBoard(int size, Rule rule, PointScoreUpdate update)
    : tables_(&point_score_tables(rule)), size_(size), update_(update) {
  assert(MIN_SIZE <= size && size <= MAX_SIZE);
  played_.reserve(static_cast<size_t>(size) * size);
  assign(lines_of(empty_cells(size)));
}

void PointScoreBoard::assign(const Lines& lines) {
  played_.clear();
  changes_used_ = 0;
  lines_ = lines;
  for (int p = 0; p < GRID_CELLS; ++p) points_[p] = {0, 0, static_cast<u32>(p)};
  rescan_board();
}

/// The point with all four lines looked up.
PointScoreBoard::PointState PointScoreBoard::from_lines(Point p) const {
  PointState state{0, 0, p};
  const u8 scoring = SCORING[lines_.stone(p)];
  for (const Direction d : DIRECTIONS) {
    const u32 shapes = tables_->shapes[lines_.key(p, d)] & scoring;
    state.shapes |= shapes << (8 * d);
    state.scores += tables_->by_shapes[shapes];
  }
  return state;
}

/// The point with one line looked up and the others cached.
PointScoreBoard::PointState PointScoreBoard::with_line(Point p, Direction d) const {
  const PointState& state = points_[p];
  const u32 before = (state.shapes >> (8 * d)) & 255;
  const u32 after = tables_->shapes[lines_.key(p, d)] & SCORING[lines_.stone(p)];
  const ScorePair change = tables_->by_shapes[after] - tables_->by_shapes[before];
  return {state.scores + change, with_byte(state.shapes, d, after), p};
}

/// Sets a point and updates the total of its stone.
void PointScoreBoard::replace(const PointState& after) {
  PointState& state = points_[after.point];
  const Stone stone = lines_.stone(static_cast<Point>(after.point));
  if (stone != EMPTY)
    totals_[side_index(stone)] += score_of(after.scores, stone) - score_of(state.scores, stone);
  state = after;
}

void PointScoreBoard::rescan_board() {
  totals_.fill(0);
  for (const Point p : board_points(size_)) {
    points_[p] = from_lines(p);
    if (const Stone stone = lines_.stone(p); stone != EMPTY)
      totals_[side_index(stone)] += score(stone, p);
  }
}

/// POINT and DIRECTION: after a stone was added or removed at p.
void PointScoreBoard::rescan_star(Point p) {
  points_[p] = from_lines(p);
  for (const Direction d : DIRECTIONS)
    for (const int sign : {-1, 1})
      for (int n = 1; n <= tables_->reach; ++n) {
        const Point q = shifted(p, d, sign * n);
        if (lines_.stone(q) == EDGE) break;
        replace(update_ == PointScoreUpdate::POINT ? from_lines(q) : with_line(q, d));
      }
}

void PointScoreBoard::play(Point p, Colour colour) {
  assert(p < GRID_CELLS && is_empty(p));
  assert(colour == BLACK || colour == WHITE);
  played_.push_back({totals_, changes_used_, p, colour});
  lines_.toggle(p, colour);
  switch (update_) {
    case PointScoreUpdate::WHOLE: rescan_board(); break;
    case PointScoreUpdate::POINT:
    case PointScoreUpdate::DIRECTION:
      rescan_star(p);
      totals_[side_index(colour)] += score(colour, p);
      break;
    case PointScoreUpdate::BLOCKED: play_blocked(p, colour); break;
  }
}

void PointScoreBoard::undo() {
  assert(!played_.empty());
  const Played& last = played_.back();
  lines_.toggle(last.point, last.colour);
  switch (update_) {
    case PointScoreUpdate::WHOLE: rescan_board(); break;
    case PointScoreUpdate::POINT:
    case PointScoreUpdate::DIRECTION:
      totals_[side_index(last.colour)] -= score(last.colour, last.point);
      rescan_star(last.point);
      break;
    case PointScoreUpdate::BLOCKED: restore_saved(last); break;
  }
  played_.pop_back();
}

/// Updates the points of a blocked scan from p on one line and saves their old state. Adds the
/// change of both colours' totals to `totals`, one packed word.
template <Direction D>
[[gnu::always_inline]] inline PointScoreBoard::PointState* PointScoreBoard::scan_line(
    Point p, PointState* saved, ScorePair& totals) {
  const LineWord line = lines_.words[D][line_of(p, D)];
  const int index = index_on_line(p, D);
  const LineKey key = key_at(line, index);
  const ShapePair* const shapes = tables_->shapes;
  const ScorePair* const scores = tables_->by_shapes.data();
  // Bit n: the point n - 5 steps along the line from p.
  u32 scan = tables_->scan_before[key & (HALF_KEY_NB - 1)] |
             (u32{tables_->scan_after[key >> HALF_KEY_BITS]} << (KEY_REACH + 1));
  const int farthest = p - KEY_REACH * STEP[D];
  const int farthest_shift = 2 * (index - 2 * KEY_REACH);
  for (; scan; scan &= scan - 1) {
    const int n = std::countr_zero(scan);
    PointState& state = points_[static_cast<u32>(farthest + n * STEP[D])];
    const LineWord around = line >> (farthest_shift + 2 * n);
    const u32 stone = (around >> HALF_KEY_BITS) & 3;
    const u32 before = (state.shapes >> (8 * D)) & 255;
    const u32 after = shapes[key_from(around)] & SCORING[stone];
    const ScorePair change = scores[after] - scores[before];
    // Branch-free: branches on the change or the stone would be mispredicted too often.
    *saved = state;
    saved += after != before;
    state.scores += change;
    state.shapes ^= (before ^ after) << (8 * D);
    totals += stone == EMPTY ? 0 : change;
  }
  return saved;
}

/// Top of the stack, with capacity for MAX_CHANGES more.
PointScoreBoard::PointState* PointScoreBoard::reserve_changes() {
  if (changes_.size() < changes_used_ + MAX_CHANGES)
    changes_.resize(2 * (changes_used_ + MAX_CHANGES) + 1024);
  return changes_.data() + changes_used_;
}

void PointScoreBoard::play_blocked(Point p, Colour colour) {
  PointState* const first = reserve_changes();
  PointState* saved = first;
  *saved++ = points_[p];
  const Value own = score(colour, p);
  points_[p].scores = colour == BLACK ? make_scores(own, 0) : make_scores(0, own);
  points_[p].shapes &= SCORING[colour] * 0x01010101u;

  ScorePair totals = 0;
  saved = scan_line<ALONG_X>(p, saved, totals);
  saved = scan_line<ALONG_Y>(p, saved, totals);
  saved = scan_line<DIAGONAL>(p, saved, totals);
  saved = scan_line<ANTI_DIAGONAL>(p, saved, totals);
  changes_used_ += static_cast<u32>(saved - first);

  // A negative change of black borrows from white's half. Both fit into 32 bits: 40 stones, at most
  // 10^7 each.
  const auto black = static_cast<i32>(totals);
  totals_[0] += black;
  totals_[1] += static_cast<i32>((totals - static_cast<ScorePair>(i64{black})) >> 32);
  totals_[side_index(colour)] += own;
}

void PointScoreBoard::restore_saved(const Played& last) {
  const PointState* const end = changes_.data() + changes_used_;
  for (const PointState* saved = changes_.data() + last.changes; saved != end; ++saved)
    points_[saved->point] = *saved;
  totals_ = last.totals;
  changes_used_ = last.changes;
}

bool PointScoreBoard::operator==(const PointScoreBoard& other) const {
  return size_ == other.size_ && tables_ == other.tables_ && points_ == other.points_ &&
         totals_ == other.totals_ && lines_ == other.lines_ &&
         played_.size() == other.played_.size();
}

}  // namespace tengen
