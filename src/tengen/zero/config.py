# SPDX-License-Identifier: MIT
"""The config of a run: `ZeroConfig`, read from TOML, changed by the command line, and stored with
the run, all defaults filled in. `tengen zero keys` prints the help texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.nets import MixnetSpec, NetSpec, spec_of
from tengen.train.config import LOSS_NAMES, DataSet, OptimiserConfig, check_net
from tengen.util.config import Config, choose, setting
from tengen.util.deprecation import deprecated_names
from tengen.zero.errors import BadZero

__getattr__ = deprecated_names(__name__, {"read_config": "ZeroConfig.read"})
_BILLION = 1_000_000_000
_ADAMW = OptimiserConfig(name="adamw", rate=2e-3, weight_decay=1e-2)
# Keys that may change when a run is resumed: neither the game nor the training.
RESUMABLE_KEYS = ("run.", "play.", "gate.", "release.", "learn.compile", "replay.disk", "minutes")
# Keys of version 0.1.0 and their names now; None: ignored.
_OLD_KEYS = {
    "ship": "release",
    "replay.most": "replay.max_window",
    "play.patience": "play.timeout",
    "learn.losses.strain": "learn.losses.bound_penalty",
    "gate.candidates": "",
}


@dataclass(frozen=True, slots=True)
class PlayConfig(Config):
    """How self-play is divided into tasks."""

    workers: int = setting(1, min=0, max=256, help="processes that play; 0: play in this process")
    thread: bool = setting(False, help="with 0 workers: play in a thread beside training")
    rows: int = setting(32_768, min=1, max=10_000_000, help="positions per task")
    timeout: float = setting(
        300.0, min=1, max=86_400, help="seconds until a silent worker is replaced"
    )


@dataclass(frozen=True, slots=True)
class ReplayConfig(Config):
    """The replay window. After N positions it holds the newest
    W = start * (1 + growth * ((N / start) ^ power - 1) / power), at most `max_window`.
    """

    start: int = setting(100_000, min=1, max=_BILLION, help="min positions before the first step")
    growth: float = setting(0.4, min=0, max=1, help="initial growth of the window relative to N")
    power: float = setting(0.75, min=0.01, max=1, help="below 1: the window grows slower than N")
    max_window: int = setting(6_000_000, min=1, max=_BILLION, help="positions, in device memory")
    disk: int = setting(0, min=0, max=_BILLION * 1000, help="max positions kept on disk; 0: all")

    def validate(self) -> None:
        if self.max_window < self.start:
            raise BadZero(f"{self.max_window} is less than start ({self.start})", "max_window")

    def window(self, positions: int) -> int:
        """Size of the window after N `positions`."""
        if positions <= self.start:
            return positions
        grown = ((positions / self.start) ** self.power - 1.0) / self.power
        return min(positions, self.max_window, int(self.start * (1.0 + self.growth * grown)))


@dataclass(frozen=True, slots=True)
class LearnConfig(Config):
    """How a net is trained on the window."""

    batch: int = setting(4096, min=1, max=1_000_000, help="samples per step")
    ratio: float = setting(
        3.0, min=0.001, max=1000, help="replay ratio: samples of the window per new position"
    )
    sets: tuple[DataSet, ...] = setting(
        (), help="data sets mixed into each batch, such as human games (`path`, `weight`)"
    )
    human_share: float = setting(
        0.25, min=0.001, max=0.999, help="share of each batch that comes from `sets`, if any"
    )
    ahead: float = setting(4.0, min=1, max=1e6, help="max tasks by which self-play leads training")
    precision: str = setting("bf16", choices=("fp32", "bf16"), help="of the forward pass on a GPU")
    compile: bool = setting(False, help="use torch.compile; starting takes a minute longer")
    ema: float = setting(0.999, min=0, max=0.999999, help="decay of the averaged weights")
    warmup: int = setting(200, min=0, max=_BILLION, help="steps of linear warm-up of the rate")
    end: float = setting(0.03, min=0, max=1, help="final share of the rate (cosine schedule)")
    optimiser: OptimiserConfig = setting(_ADAMW)
    losses: dict[str, float] = setting(
        factory=lambda: {"value": 1.0, "policy": 1.0},
        min=0,
        max=1e6,
        help=f"weights of the losses: {', '.join(LOSS_NAMES)}",
    )

    def validate(self) -> None:
        for name in self.losses:
            choose("losses", name, LOSS_NAMES)
        if not any(self.losses.values()):
            raise BadZero("all weights are 0", "losses")
        if self.sets and not 0 < self.dataset_samples < self.batch:
            problem = f"leaves no room for both kinds of samples in batches of {self.batch}"
            raise BadZero(problem, "human_share")

    @property
    def dataset_samples(self) -> int:
        """Samples of each batch that come from `sets`."""
        return round(self.human_share * self.batch) if self.sets else 0


@dataclass(frozen=True, slots=True)
class GateConfig(Config):
    """The match that a candidate must win before it plays for the run."""

    minutes: float = setting(
        1.0, min=0.0, max=1e6, help="gate interval: minutes between the starts of two matches"
    )
    games: int = setting(256, min=0, max=100_000, help="two per opening; 0: accept every candidate")
    score: float = setting(0.5, min=0, max=1, help="share of the points that accepts a candidate")
    playouts: int = setting(32, min=1, max=10_000, help="per move, with the search of self-play")


@dataclass(frozen=True, slots=True)
class StartConfig(Config):
    """Where the first net comes from; empty: random weights."""

    net: str = setting("", help="start with the weights of this run folder or `net.pt`")
    sets: tuple[DataSet, ...] = setting((), help="data sets to train on first (`path`, `weight`)")
    steps: int = setting(2000, min=1, max=_BILLION, help="training steps on data sets")

    def validate(self) -> None:
        if self.net and self.sets:
            raise BadZero("net and sets are both set: use one of them")


@dataclass(frozen=True, slots=True)
class ZeroRunConfig(Config):
    """What is written during a run."""

    log: float = setting(10.0, min=0, max=1e6, help="log interval in seconds")
    checkpoint: float = setting(60.0, min=0, max=1e6, help="checkpoint interval in seconds")
    keep: int = setting(2, min=1, max=1000, help="checkpoints to keep")
    tensorboard: bool = setting(True, help="also write for TensorBoard, if it is installed")


@dataclass(frozen=True, slots=True)
class ReleaseConfig(Config):
    """The Mixnet trained on a run's games with its newest generation as teacher, and its match."""

    # Keys of the match, and keys of training that this table or the run determines.
    MATCH_KEYS: ClassVar = ("games", "time", "nodes", "against", "openings")
    TRAIN_KEYS: ClassVar = {
        "net": "size",
        "samples": "samples",
        "steps": "samples",
        "start": "start",
        "quantise": "quantise",
    }

    size: str = setting("m", choices=("s", "m", "l"), help="of the Mixnet")
    samples: int = setting(28_000_000, min=1, max=_BILLION * 1000, help="samples of each training")
    minutes: float = setting(0.0, min=0, max=1e6, help="of training, if not by `samples`")
    share: float = setting(0.5, min=0, max=1, help="share of the teacher's labels in the loss")
    quantise: float = setting(0.12, min=0, max=1, help="quantised share of the training run")
    positions: int = setting(0, min=0, max=_BILLION * 1000, help="newest ones to use; 0: all")
    data: tuple[DataSet, ...] = setting((), help="more data sets (`path`, `weight`)")
    start: str = setting("", help="initial weights: training, release, file, or bundled net")
    games: int = setting(200, min=0, max=1_000_000, help="two per opening; 0: no match, no release")
    time: float = setting(0.1, min=0.001, max=86_400, help="seconds per move of the match")
    nodes: int = setting(0, min=0, max=_BILLION * 1000, help="per move; 0: use `time`")
    against: str = setting("classical", help="opponent, as for `tengen match`")
    openings: str = setting("balanced", help="of the match, as for `tengen match`")
    train: dict[str, Any] = setting(factory=dict, help="other keys of training: `optimiser.rate`")

    def validate(self) -> None:
        if self.games % 2:
            raise BadZero(f"{self.games} is odd: every opening is played twice", "games")
        for name, key in self.TRAIN_KEYS.items():
            if name in self.train:
                raise BadZero(f"use release.{key} instead", f"train.{name}")


