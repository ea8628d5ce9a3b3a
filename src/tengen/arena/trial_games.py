# SPDX-License-Identifier: MIT
"""Whether an opening is open: quick games of a judge against itself, which both colours must win.

A search can hold a position to be even that one side wins again and again; a match learns nothing
from it. Relies on the engine; `make_openings` relies on it.
"""

from __future__ import annotations

from collections.abc import Callable

from tengen.engine import Engine, Limit
from tengen.game.board import Board
from tengen.game.rule import Colour

__all__ = ["is_open_to_both", "trial_game"]

_LONGEST = 100  # moves of a game after its opening: then it is a draw
_GROWTH = 0.25  # nodes of each further game, as a share more than before: so that games differ


def is_open_to_both(
    engine: Engine, opening: Board, games: int, nodes: int, tell: Callable[[], None]
) -> bool:
    """Whether each colour has a third of the points at least, rounded down, of so many games with
    about this many nodes a move. Ends as soon as that is known. `tell` is called at every game.
    """
    needed = max(1, games // 3)
    points = dict.fromkeys(Colour, 0.0)
    for number in range(games):
        if max(points.values()) > games - needed:
            return False
        if min(points.values()) >= needed:
            return True
        tell()
        winner = trial_game(engine, opening, round(nodes * (1 + _GROWTH) ** number))
        for colour in Colour:
            points[colour] += 0.5 if winner is None else float(winner == colour)
    return min(points.values()) >= needed


def trial_game(engine: Engine, opening: Board, nodes: int) -> Colour | None:
    """Who wins if the engine plays both sides; None for a draw. A win that the search sees ends
    the game.
    """
    engine.new_game()
    board = opening.copy()
    for _ in range(_LONGEST):
        outcome = board.outcome()
        if outcome is not None:
            return outcome.winner
        played = engine.play(board, Limit(nodes=nodes))
        mate = None if played.info is None else played.info.score.relative.mate
        if mate is not None:
            return board.turn if mate > 0 else board.turn.other
        board.push(played.move)
    return None
