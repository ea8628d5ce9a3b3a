// SPDX-License-Identifier: MIT
// Lines of the board as 64-bit words, and the keys of their cells. A line is 32 cells of two bits
// (a Stone each), margins included. A move changes four words; the neighbourhood of a point on a
// line is one shift.
//
//     cell of the line:   31 … pos+5 … pos+1  pos  pos-1 … pos-5 … 0
//                                |---- 22 bits around pos ----|
//     LineKey, 20 bits:          +5 +4 +3 +2 +1 -1 -2 -3 -4 -5       (the middle is left out)
#pragma once

#include <array>
#include <bit>

#include "game/board.h"

namespace tengen {

using LineWord = u64;
using LineKey = u32;

inline constexpr int KEY_REACH = MARGIN;  ///< cells on each side
inline constexpr int KEY_CELLS = 2 * KEY_REACH;
inline constexpr int KEY_NB = 1 << (2 * KEY_CELLS);
inline constexpr int HALF_KEY_BITS = 2 * KEY_REACH;  ///< the cells on one side
inline constexpr u32 HALF_KEY_NB = 1 << HALF_KEY_BITS;
inline constexpr int LINE_NB = 2 * GRID;  ///< lines per direction; the maximum is that of diagonals

/// Index of the line through a point, among the lines of its direction.
constexpr int line_of(Point p, Direction d) {
  const int x = p & (GRID - 1), y = p >> 5;
  switch (d) {
    case ALONG_X: return y;
    case ALONG_Y: return x;
    case DIAGONAL: return x - y + GRID;
    case ANTI_DIAGONAL: return x + y;
  }
  return 0;
}

/// Place of a point on its line.
constexpr int index_on_line(Point p, Direction d) { return d == ALONG_Y ? p >> 5 : p & (GRID - 1); }

/// The key of a cell, from its line shifted so that the cell five below it comes first.
constexpr LineKey key_from(LineWord around) {
  const auto bits = static_cast<u32>(around);
  return (bits & (HALF_KEY_NB - 1)) | ((bits >> 2) & ((HALF_KEY_NB - 1) << HALF_KEY_BITS));
}

/// The key of the cell at `index`. Requires MARGIN <= index < GRID - MARGIN.
constexpr LineKey key_at(LineWord line, int index) {
  return key_from(line >> (2 * (index - KEY_REACH)));
}

constexpr LineWord stone_on_line(Stone stone, int index) {
  return static_cast<LineWord>(stone) << (2 * index);
}

/// Offset from the middle (-5 … -1, 1 … 5) of the key's i-th cell, and back.
constexpr int key_offset(int i) { return i < KEY_REACH ? i - KEY_REACH : i - KEY_REACH + 1; }
constexpr int key_cell(int offset) {
  return offset < 0 ? offset + KEY_REACH : offset + KEY_REACH - 1;
}

constexpr Stone key_stone(LineKey key, int i) { return static_cast<Stone>((key >> (2 * i)) & 3); }

constexpr LineKey key_with(LineKey key, int i, Stone stone) {
  return (key & ~(LineKey{3} << (2 * i))) | (LineKey{stone} << (2 * i));
}

/// All lines of a board.
struct Lines {
  std::array<std::array<LineWord, LINE_NB>, DIRECTION_NB> words;

  /// Adds a stone to an empty cell, or removes it.
  void toggle(Point p, Stone stone) {
    for (const Direction d : DIRECTIONS)
      words[d][line_of(p, d)] ^= stone_on_line(stone, index_on_line(p, d));
  }

  Stone stone(Point p) const {
    return static_cast<Stone>(
        (words[ALONG_X][line_of(p, ALONG_X)] >> (2 * index_on_line(p, ALONG_X))) & 3);
  }

  LineKey key(Point p, Direction d) const {
    return key_at(words[d][line_of(p, d)], index_on_line(p, d));
  }

  bool operator==(const Lines&) const = default;
};

}  // namespace tengen