@dataclass(frozen=True, slots=True)
class ZeroConfig(Config):
    """A run."""

    ERROR: ClassVar = BadZero
    RENAMED: ClassVar[Mapping[str, str]] = _OLD_KEYS

    rule: str = setting(
        "freestyle",
        convert=lambda text: str(Rule.parse(text)),
        help="of the games: freestyle, standard, renju, caro or caro6",
    )
    size: int = setting(15, min=MIN_SIZE, max=MAX_SIZE, help="board size")
    net: Any = setting("resnet-6b128f", help="name of a net, or a table with its `kind` and spec")
    colours: bool = setting(False, help="one net per colour, for renju")
    minutes: float = setting(30.0, min=0.001, max=1e7, help="time budget of the run on the device")
    seed: int = setting(1, min=0, max=2**31 - 1, help="of initial weights, samples and games")
    selfplay: dict[str, Any] = setting(factory=dict, help="keys of docs/selfplay.md")
    play: PlayConfig = setting(PlayConfig())
    replay: ReplayConfig = setting(ReplayConfig())
    learn: LearnConfig = setting(factory=LearnConfig)
    gate: GateConfig = setting(GateConfig())
    start: StartConfig = setting(StartConfig())
    run: ZeroRunConfig = setting(ZeroRunConfig())
    release: ReleaseConfig = setting(factory=ReleaseConfig)

    def validate(self) -> None:
        check_net(self.net, self.size)
        if self.learn.losses.get("bound_penalty") and not isinstance(self.spec, MixnetSpec):
            raise BadZero(f"{self.spec.name} is not a Mixnet", "learn.losses.bound_penalty")
        for name, value in (("rule", self.rule), ("size", self.size)):
            if self.selfplay.get(name, value) != value:
                raise BadZero(f"{self.selfplay[name]!r:.40} is not {value!r}", f"selfplay.{name}")

    @property
    def spec(self) -> NetSpec:
        """Of the net, or of both."""
        return spec_of(self.net)

    @property
    def game(self) -> str:
        """Rule and board, for messages."""
        return f"{self.rule} {self.size}x{self.size}"

    @property
    def net_names(self) -> tuple[str, ...]:
        """Names of the nets: one per colour, or one for both."""
        return ("black", "white") if self.colours else ("net",)

    @property
    def selfplay_settings(self) -> dict[str, Any]:
        """The settings of self-play without the seed, which depends on the worker."""
        return {**self.selfplay, "rule": self.rule, "size": self.size}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> ZeroConfig:
        """Reads configs of version 0.1.0 as well: there `gate.playouts = 0` was a match without
        search; it now means the default. Raises BadZero.
        """
        gate = table.get("gate") if isinstance(table, Mapping) else None
        if isinstance(gate, Mapping) and gate.get("playouts") == 0:
            table = {**table, "gate": {k: v for k, v in gate.items() if k != "playouts"}}
        return super(ZeroConfig, cls).from_dict(table)
