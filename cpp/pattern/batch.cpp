// SPDX-License-Identifier: MIT
#include "pattern/batch.h"

#include <algorithm>

#include "base/parallel.h"

namespace tengen {

namespace {

constexpr u8 DRAWN = 3;

void copy_cells(const Positions& positions, size_t i, Cells& cells) {
  const u8* stone = positions.stones + i * positions.points();
  for (const Point p : board_points(positions.size)) cells[p] = static_cast<Stone>(*stone++);
}

/// Calls visit(i, patterns, cells) for every position, with its patterns.
template <typename Visit>
void for_each_pattern(const Positions& positions, Rule rule, int threads, Visit visit) {
  pattern_tables(rule);  // created before the threads use them
  parallel_ranges(positions.count, threads, [&](size_t first, size_t last) {
    PatternBoard patterns(positions.size, rule);
    Cells cells = empty_cells(positions.size);
    for (size_t i = first; i < last; ++i) {
      copy_cells(positions, i, cells);
      patterns.assign(cells);
      visit(i, patterns, cells);
    }
  });
}

}  // namespace

size_t first_bad_stone(const Positions& positions) {
  const size_t all = positions.count * positions.points();
  for (size_t i = 0; i < all; ++i)
    if (positions.stones[i] > WHITE) return i;
  return all;
}

void batch_threats(const Positions& positions, Rule rule, u8* out, int threads) {
  const size_t points = positions.points();
  for_each_pattern(positions, rule, threads,
                   [&](size_t i, const PatternBoard& patterns, const Cells&) {
                     u8* black = out + i * COLOUR_NB * points;
                     u8* white = black + points;
                     for (int y = 0; y < positions.size; ++y) {
                       const ThreatPair* const row = patterns.threat_row(y) + MARGIN;
                       for (int x = 0; x < positions.size; ++x) {
                         *black++ = row[x] & 15;
                         *white++ = row[x] >> 4;
                       }
                     }
                   });
}

void batch_shapes(const Positions& positions, Rule rule, u8* out, int threads) {
  const size_t points = positions.points();
  for_each_pattern(
      positions, rule, threads, [&](size_t i, const PatternBoard& patterns, const Cells& cells) {
        u8* to = out + i * COLOUR_NB * DIRECTION_NB * points;
        for (const Colour colour : {BLACK, WHITE})
          for (const Direction d : DIRECTIONS)
            for (const Point p : board_points(positions.size))
              *to++ = cells[p] == EMPTY ? static_cast<u8>(patterns.shape(colour, p, d)) : u8{0};
      });
}

void batch_forbidden(const Positions& positions, Rule rule, u8* out, int threads) {
  const size_t points = positions.points();
  for_each_pattern(positions, rule, threads,
                   [&](size_t i, const PatternBoard& patterns, const Cells&) {
                     u8* to = out + i * points;
                     for (const Point p : board_points(positions.size))
                       *to++ = static_cast<u8>(patterns.forbidden(p));
                   });
}

void batch_legal(const Positions& positions, Rule rule, const u8* to_move, u8* out, int threads) {
  const size_t points = positions.points();
  for_each_pattern(positions, rule, threads,
                   [&](size_t i, const PatternBoard& patterns, const Cells& cells) {
                     const auto mover = static_cast<Colour>(to_move[i]);
                     u8* to = out + i * points;
                     for (const Point p : board_points(positions.size))
                       *to++ = cells[p] == EMPTY && patterns.is_legal(mover, p);
                   });
}

void batch_outcome(const Positions& positions, Rule rule, const u8* to_move, u8* out, int threads) {
  parallel_ranges(positions.count, threads, [&](size_t first, size_t last) {
    Cells cells = empty_cells(positions.size);
    for (size_t i = first; i < last; ++i) {
      copy_cells(positions, i, cells);
      const Outcome outcome =
          outcome_of_set_up(cells, positions.size, rule, static_cast<Colour>(to_move[i]));
      out[i] = outcome.ending == Ending::FULL_BOARD ? DRAWN : static_cast<u8>(outcome.winner);
    }
  });
}

}  // namespace tengen
