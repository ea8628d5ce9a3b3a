# SPDX-License-Identifier: MIT
"""What is learned, and how: `ZeroConfig`, the whole of a run in one frozen value. It is read from
TOML, with single keys changed by the command line, and stored with the run, all defaults filled in.
Relies on the tables and configs of training; everything else here relies on it.

The sentence of each key is its documentation: `tengen zero keys` has it from here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.game.errors import BadNotation
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.nets import MixnetSpec, NetSpec, spec_of
from tengen.train.config import LOSS_NAMES, DataSet, OptimiserConfig, check_net, set_keys
from tengen.train.errors import BadTraining
from tengen.train.tables import (
    choice,
    differing_keys,
    in_range,
    key,
    keys,
    means,
    read_table,
    write_table,
)
from tengen.zero.errors import BadZero
from tengen.zero.ship_config import ShipConfig

__all__ = [
    "FREE_KEYS",
    "GateConfig",
    "LearnConfig",
    "PlayConfig",
    "ReplayConfig",
    "RunConfig",
    "ShipConfig",
    "StartConfig",
    "ZeroConfig",
    "config_keys",
    "read_config",
]

_BILLION = 1_000_000_000
# Keys that a run may have otherwise when it goes on; what it is and how it learns stay.
FREE_KEYS = ("run.", "play.", "gate.", "ship.", "learn.compile", "replay.disk", "minutes")


@dataclass(frozen=True, slots=True)
class PlayConfig:
    """How self-play is divided into tasks."""

    workers: int = key(1, "processes that play; 0: games and learning take turns in one process")
    thread: bool = key(
        False, "with 0 workers: a thread of this process plays beside learning, not in turns"
    )
    rows: int = key(32_768, "positions of a task: what is checked, kept and counted at once")
    patience: float = key(300.0, "seconds without a sign of life after which a worker is replaced")

    def __post_init__(self) -> None:
        in_range("play.workers", self.workers, 0, 256)
        in_range("play.rows", self.rows, 1, 10_000_000)
        in_range("play.patience", self.patience, 1, 86_400)


@dataclass(frozen=True, slots=True)
class ReplayConfig:
    """Which of the newest positions are learned from. With N of them so far, those of the window:
    W = start * (1 + growth * ((N / start) ^ power - 1) / power), and no more than `most`.
    """

    start: int = key(100_000, "positions before the first step of learning: the first window")
    growth: float = key(0.4, "how fast the window grows at first, as a share of N's growth")
    power: float = key(0.75, "below 1 the window grows ever more slowly than N; 1: in proportion")
    most: int = key(6_000_000, "positions of the window at most; they lie in the device's memory")
    disk: int = key(0, "positions kept on disk at least (never fewer than the window); 0: all")

    def __post_init__(self) -> None:
        in_range("replay.start", self.start, 1, _BILLION)
        in_range("replay.growth", self.growth, 0, 1)
        in_range("replay.power", self.power, 0.01, 1)
        in_range("replay.most", self.most, self.start, _BILLION)
        in_range("replay.disk", self.disk, 0, _BILLION * 1000)

    def window(self, positions: int) -> int:
        """Positions of the window after so many in all."""
        if positions <= self.start:
            return positions
        grown = ((positions / self.start) ** self.power - 1.0) / self.power
        return min(positions, self.most, int(self.start * (1.0 + self.growth * grown)))


@dataclass(frozen=True, slots=True)
class LearnConfig:
    """How a net learns from the window."""

    batch: int = key(4096, "samples of a step")
    ratio: float = key(3.0, "samples that are learned from for each new position")
    ahead: float = key(
        4.0, "tasks' worth of positions by which self-play may be ahead of learning before it waits"
    )
    precision: str = key("bf16", "of the forward pass: `fp32`, or `bf16`; on a CPU always fp32")
    compile: bool = key(False, "run the net through torch.compile: a minute slower to start")
    ema: float = key(0.999, "decay of the averaged weights, which play and are the result")
    warmup: int = key(200, "steps in which the rate grows from nothing to the highest")
    end: float = key(0.03, "the rate at the end of the plan, as a share of the highest; a cosine")
    optimiser: OptimiserConfig = field(
        default_factory=lambda: OptimiserConfig(name="adamw", rate=2e-3, weight_decay=1e-2)
    )
    losses: dict[str, float] = field(
        default_factory=lambda: {"value": 1.0, "policy": 1.0},
        metadata=means(f"what is minimised, each with its weight: {', '.join(LOSS_NAMES)}"),
    )

    def __post_init__(self) -> None:
        in_range("learn.batch", self.batch, 1, 1_000_000)
        in_range("learn.ratio", self.ratio, 0.001, 1000)
        in_range("learn.ahead", self.ahead, 1, 1e6)
        choice("learn.precision", self.precision, ("fp32", "bf16"))
        in_range("learn.ema", self.ema, 0, 0.999999)
        in_range("learn.warmup", self.warmup, 0, _BILLION)
        in_range("learn.end", self.end, 0, 1)
        for name, weight in self.losses.items():
            choice("loss", name, LOSS_NAMES)
            in_range(f"learn.losses.{name}", weight, 0, 1e6)
        if not any(self.losses.values()):
            raise BadTraining("nothing to minimise: all losses have the weight 0")


@dataclass(frozen=True, slots=True)
class GateConfig:
    """The match that a net must win before it plays for the run."""

    minutes: float = key(
        1.0, "of the device from the beginning of a match to that of the next; 0: no break"
    )
    games: int = key(256, "of a match, two for each opening; 0: every candidate is accepted")
    score: float = key(0.5, "share of the points that lets a candidate in")
    playouts: int = key(
        0, "of each move of a match, with the search of self-play; 0: no search, one ply deep"
    )
    candidates: int = key(8, "moves that are looked at one ply deep for each move of a match")

    def __post_init__(self) -> None:
        in_range("gate.minutes", self.minutes, 0.0, 1e6)
        in_range("gate.games", self.games, 0, 100_000)
        in_range("gate.score", self.score, 0, 1)
        in_range("gate.playouts", self.playouts, 0, 10_000)
        in_range("gate.candidates", self.candidates, 1, 64)


@dataclass(frozen=True, slots=True)
class StartConfig:
    """Where the first net comes from; empty: random weights."""

    net: str = key("", "begin with the weights of this run folder or `net.pt`")
    sets: tuple[DataSet, ...] = key(
        (), "learn from these data sets first, `[[start.sets]]` with `path` and `weight`"
    )
    steps: int = key(2000, "of that learning")

    def __post_init__(self) -> None:
        in_range("start.steps", self.steps, 1, _BILLION)
        if self.net and self.sets:
            raise BadTraining("start.net and start.sets are both given: use one of them")


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What is written while it runs."""

    log: float = key(10.0, "seconds between two lines of the log")
    checkpoint: float = key(60.0, "seconds between two checkpoints; before each match there is one")
    keep: int = key(2, "checkpoints that are kept")
    tensorboard: bool = key(True, "also write for TensorBoard, where it is installed")

    def __post_init__(self) -> None:
        in_range("run.log", self.log, 0, 1e6)
        in_range("run.checkpoint", self.checkpoint, 0, 1e6)
        in_range("run.keep", self.keep, 1, 1000)


