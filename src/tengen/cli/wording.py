# SPDX-License-Identifier: MIT
"""The sentences of the terminal board: pure functions from a position to words.

Relies on the board's types; `terminal` relies on it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tengen.game.board import Board, Outcome
from tengen.game.move import Move
from tengen.game.rule import Colour, Forbidden

__all__ = ["WIDTH", "move_list", "no_win", "reason", "status", "too_many", "wrapped"]

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


def status(
    board: Board, moves: Sequence[Move], mover: Colour, resigned: Colour | None = None
) -> str:
    """The last move, which `mover` made, and who is to move or how the game ended."""
    told = ""
    if moves:
        went = "passed" if moves[-1].is_pass else str(moves[-1])
        told = f"{len(moves)}. {mover} {went}. "
    outcome = board.outcome()
    if resigned is not None:
        return f"{told}{str(resigned.other).capitalize()} wins: {resigned} resigned."
    if outcome is not None:
        return told + _ending(outcome)
    blocked = all(move.is_pass for move in board.legal_moves())
    left = ": every free point is forbidden, only `pass` is left" if blocked else ""
    return f"{told}{str(board.turn).capitalize()} to move{left}."


def no_win(board: Board, moves: Sequence[Move], mover: Colour) -> list[str]:
    """Why a last move that made five or more in a row does not win; nothing after other moves."""
    outcome = board.outcome()
    won = outcome is not None and outcome.winner is not None
    if won or not moves or moves[-1].is_pass:
        return []
    longest = _longest_run(board, moves[-1], mover)
    if longest < 5:
        return []
    if longest == 5:
        return [f"Five in a row, but closed at both ends: no win in {board.rule}."]
    return [f"{_number(longest).capitalize()} in a row is no win in {board.rule}."]


def _longest_run(board: Board, move: Move, colour: Colour) -> int:
    """The most stones of a colour in a row through a point."""
    own = {point for point, owner in board.stones().items() if owner == colour}
    longest = 0
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            step = 1
            while (move.x + sign * step * dx, move.y + sign * step * dy) in own:
                step += 1
            run += step - 1
        longest = max(longest, run)
    return longest


def _number(count: int) -> str:
    words = {5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}
    return words.get(count, str(count))


def _ending(outcome: Outcome) -> str:
    why = _ENDINGS.get(outcome.reason, outcome.reason)
    if outcome.reason == "five" and outcome.lines:
        why = f"{_number(max(map(len, outcome.lines)))} in a row"
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
