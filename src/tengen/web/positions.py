# SPDX-License-Identifier: MIT
"""Positions of messages as boards, and boards as what is to be seen of them.

Relies on the board for every rule of the game; the handlers rely on it.
"""

from __future__ import annotations

from tengen.engine import Info, PovScore
from tengen.game.board import Board, Outcome
from tengen.game.rule import Colour
from tengen.web.shapes import ColourName, ForbiddenPoint, Line, Position, Result, View

__all__ = ["board_of", "colour_name", "line_of", "result_of", "start_of", "view", "views"]

_LONGEST_LINE = 24  # moves of a line that a page is told
_CELLS = {0: ".", 1: "b", 2: "w"}


def colour_name(colour: Colour) -> ColourName:
    return "black" if colour is Colour.BLACK else "white"


def start_of(position: Position) -> Board:
    """The board before the first move. Raises BadPosition."""
    setup = position.setup
    if setup is None:
        return Board(position.size, position.rule)
    return Board.from_stones(
        setup.black, setup.white, setup.turn, size=position.size, rule=position.rule
    )


def board_of(position: Position) -> Board:
    """The board after the last move. Raises BadPosition and IllegalMove."""
    board = start_of(position)
    for move in position.moves:
        board.push(move)
    return board


def view(board: Board) -> View:
    """What is to be seen of a board."""
    outcome = board.outcome()
    crossed = board.forbidden_points() if board.turn is Colour.BLACK and not outcome else {}
    placed = [move for move in board.moves if not move.is_pass]
    return View(
        ply=board.ply,
        stones="".join(_CELLS[cell] for cell in board._core.cells()),
        turn=colour_name(board.turn),
        last=placed[-1].name if placed else None,
        forbidden=[ForbiddenPoint(point=p.name, reason=why.value) for p, why in crossed.items()],
        outcome=result_of(outcome) if outcome else None,
    )


def views(position: Position) -> list[View]:
    """What is to be seen before the first move and after each. Raises as `board_of`."""
    board = start_of(position)
    found = [view(board)]
    for move in position.moves:
        board.push(move)
        found.append(view(board))
    return found


def result_of(outcome: Outcome) -> Result:
    return Result.model_validate(
        {
            "winner": None if outcome.winner is None else colour_name(outcome.winner),
            "reason": outcome.reason,
            "lines": [[point.name for point in line] for line in outcome.lines],
        }
    )


def line_of(info: Info) -> Line:
    score = info.score.black()
    return Line(
        rank=info.multipv,
        moves=[move.name for move in info.pv[:_LONGEST_LINE]],
        score=score.value,
        win_rate=win_rate(info.score),
        mate=score.mate,
        depth=info.depth,
        exact=info.bound == "exact",
    )


def win_rate(score: PovScore) -> float:
    """Black's share of the games, rounded: no page shows more."""
    return round(score.black().win_rate, 4)
