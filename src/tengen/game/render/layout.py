# SPDX-License-Identifier: MIT
"""Shared by both renderers: limits of a board, order of its points, star points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from tengen.game.errors import BadPosition
from tengen.game.move import Move
from tengen.game.rule import MAX_SIZE, MIN_SIZE

_Value = TypeVar("_Value")


def check_size(size: int) -> None:
    """Raise BadPosition unless a board may have `size` lines."""
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise BadPosition(f"no board has {size} lines: draw one of {MIN_SIZE} to {MAX_SIZE}")


def check_points(what: str, points: Iterable[Move], size: int) -> None:
    """Raise BadPosition for a point off the board; `what` names the offender in the message."""
    for x, y in points:
        if not (0 <= x < size and 0 <= y < size):
            name = Move(x, y).name if 0 <= x < MAX_SIZE and y >= 0 else f"({x}, {y})"
            raise BadPosition(f"{what} at {name} is off the {size}x{size} board")


def in_order(points: Mapping[Move, _Value]) -> list[tuple[Move, _Value]]:
    """The items row by row from a1, so that a drawing does not depend on the order of a dict."""
    return sorted(points.items(), key=lambda item: (item[0][1], item[0][0]))


def star_points(size: int) -> tuple[Move, ...]:
    """The dots that help the eye. Boards with an even number of lines have no centre and no dots.

    Renju boards have their corner dots on the fourth line and none at the sides; from 17 lines
    on the sides have dots too, as on a go board. On small boards the dots move to the third line,
    and the smallest keep only the centre.
    """
    if size % 2 == 0:
        return ()
    low = 3 if size >= 13 else 2
    middle, high = size // 2, size - 1 - low
    if size < 9:
        return (Move(middle, middle),)
    dots = {Move(x, y) for x in (low, high) for y in (low, high)} | {Move(middle, middle)}
    if size >= 17:
        dots |= {Move(x, middle) for x in (low, high)} | {Move(middle, y) for y in (low, high)}
    return tuple(sorted(dots, key=lambda move: (move.y, move.x)))


def column_letter(x: int) -> str:
    """The letter of column `x`, counted from 0 at the left."""
    return chr(ord("a") + x)
