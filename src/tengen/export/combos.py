# SPDX-License-Identifier: MIT
"""Features of the classical evaluation and of lazy evaluation tables: a combo for each empty point
and colour, and a mask of the threats on the board. `lazy_fit` and scripts/classical use it.

A combo is the multiset of the shapes that a stone would make on the four lines through a point.
With the shapes sorted a >= b >= c >= d its number is C(a+3,4) + C(b+2,3) + C(c+1,2) + C(d,1),
0 to 1364.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.game import batch
from tengen.game.rule import Rule
from tengen.game.threat import Shape, Threat

SHAPES = len(Shape)
DIRECTIONS = 4
COMBOS = comb(SHAPES + DIRECTIONS - 1, DIRECTIONS)
MASK_BITS = 10
MASKS = 1 << MASK_BITS

# Bit i of a mask: the side to move has a point of group i; bit 5 + i: the opponent has one.
THREAT_GROUPS = (
    (Threat.OPEN_FOUR, Threat.DOUBLE_FOUR),
    (Threat.FOUR_THREE, Threat.FOUR_DOUBLE_THREE),
    (Threat.FOUR,),
    (Threat.DOUBLE_THREE,),
    (Threat.OPEN_THREE,),
)

Array: TypeAlias = "npt.NDArray[np.uint8]"
Words: TypeAlias = "npt.NDArray[np.uint16]"
Floats: TypeAlias = "npt.NDArray[np.float32]"


def combo_number(shapes: tuple[int, ...]) -> int:
    """Number of the combo of four shapes, in any order."""
    a, b, c, d = sorted(shapes, reverse=True)
    return comb(a + 3, 4) + comb(b + 2, 3) + comb(c + 1, 2) + comb(d, 1)


def combo_shapes() -> Array:
    """How often each shape is in each combo: `[COMBOS, SHAPES]`, rows sum to four."""
    counts = np.zeros((COMBOS, SHAPES), dtype=np.uint8)
    for shapes in combinations_with_replacement(range(SHAPES), DIRECTIONS):
        np.add.at(counts[combo_number(shapes)], list(shapes), 1)
    return counts


def background_combos() -> npt.NDArray[np.bool_]:
    """Combos of points with no stone of the colour in reach, such as fill an empty board:
    `[COMBOS]`.
    """
    quiet = [Shape.NONE, Shape.ONE, Shape.OPEN_ONE]
    return np.asarray(combo_shapes()[:, quiet].sum(axis=1) == DIRECTIONS)


def _combo_table() -> Words:
    """Combo by the four shapes as digits of a number to the base SHAPES."""
    orders = product(range(SHAPES), repeat=DIRECTIONS)
    return np.array([combo_number(order) for order in orders], dtype=np.uint16)


_COMBO_TABLE = _combo_table()
_GROUP_BITS = np.zeros(len(Threat), dtype=np.uint16)
for _bit, _group in enumerate(THREAT_GROUPS):
    _GROUP_BITS[list(_group)] = 1 << _bit


def combos(boards: Array, rule: Rule, *, threads: int = 1) -> Words:
    """Combo of every point for black and for white: `[n, 2, points]`."""
    shapes = batch.shapes(boards, rule, threads=threads)
    shapes = shapes.reshape(len(boards), 2, DIRECTIONS, -1)
    key = shapes[:, :, 0].astype(np.uint16)
    for direction in range(1, DIRECTIONS):
        key *= SHAPES
        key += shapes[:, :, direction]
    return _COMBO_TABLE[key]


def masks(threats: Array, to_move: Array) -> Words:
    """Mask of each position from `batch.threats` and the side to move: `[n]`."""
    bits = _GROUP_BITS[threats.reshape(len(threats), 2, -1)]
    by_colour = np.bitwise_or.reduce(bits, axis=2)
    rows = np.arange(len(threats))
    own, opponent = by_colour[rows, to_move - 1], by_colour[rows, 2 - to_move]
    return np.asarray(own | (opponent << len(THREAT_GROUPS)), dtype=np.uint16)
