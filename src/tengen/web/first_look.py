# SPDX-License-Identifier: MIT
"""The first look at a position: how likely the policy of an engine takes each point to be the best,
as a page shows it. Relies on the engine.
"""

from __future__ import annotations

from tengen.engine import Engine
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.web import tells

__all__ = ["first_look"]

_POINTS = 24
_LEAST = 0.004  # what would be told as 0%


def first_look(engine: Engine, board: Board) -> list[tells.Heat]:
    """The likely points, the likeliest first; none if the engine cannot tell. Takes milliseconds,
    once its net is there.
    """
    try:
        found = engine.policy(board)
    except TengenError:  # the search that follows meets it again, and tells it
        return []
    likely = [(move.name, share) for move, share in found.items() if share >= _LEAST]
    return [tells.Heat(point=name, share=round(share, 4)) for name, share in likely[:_POINTS]]
