# SPDX-License-Identifier: MIT
"""How a run's result becomes a net that ships: `ShipConfig`, the table `[ship]` of a config. Every
key has its sentence here. Relies on the tables of training; the config of a run holds it, shipping
follows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tengen.train.config import DataSet
from tengen.train.errors import BadTraining
from tengen.train.tables import choice, in_range, key, means

__all__ = ["MATCH_KEYS", "ShipConfig"]

_BILLION = 1_000_000_000
# Keys of the match alone: another match needs no other net.
MATCH_KEYS = ("games", "time", "nodes", "against", "openings")
# Keys of training that are told here, or follow from the run.
_TOLD = ("net", "samples", "steps", "start", "quantise")


@dataclass(frozen=True, slots=True)
class ShipConfig:
    """The Mixnet that learns from the run's games and its newest generation, and its match."""

    size: str = key("m", "of the Mixnet: s, m or l")
    samples: int = key(28_000_000, "that each net learns from")
    minutes: float = key(0.0, "of learning, all nets together, instead of `samples`; 0: by samples")
    share: float = key(0.5, "of the loss that the newest generation's labels have")
    quantise: float = key(0.12, "share of the learning, at its end, that is rounded as the file is")
    positions: int = key(0, "newest ones of the replay that are learned from; 0: all on disk")
    data: tuple[DataSet, ...] = key(
        (), "further data sets, `[[ship.data]]` with `path` and `weight`; the replay has weight 1"
    )
    start: str = key(
        "",
        "begin with this Mixnet: a training's folder, a `net.pt`, an earlier shipping, a `.net`"
        " file, or a net of the package by name",
    )
    games: int = key(200, "of the match, two for each opening; 0: no match, and nothing ships")
    time: float = key(0.1, "seconds for a move of the match")
    nodes: int = key(0, "of a move of the match, instead of seconds; 0: by time")
    against: str = key("classical", "the opponent, as for `tengen match`")
    openings: str = key("balanced", "of the match, as for `tengen match`")
    train: dict[str, Any] = field(
        default_factory=dict,
        metadata=means(
            "other keys of docs/training.md, as `train.batch` or `train.optimiser.rate`"
        ),
    )

    def __post_init__(self) -> None:
        choice("ship.size", self.size, ("s", "m", "l"))
        in_range("ship.samples", self.samples, 1, _BILLION * 1000)
        in_range("ship.minutes", self.minutes, 0, 1e6)
        in_range("ship.share", self.share, 0, 1)
        in_range("ship.quantise", self.quantise, 0, 1)
        in_range("ship.positions", self.positions, 0, _BILLION * 1000)
        in_range("ship.games", self.games, 0, 1_000_000)
        in_range("ship.time", self.time, 0.001, 86_400)
        in_range("ship.nodes", self.nodes, 0, _BILLION * 1000)
        if self.games % 2:
            words = "openings are played twice, use an even number"
            raise BadTraining(f"ship.games is {self.games}: {words}")
        for name in _TOLD:
            if name in self.train:
                told = "ship.size" if name == "net" else f"ship.{name}"
                told = "ship.samples" if name == "steps" else told
                raise BadTraining(f"ship.train.{name} is told by {told}: leave it out")
