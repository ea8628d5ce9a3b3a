# SPDX-License-Identifier: MIT
"""Games whose end is certain before it comes: proven wins and dead draws.

A win needs a claim and a proof: the player has told it, and the arena's own solver finds it on the
board, whatever the player would have played. A draw is dead when no five points in a line are left
that one side could fill. Relies on the solver; the referee relies on it.
"""

from __future__ import annotations

from functools import cache

from tengen.game.board import Board
from tengen.game.rule import Colour
from tengen.solver import solve

__all__ = ["is_dead", "is_proven_win"]

# What a proof may cost, in moves tried: some milliseconds. A count, so that results do not depend
# on the machine.
_NODES = 20_000
_MEMORY = 16  # MiB
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def is_proven_win(board: Board) -> bool:
    """Whether the solver proves a win of the side to move, by threats alone."""
    return bool(solve(board, "vct", time=None, nodes=_NODES, memory=_MEMORY))


def is_dead(board: Board) -> bool:
    """Whether neither side can make five any more, whatever is played."""
    stones = board.stones()
    # So many windows lie side by side in the rows, and each needs a stone of either colour.
    if len(stones) < 2 * board.size * (board.size // 5):
        return False
    colours = {move.to_index(board.size): colour for move, colour in stones.items()}
    # A window that one colour alone has stones in, or none, is still alive.
    for window in _windows(board.size):
        found = {colours[place] for place in window if place in colours}
        if len(found) < len(Colour):
            return False
    return True


@cache
def _windows(size: int) -> tuple[tuple[int, ...], ...]:
    """All five points in a line, as indices."""
    found = []
    for dx, dy in _DIRECTIONS:
        for y in range(size):
            for x in range(size):
                end_x, end_y = x + 4 * dx, y + 4 * dy
                if 0 <= end_x < size and 0 <= end_y < size:
                    found.append(tuple((y + i * dy) * size + x + i * dx for i in range(5)))
    return tuple(found)
