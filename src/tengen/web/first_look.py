# SPDX-License-Identifier: MIT
"""The first look at a position: the points that the policy of the evaluation would try first.

The engine gives their order, not their probabilities; the shares fall with the place in it. One
small engine for the whole process, made when it is first needed.
"""

from __future__ import annotations

import threading
from functools import cache

from tengen.engine import Engine, Limit
from tengen.game.board import Board
from tengen.web import tells

__all__ = ["first_look"]

_POINTS = 16
_FALL = 0.82  # of the share from one place to the next

_lock = threading.Lock()


@cache
def _engine() -> Engine:
    return Engine("policy", memory=4)


def first_look(board: Board) -> list[tells.Heat]:
    """The points to try first, the most promising first. Takes far less than a millisecond."""
    with _lock:
        lines = list(_engine().analyse(board, Limit(nodes=1), multipv=_POINTS))
    points = {line.multipv: line.pv[0].name for line in lines if line.pv}
    return [
        tells.Heat(point=points[place], share=round(_FALL ** (place - 1), 3))
        for place in sorted(points)
    ]
