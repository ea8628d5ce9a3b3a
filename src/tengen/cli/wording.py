# SPDX-License-Identifier: MIT
"""The sentences of the terminal board: pure functions from a position to words.

Relies on the board's types; `terminal` relies on it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tengen.game.board import Board, Outcome
from tengen.game.move import Move
from tengen.game.rule import Forbidden

__all__ = ["WIDTH", "move_list", "reason", "status", "too_many", "wrapped"]

WIDTH = 76  # columns of running text

_WHY = {
    Forbidden.OVERLINE: "overline: it would make six or more in a row",
    Forbidden.DOUBLE_FOUR: "double-four: it would make two fours at once",
    Forbidden.DOUBLE_THREE: "double-three: it would make two open threes at once",
}
_ENDINGS = {
    "five": "five in a row",
    "full_board": "the board is full",
    "passes": "both sides passed",
    "move_limit": "the move limit is reached",
}


def reason(why: str) -> str:
    """Why a point is forbidden, from the name of the reason."""
    return _WHY[Forbidden(why)]


def status(board: Board, moves: Sequence[Move]) -> str:
    """The last move, and who is to move or how the game ended."""
    told = ""
    if moves:
        went = "passed" if moves[-1].is_pass else str(moves[-1])
        told = f"{len(moves)}. {board.turn.other} {went}. "
    outcome = board.outcome()
    if outcome is not None:
        return told + _ending(outcome)
    blocked = all(move.is_pass for move in board.legal_moves())
    left = ": every free point is forbidden, only `pass` is left" if blocked else ""
    return f"{told}{str(board.turn).capitalize()} to move{left}."


def _ending(outcome: Outcome) -> str:
    why = _ENDINGS.get(outcome.reason, outcome.reason)
    if outcome.winner is None:
        return f"A draw: {why}."
    runs = " and ".join(f"{run[0]} to {run[-1]}" for run in outcome.lines)
    return f"{str(outcome.winner).capitalize()} wins: {why}{', ' if runs else ''}{runs}."


def move_list(moves: Sequence[Move]) -> list[str]:
    """The numbered moves, wrapped; no number is parted from its move."""
    if not moves:
        return ["No move has been made."]
    return wrapped([f"{number}.{move}" for number, move in enumerate(moves, 1)])


def wrapped(words: Sequence[str], indent: str = "") -> list[str]:
    """Words on lines of `WIDTH`; the first line begins with `indent`, the others with blanks."""
    return textwrap.wrap(
        " ".join(words),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_on_hyphens=False,
    )


def too_many(count: int, there: int, what: str) -> str:
    """Why `count` moves cannot be taken back or played again."""
    if there == 0:
        return f"There is no move {what}."
    moves = "is only 1 move" if there == 1 else f"are only {there} moves"
    return f"There {moves} {what}, not {count}."
