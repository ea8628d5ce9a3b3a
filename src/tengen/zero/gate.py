# SPDX-License-Identifier: MIT
"""The gate: a candidate plays a match against the generation that plays now, and takes its
place if it does well enough. Relies on quick matches and the arena's statistics; the loop relies on
it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tengen.arena.elo import elo_of_pairs, pair_counts
from tengen.game.rule import Rule
from tengen.nets.weights import NetWeights
from tengen.zero.config import ZeroConfig
from tengen.zero.match import Mover, Team, openings_for_pairs, play_pairs

__all__ = ["Match", "MatchMaker", "Verdict", "hold_match", "make_team", "play_match"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a match of two sets of nets went, seen by the first."""

    pairs: tuple[int, int, int, int, int]  # that gave 0, 1/2, 1, 3/2 and 2 points

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs)

    @property
    def share(self) -> float:
        """Of the points, 0 to 1; a match of no games is even."""
        points = sum(n * half for half, n in enumerate(self.pairs)) / 2
        return points / self.games if self.games else 0.5

    def row(self) -> dict[str, Any]:
        """For the journal: JSON has no infinite numbers, so those are left out."""
        elo = elo_of_pairs(self.pairs)
        numbers = {"elo": elo.elo, "low": elo.low, "high": elo.high}
        told = {name: round(v, 1) for name, v in numbers.items() if math.isfinite(v)}
        return {"pairs": list(self.pairs), "share": round(self.share, 4), **told}


# (first, second, games, seed, stop) to how it went; None if it was given up. `stop` is looked at
# between two batches: when it is true the match ends soon, and nothing of it counts.
Match = Callable[
    [Sequence[NetWeights], Sequence[NetWeights], int, int, Callable[[], bool]], Verdict | None
]
MatchMaker = Callable[[ZeroConfig, torch.device], Match]


def make_team(config: ZeroConfig, nets: Sequence[NetWeights], device: torch.device) -> Team:
    """Nets of a run as a side of a match."""
    short = config.learn.precision == "bf16"
    return Team([net.make() for net in nets], device, short, config.gate.candidates)


def play_match(
    config: ZeroConfig,
    first: Mover,
    second: Mover,
    games: int,
    seed: int,
    *,
    stop: Callable[[], bool] = lambda: False,
) -> Verdict | None:
    """A match under the rule and on the board of a run; an odd number of games is rounded up. None
    if it was stopped.
    """
    rule = Rule.parse(config.rule)
    openings = openings_for_pairs(rule, config.size, -(-games // 2), seed)
    points = play_pairs(first, second, openings, rule, config.size, stop=stop)
    return None if points is None else Verdict(pair_counts(points))


def hold_match(config: ZeroConfig, device: torch.device) -> Match:
    """Matches of nets of a run without a search."""

    def play(
        first: Sequence[NetWeights],
        second: Sequence[NetWeights],
        games: int,
        seed: int,
        stop: Callable[[], bool],
    ) -> Verdict | None:
        teams = [make_team(config, nets, device) for nets in (first, second)]
        return play_match(config, teams[0], teams[1], games, seed, stop=stop)

    return play
