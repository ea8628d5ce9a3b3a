# SPDX-License-Identifier: MIT
"""How far a run has come, and whether its SPRT has decided. Pure; the runner relies on it.

Games end in another order than they begin, the short ones first. To judge them as they come would
judge by their length, and differently on each number of cores. So an SPRT looks at whole pairs in
the order of the schedule alone: its decision, and the pair it came with, depend on the games only.
"""

from __future__ import annotations

from collections.abc import Iterable

from tengen.arena.definition import Definition
from tengen.arena.elo import pair_counts
from tengen.arena.game import Game

__all__ = ["Progress", "counted"]


class Progress:
    """The games of a run as they come."""

    def __init__(self, definition: Definition, games: Iterable[Game] = ()) -> None:
        self.sprt = definition.sprt
        self.counts = [0] * 5  # of the pairs that the SPRT has looked at
        self.decision: str | None = None  # "H0", "H1"
        self.pairs = 0  # so many pairs has the SPRT looked at
        self._halves: dict[int, Game] = {}
        self._whole: dict[int, tuple[float, float]] = {}
        for game in games:
            self.add(game)

    @property
    def is_decided(self) -> bool:
        return self.decision is not None

    def add(self, game: Game) -> None:
        other = self._halves.pop(game.pair, None)
        if other is None:
            self._halves[game.pair] = game
        else:
            self._whole[game.pair] = (game.points(0), other.points(0))
            self._look()

    def _look(self) -> None:
        """Count the pairs that are next in line, to the decision."""
        if self.sprt is None:
            return
        while not self.is_decided and self.pairs in self._whole:
            scores = self._whole.pop(self.pairs)
            self.counts = [a + b for a, b in zip(self.counts, pair_counts([scores]), strict=True)]
            self.pairs += 1
            self.decision = self.sprt.decide(self.counts)


def counted(definition: Definition, games: Iterable[Game]) -> list[Game]:
    """The games that count, by number: with an SPRT those up to its decision, else all. Those that
    ended while it was being reached are kept, and left out.
    """
    ordered = sorted(games, key=lambda game: game.number)
    progress = Progress(definition, ordered)
    if not progress.is_decided:
        return ordered
    return [game for game in ordered if game.pair < progress.pairs]
