# SPDX-License-Identifier: MIT
"""Line patterns of Mixnet: how half lines and whole patterns are numbered, and which pattern each
point of a board has in each direction.

A half line is the up to five cells next to a point going outwards, cut at the edge of the board.
Halves are numbered by their length first, then by their cells as a number of base 3 whose most
significant digit is the cell nearest to the point: 0 empty, 1 own, 2 the opponent's. A pattern is
two halves and the cell between them; the left half is the one in the negative direction. Relies on
NumPy alone; `mixnet`, `mixnet_bake` and the tests rely on it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

EMPTY, OWN, OPPONENT = 0, 1, 2
REACH = 5  # cells of a half line at most
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))  # (dx, dy): row, column, diagonal, antidiagonal
CODEBOOK_OF = ("hv", "hv", "di", "di")  # the codebook that serves each direction


def halves_within(reach: int) -> int:
    """Number of halves of at most `reach` cells: 1, 4, 13, 40, 121, 364 for 0 to 5."""
    return sum(3**length for length in range(reach + 1))


HALVES = halves_within(REACH)
PATTERNS = HALVES * 3 * HALVES  # 397,488


def half_number(cells: Sequence[int]) -> int:
    """The number of a half line, given its cells from the nearest to the farthest."""
    value = 0
    for cell in cells:
        value = 3 * value + cell
    return halves_within(len(cells) - 1) + value


def half_cells(number: int) -> tuple[int, ...]:
    """The cells of a half line, nearest first: the inverse of `half_number`."""
    length = next(n for n in range(REACH + 1) if number < halves_within(n))
    value = number - halves_within(length - 1)
    return tuple(value // 3 ** (length - 1 - digit) % 3 for digit in range(length))


def pattern_index(left: int, centre: int, right: int, reach: int = REACH) -> int:
    """Number of a pattern whose halves have at most `reach` cells."""
    return (left * 3 + centre) * halves_within(reach) + right


def pattern_cells(index: int) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """Left half, centre and right half of a pattern; both halves nearest cell first."""
    rest, right = divmod(index, HALVES)
    left, centre = divmod(rest, 3)
    return half_cells(left), centre, half_cells(right)


def point_of_view(stones: npt.NDArray[np.integer], to_move: int) -> npt.NDArray[np.int64]:
    """A board of colours [H, W] (0 empty, 1 black, 2 white) as own and opponent's stones, seen by
    the side to move (1 or 2)."""
    cells = np.asarray(stones, dtype=np.int64)
    return cells if to_move == OWN else np.choose(cells, [EMPTY, OPPONENT, OWN])


def codebook_index(cells: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """The pattern of every point: [4, H, W], in the order of `DIRECTIONS`.

    `cells` [H, W] holds 0 empty, 1 own, 2 opponent; row 0 is y = 0.
    """
    height, width = cells.shape
    found = np.empty((len(DIRECTIONS), height, width), dtype=np.int64)
    for number, (dx, dy) in enumerate(DIRECTIONS):
        for y in range(height):
            for x in range(width):
                left = half_number(_outwards(cells, x, y, -dx, -dy))
                right = half_number(_outwards(cells, x, y, dx, dy))
                found[number, y, x] = pattern_index(left, int(cells[y, x]), right)
    return found


def _outwards(cells: npt.NDArray[np.integer], x: int, y: int, dx: int, dy: int) -> list[int]:
    """The cells of a half line, nearest first, as far as the board and `REACH` go."""
    height, width = cells.shape
    line = []
    for step in range(1, REACH + 1):
        at_x, at_y = x + step * dx, y + step * dy
        if not (0 <= at_x < width and 0 <= at_y < height):
            break
        line.append(int(cells[at_y, at_x]))
    return line
