# SPDX-License-Identifier: MIT
"""Who plays whom, when, with which opening: the whole schedule as a pure function of the
definition. Each two players meet in pairs of games: one opening, colours swapped.

Relies on the definition; the runner and the standings rely on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from tengen.arena.definition import Definition

__all__ = ["Pairing", "opponents", "schedule", "total_games"]


class Pairing(NamedTuple):
    """A game to be played. With swap2 `black` is who puts the first stones."""

    number: int  # from 0; 2 p and 2 p + 1 are the games of pair p
    pair: int
    black: int  # places in the list of players
    white: int
    opening: int  # place in the list of openings


def opponents(definition: Definition) -> list[tuple[int, int]]:
    """Each two players that meet, the one who comes first in the list first."""
    number = len(definition.players)
    if definition.kind == "round-robin":
        return list(combinations(range(number), 2))
    return [(0, other) for other in range(1, number)]


def total_games(definition: Definition) -> int:
    return 2 * definition.pairs * len(opponents(definition))


def schedule(definition: Definition) -> Iterator[Pairing]:
    """All games in the order of their numbers: every couple plays an opening before the next one
    comes, so that a tournament that is stopped early is balanced.
    """
    meetings = opponents(definition)
    pair = 0
    for opening in range(definition.pairs):
        for one, two in meetings:
            yield Pairing(2 * pair, pair, one, two, opening)
            yield Pairing(2 * pair + 1, pair, two, one, opening)
            pair += 1
