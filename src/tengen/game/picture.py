# SPDX-License-Identifier: MIT
"""The picture of a board: what `Board.svg` shows, handed to the renderer, which knows no boards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tengen.game.errors import BadPosition
from tengen.game.move import Move, MoveLike
from tengen.game.render.svg import board_svg
from tengen.game.rule import Colour

if TYPE_CHECKING:
    from tengen.game.board import Board

__all__ = ["draw"]


def draw(
    board: Board,
    numbers: bool | Mapping[MoveLike, int],
    forbidden: bool | Mapping[MoveLike, str],
    last: MoveLike | None,
    options: dict[str, Any],
) -> str:
    """See `Board.svg`."""
    outcome = board.outcome()
    placed = [move for move in board.moves if not move.is_pass]
    numbered: Mapping[Any, int] = numbers if isinstance(numbers, Mapping) else {}
    if numbers is True:
        numbered = {m: n for n, m in enumerate(board.moves, start=1) if not m.is_pass}
    crossed: Mapping[Any, str] = forbidden if isinstance(forbidden, Mapping) else {}
    if forbidden is True and board.turn is Colour.BLACK and outcome is None:
        crossed = board.forbidden_points()
    if outcome:
        options.setdefault("lines", outcome.lines)
    for name in ("marks", "heat"):
        if options.get(name) is not None:
            options[name] = _by_point(options[name], board.size)
    ringed = placed[-1] if placed else None
    return board_svg(
        board.size,
        board.stones(),
        numbers=_by_point(numbered, board.size),
        forbidden=_by_point(crossed, board.size),
        last=ringed if last is None else Move.parse(last, board.size),
        **options,
    )


def _by_point(values: Any, size: int) -> dict[Move, Any]:
    """Values by any notation of points, or as rows `[y][x]`, by Move."""
    if isinstance(values, Mapping):
        return {Move.parse(point, size): value for point, value in values.items()}
    rows = [list(row) for row in values]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise BadPosition(f"expected values by point, or {size} rows of {size}")
    return {Move(x, y): value for y, row in enumerate(rows) for x, value in enumerate(row)}