@dataclass(frozen=True, slots=True)
class ZeroConfig:
    """A run."""

    rule: str = key("freestyle", "of the games: freestyle, standard, renju, caro or caro6")
    size: int = key(15, "lines of the board")
    net: Any = field(
        default="resnet-6b128f",
        metadata=means("what learns, by name, or a table with `kind` and the fields of its spec"),
    )
    colours: bool = key(False, "one net for black and one for white, as renju may want it")
    minutes: float = key(30.0, "of the device for the whole plan; the learning rate follows it")
    seed: int = key(1, "of the first weights, the samples and the games")
    selfplay: dict[str, Any] = field(
        default_factory=dict,
        metadata=means(
            "how games are played: the keys of docs/selfplay.md, rule, size and seed left out"
        ),
    )
    play: PlayConfig = field(default_factory=PlayConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    learn: LearnConfig = field(default_factory=LearnConfig)
    gate: GateConfig = field(default_factory=GateConfig)
    start: StartConfig = field(default_factory=StartConfig)
    run: RunConfig = field(default_factory=RunConfig)
    ship: ShipConfig = field(default_factory=ShipConfig)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "rule", str(Rule.parse(self.rule)))
        except BadNotation as error:
            raise BadTraining(str(error)) from None
        check_net(self.net)
        if self.learn.losses.get("bound_penalty") and not isinstance(self.spec, MixnetSpec):
            raise BadTraining(
                f"learn.losses.bound_penalty is of a Mixnet: {self.spec.name} is none"
            )
        in_range("size", self.size, MIN_SIZE, MAX_SIZE)
        in_range("minutes", self.minutes, 0.001, 1e7)
        in_range("seed", self.seed, 0, 2**31 - 1)
        for name, value in (("rule", self.rule), ("size", self.size)):
            if self.selfplay.get(name, value) != value:
                words = f"selfplay.{name} is {self.selfplay[name]!r:.40}, but {name} is {value!r}"
                raise BadTraining(f"{words}: leave selfplay.{name} out")

    @property
    def spec(self) -> NetSpec:
        """Of the net, or of both."""
        return spec_of(self.net)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the nets."""
        return ("black", "white") if self.colours else ("net",)

    @property
    def settings(self) -> dict[str, Any]:
        """What self-play is told; the seed is added for each worker."""
        return {**self.selfplay, "rule": self.rule, "size": self.size}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> ZeroConfig:
        """From the tables of a file. Raises BadZero."""
        try:
            return read_table(cls, table)
        except BadTraining as error:
            raise BadZero(str(error)) from None

    def to_dict(self) -> dict[str, Any]:
        """All keys, as `from_dict` takes them."""
        return write_table(self)

    def changed(self, changes: Iterable[str]) -> ZeroConfig:
        """This config with keys changed, as `minutes=60`. Raises BadZero."""
        try:
            return ZeroConfig.from_dict(set_keys(self.to_dict(), changes))
        except BadTraining as error:
            raise BadZero(str(error)) from None

    def differences(self, other: ZeroConfig) -> list[str]:
        """Keys that another config has otherwise, those of `FREE_KEYS` left out."""
        both = differing_keys(self.to_dict(), other.to_dict())
        return [name for name in both if not name.startswith(FREE_KEYS)]


def config_keys() -> list[tuple[str, str, Any]]:
    """(dotted key, its meaning, its default value) of all keys."""
    return list(keys(ZeroConfig))


def read_config(path: Path, changes: Iterable[str] = ()) -> ZeroConfig:
    """The config of a TOML file with keys changed, as `learn.batch=512`. Raises BadZero."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadZero(f"there is no config {path}") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or a huge number
        raise BadZero(f"{path}: {error}") from None
    try:
        return ZeroConfig.from_dict(set_keys(table, changes))
    except (BadTraining, BadZero) as error:
        raise BadZero(f"{path}: {error}") from None
