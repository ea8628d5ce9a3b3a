// SPDX-License-Identifier: MIT
#include "pattern/pattern_board.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace tengen {

namespace {

/// Both colours' shapes of one line, shifted to their bits in PatternBoard::shapes_.
constexpr u32 spread(ShapePair pair, Direction d) {
  return ((pair | (u32{pair} << 12)) & 0x000F000F) << (4 * d);
}

/// Lines of an empty board.
const Lines& empty_lines(int size) {
  static const auto all = [] {
    std::array<Lines, MAX_SIZE + 1> lines{};
    for (int n = MIN_SIZE; n <= MAX_SIZE; ++n) {
      const Cells cells = empty_cells(n);
      for (int p = 0; p < GRID_CELLS; ++p) lines[n].toggle(static_cast<Point>(p), cells[p]);
    }
    return lines;
  }();
  return all[size];
}

}  // namespace

PatternBoard::PatternBoard(int size, Rule rule) : tables_(&pattern_tables(rule)), size_(size) {
  played_.reserve(static_cast<size_t>(size) * size);
  assign(empty_cells(size));
}

void PatternBoard::assign(const Cells& cells) {
  played_.clear();
  changes_used_ = 0;
  lines_ = empty_lines(size_);
  const std::vector<Point>& points = board_points(size_);
  for (const Point p : points)
    if (cells[p] != EMPTY) lines_.toggle(p, cells[p]);
  shapes_.fill(0);
  threats_.fill(0);
  for (Counts& counts : counts_) counts.fill(0);
  for (const Point p : points)
    if (cells[p] == EMPTY) set_from_lines(p);
}

/// Computes the shapes and the threats of an empty point, and counts it.
void PatternBoard::set_from_lines(Point p) {
  u32 shapes = 0;
  for (const Direction d : DIRECTIONS) shapes |= spread(tables_->shapes[lines_.key(p, d)], d);
  shapes_[p] = shapes;
  const ThreatPair both = tables_->threats[0][shapes & 0xFFFF] | tables_->threats[1][shapes >> 16];
  threats_[p] = both;
  ++counts_[0][both & 15];
  ++counts_[1][both >> 4];
}

/// Sums the changes of the threat counts by one move in vector registers, which is faster than in
/// memory. One signed byte per threat and side suffices: a move changes at most 41 points.
class PatternBoard::CountChange {
 public:
  void move(u32 from, u32 to) {
    black_ += one(to & 15) - one(from & 15);
    white_ += one(to >> 4) - one(from >> 4);
  }

  void add_to(std::array<Counts, COLOUR_NB>& counts) const {
    for (int i = 0; i < 16; ++i) {
      counts[0][i] = static_cast<u16>(counts[0][i] + black_[i]);
      counts[1][i] = static_cast<u16>(counts[1][i] + white_[i]);
    }
  }

 private:
  typedef i8 Bytes __attribute__((vector_size(16)));

  /// A one in byte i.
  static Bytes one(u32 i) {
    alignas(16) static constexpr auto ONES = [] {
      std::array<std::array<i8, 16>, 16> ones{};
      for (int n = 0; n < 16; ++n) ones[n][n] = 1;
      return ones;
    }();
    Bytes bytes;
    std::memcpy(&bytes, ONES[i].data(), sizeof bytes);
    return bytes;
  }

  Bytes black_ = {}, white_ = {};
};

/// Updates the points on one line through the new stone at p and saves their old state.
template <Direction D>
[[gnu::always_inline]] inline PatternBoard::Change* PatternBoard::update_line(Point p, int side,
                                                                              Change* change,
                                                                              CountChange& counts) {
  const LineWord line = lines_.words[D][line_of(p, D)];
  const int index = index_on_line(p, D);
  const LineKey key = key_at(line, index);
  // Locals: threats_ are bytes, which may alias anything, so members would be reloaded after each
  // store.
  const ShapePair* const shape_table = tables_->shapes.data();
  const ThreatPair* const black_table = tables_->threats[0].data();
  const ThreatPair* const white_table = tables_->threats[1].data();
  // Bit n: the new stone affects the point n - 5 steps along the line from p.
  u32 affected = tables_->affected_before[side][key & (HALF_KEY_NB - 1)] |
                 (u32{tables_->affected_after[side][key >> HALF_KEY_BITS]} << (KEY_REACH + 1));
  const int farthest = p - KEY_REACH * STEP[D];
  const int farthest_shift = 2 * (index - 2 * KEY_REACH);
  for (; affected; affected &= affected - 1) {
    const int n = std::countr_zero(affected);
    const auto q = static_cast<u32>(farthest + n * STEP[D]);
    const u32 before = shapes_[q];
    const u32 after = (before & ~(0x000F000Fu << (4 * D))) |
                      spread(shape_table[key_from(line >> (farthest_shift + 2 * n))], D);
    const ThreatPair threats_before = threats_[q];
    const u32 threats = black_table[after & 0xFFFF] | white_table[after >> 16];
    // Branch-free: a branch on the change would be mispredicted too often.
    *change = {before, (u32{threats_before} << 16) | q};
    change += after != before;
    shapes_[q] = after;
    threats_[q] = static_cast<ThreatPair>(threats);
    counts.move(threats_before, threats);
  }
  return change;
}

/// Top of the stack, with capacity for MAX_CHANGES more.
PatternBoard::Change* PatternBoard::reserve_changes() {
  if (changes_.size() < changes_used_ + MAX_CHANGES)
    changes_.resize(2 * (changes_used_ + MAX_CHANGES) + 1024);
  return changes_.data() + changes_used_;
}

void PatternBoard::play(Point p, Colour colour) {
  assert(is_empty(p));
  played_.push_back({counts_, changes_used_, p, colour});
  Change* const first = reserve_changes();
  Change* change = first;

  *change++ = {shapes_[p], (u32{threats_[p]} << 16) | p};
  for (const Colour colour_of : {BLACK, WHITE})
    --counts_[side_index(colour_of)][static_cast<int>(threat(colour_of, p))];
  threats_[p] = 0;
  lines_.toggle(p, colour);
  CountChange counts;
  const int side = side_index(colour);
  change = update_line<ALONG_X>(p, side, change, counts);
  change = update_line<ALONG_Y>(p, side, change, counts);
  change = update_line<DIAGONAL>(p, side, change, counts);
  change = update_line<ANTI_DIAGONAL>(p, side, change, counts);
  counts.add_to(counts_);
  changes_used_ += static_cast<u32>(change - first);
}

void PatternBoard::undo() {
  assert(!played_.empty());
  const Played& last = played_.back();
  lines_.toggle(last.point, last.colour);
  counts_ = last.counts;
  const Change* const end = changes_.data() + changes_used_;
  for (const Change* change = changes_.data() + last.changes; change != end; ++change) {
    const u32 p = change->threats_and_point & 0xFFFF;
    shapes_[p] = change->shapes;
    threats_[p] = static_cast<ThreatPair>(change->threats_and_point >> 16);
  }
  changes_used_ = last.changes;
  played_.pop_back();
}

bool PatternBoard::operator==(const PatternBoard& other) const {
  return size_ == other.size_ && tables_ == other.tables_ && threats_ == other.threats_ &&
         shapes_ == other.shapes_ && counts_ == other.counts_ && lines_ == other.lines_ &&
         played_.size() == other.played_.size() && changes_used_ == other.changes_used_;
}

}  // namespace tengen
