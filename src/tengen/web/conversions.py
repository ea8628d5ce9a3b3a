# SPDX-License-Identifier: MIT
"""Converts positions of messages to boards, and boards, outcomes and search results to messages."""

from __future__ import annotations

from collections.abc import Iterator

from tengen.engine import Info, PovScore
from tengen.game.board import Board, Outcome
from tengen.game.rule import Colour
from tengen.web.messages import (
    AnalysisLine,
    ColourName,
    ForbiddenPoint,
    GamePosition,
    GameResult,
    PositionView,
)

_MAX_LINE = 24  # moves of a line sent to a page
_CELLS = {0: ".", 1: "b", 2: "w"}


def colour_name(colour: Colour) -> ColourName:
    return "black" if colour is Colour.BLACK else "white"


def to_start_board(position: GamePosition) -> Board:
    """The board before the first move. Raises BadPosition."""
    setup = position.setup
    if setup is None:
        return Board(position.size, position.rule)
    return Board.from_stones(
        setup.black, setup.white, setup.turn, size=position.size, rule=position.rule
    )


def boards_along(position: GamePosition) -> Iterator[Board]:
    """The board before the first move and after each: one object, changed between the steps.
    Raises BadPosition and IllegalMove.
    """
    board = to_start_board(position)
    yield board
    for move in position.moves:
        board.push(move)
        yield board


def to_board(position: GamePosition) -> Board:
    """The board after the last move. Raises BadPosition and IllegalMove."""
    *_, board = boards_along(position)
    return board


def to_view(board: Board) -> PositionView:
    outcome = board.outcome()
    forbidden = board.forbidden_points() if board.turn is Colour.BLACK and not outcome else {}
    placed = [move for move in board.moves if not move.is_pass]
    return PositionView(
        ply=board.ply,
        stones="".join(_CELLS[cell] for cell in board._core.cells()),
        turn=colour_name(board.turn),
        last=placed[-1].name if placed else None,
        forbidden=[ForbiddenPoint(point=p.name, reason=why.value) for p, why in forbidden.items()],
        outcome=to_result(outcome) if outcome else None,
    )


def to_result(outcome: Outcome) -> GameResult:
    return GameResult(
        winner=None if outcome.winner is None else colour_name(outcome.winner),
        reason=outcome.reason,  # type: ignore[arg-type]
        lines=[[point.name for point in line] for line in outcome.lines],
    )


def to_line(info: Info) -> AnalysisLine:
    return AnalysisLine(
        rank=info.multipv,
        moves=[move.name for move in info.pv[:_MAX_LINE]],
        win_rate=win_rate(info.score),
        mate=info.score.black().mate,
        depth=info.depth,
    )


def win_rate(score: PovScore) -> float:
    """Black's win rate, rounded to what a page shows."""
    return round(score.black().win_rate, 4)
