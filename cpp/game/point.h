// SPDX-License-Identifier: MIT
// Points and directions on one fixed grid that fits every board size, with a margin wide
// enough that five steps off the board in any direction stay inside the grid.
#pragma once

#include <array>

#include "base/types.h"

namespace tengen {

inline constexpr int MIN_SIZE = 5;
inline constexpr int MAX_SIZE = 22;

/// Cells of margin on each side: the reach of a line key (pattern/line.h).
inline constexpr int MARGIN = 5;

/// The grid is 32 x 32 = 22 + 2 * 5 squared:
///
///     bits of a Point:   9 8 7 6 5 | 4 3 2 1 0
///                        y + MARGIN | x + MARGIN
inline constexpr int GRID = MAX_SIZE + 2 * MARGIN;
inline constexpr int GRID_CELLS = GRID * GRID;
static_assert(GRID == 32, "Point and the line words of pattern/ rely on five bits per coordinate");

using Point = u16;

/// "No point"; also the pass in a list of moves. It lies in the margin, so its cell is always EDGE.
inline constexpr Point NO_POINT = 0;

/// Requires 0 <= x, y < MAX_SIZE.
constexpr Point make_point(int x, int y) {
  return static_cast<Point>((y + MARGIN) * GRID + x + MARGIN);
}
constexpr int x_of(Point p) { return (p & (GRID - 1)) - MARGIN; }
constexpr int y_of(Point p) { return (p >> 5) - MARGIN; }

/// The four directions of lines, and what one step along each adds to a Point.
enum Direction : u8 { ALONG_X, ALONG_Y, DIAGONAL, ANTI_DIAGONAL };

inline constexpr int DIRECTION_NB = 4;
inline constexpr std::array<int, DIRECTION_NB> STEP = {1, GRID, GRID + 1, 1 - GRID};
inline constexpr std::array<Direction, DIRECTION_NB> DIRECTIONS = {ALONG_X, ALONG_Y, DIAGONAL,
                                                                   ANTI_DIAGONAL};

/// The point `n` steps (negative: backwards) along a direction. May lie in the margin for |n| <=
/// MARGIN.
constexpr Point shifted(Point p, Direction d, int n) { return static_cast<Point>(p + n * STEP[d]); }

}  // namespace tengen
