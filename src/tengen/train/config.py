# SPDX-License-Identifier: MIT
"""What is trained, on what, and how: `TrainConfig`, the whole of a run in one frozen value. It is
read from TOML, with single keys changed by the command line, and stored with the run, all defaults
filled in. Relies on `tables` and the names of nets; everything else here relies on it.

The sentence of each key is its documentation: `tengen train --keys` and docs/training.md have it
from here.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.nets import NETS, BadSpec, MixnetSpec, NetSpec, spec_of
from tengen.train.errors import BadTraining
from tengen.train.tables import (
    choice,
    differing_keys,
    in_range,
    key,
    keys,
    means,
    near,
    read_table,
    write_table,
)

__all__ = [
    "FREE_KEYS",
    "LOSS_NAMES",
    "DataConfig",
    "DataSet",
    "DistillationConfig",
    "OptimiserConfig",
    "RunConfig",
    "ScheduleConfig",
    "TrainConfig",
    "check_net",
    "config_keys",
    "read_config",
    "set_keys",
]

_BILLION = 1_000_000_000
_REINIT_MIN_BATCH = 512  # positions of a batch that can tell whether a unit says something
_LENGTHS = ("steps", "samples")  # keys that say how long a run is; one of them
_OLD_KEYS = {"revive": "reinit_dead_units", "strain": "bound_penalty"}  # until 0.1.0
_DEFAULT_LOSSES = {"value": 1.0, "policy": 1.0}
# Those of `losses.LOSSES`, here so that a config can be checked without torch.
LOSS_NAMES = ("value", "policy", "scalar", "binary", "bound_penalty")
# Keys that a resumed run may have otherwise than it began: they change no batch and no weight.
FREE_KEYS = ("run.", "data.feed", "data.workers", "compile")


@dataclass(frozen=True, slots=True)
class DataSet:
    """One of several data sets."""

    path: str = key("", "folder of the data set, with its `manifest.json`")
    weight: float = key(1.0, "its share of each batch, relative to the other sets")

    def __post_init__(self) -> None:
        if not self.path:
            raise BadTraining("a data set of data.sets has no path")
        in_range(f"the weight of {self.path}", self.weight, 1e-6, 1e6)


@dataclass(frozen=True, slots=True)
class DataConfig:
    """What it is trained on."""

    path: str = key("", "folder of the data set; for several use `data.sets`")
    sets: tuple[DataSet, ...] = key(
        (), "several data sets, `[[data.sets]]` with `path` and `weight`, mixed in each batch"
    )
    colour: str = key(
        "",
        "`black` or `white`: only positions where that side is to move, for one net a colour, as"
        " renju wants it; nothing: all",
    )
    any_rule: bool = key(
        False, "sets may be of other rules than the first one, whose rule is that of the run"
    )
    symmetries: bool = key(True, "turn and mirror each sample by one of the eight symmetries")
    feed: str = key(
        "auto",
        "`resident`: all data in the device's memory; `stream`: read by threads; `auto`: resident"
        " where the data take less than a quarter of a GPU's free memory, or 1 GiB without one",
    )
    workers: int = key(2, "threads that read ahead, of `stream`")

    def __post_init__(self) -> None:
        choice("data.colour", self.colour, ("", "black", "white"))
        choice("data.feed", self.feed, ("auto", "resident", "stream"))
        in_range("data.workers", self.workers, 0, 64)
        if self.path and self.sets:
            raise BadTraining("data.path and data.sets are both given: use one of them")

    @property
    def all_sets(self) -> tuple[DataSet, ...]:
        return self.sets or ((DataSet(self.path),) if self.path else ())


@dataclass(frozen=True, slots=True)
class OptimiserConfig:
    """How the weights are moved."""

    name: str = key("adam", "`adam`: L2 in the loss, as the paper has it; `adamw`: decoupled decay")
    rate: float = key(1e-3, "the highest learning rate; `schedule` scales it")
    beta1: float = key(0.9, "decay of Adam's mean of the gradients")
    beta2: float = key(0.999, "decay of Adam's mean of their squares")
    epsilon: float = key(1e-8, "added to Adam's divisor")
    weight_decay: float = key(
        1e-5,
        "`adam`: the paper's lambda, by which the sum of all squared weights is part of the loss;"
        " `adamw`: what each weight loses of itself in a step, times the rate",
    )
    clip: float = key(1.0, "gradients longer than this are shortened to it; 0: never")

    def __post_init__(self) -> None:
        choice("optimiser.name", self.name, ("adam", "adamw"))
        in_range("optimiser.rate", self.rate, 1e-9, 10)
        in_range("optimiser.beta1", self.beta1, 0, 0.99999)
        in_range("optimiser.beta2", self.beta2, 0, 0.999999)
        in_range("optimiser.epsilon", self.epsilon, 1e-16, 1)
        in_range("optimiser.weight_decay", self.weight_decay, 0, 10)
        in_range("optimiser.clip", self.clip, 0, math.inf)


@dataclass(frozen=True, slots=True)
class ScheduleConfig:
    """How the learning rate changes."""

    name: str = key(
        "cosine", "after the warm-up: `cosine` down to `end`, `step` by `factor`, or `constant`"
    )
    warmup: int = key(500, "steps in which the rate grows from nothing to the highest")
    end: float = key(0.01, "of `cosine`: the last rate, as a share of the highest")
    milestones: tuple[float, ...] = key(
        (0.6, 0.85), "of `step`: where the rate falls, as shares of the whole run"
    )
    factor: float = key(0.1, "of `step`: what the rate is multiplied by at each milestone")

    def __post_init__(self) -> None:
        choice("schedule.name", self.name, ("cosine", "step", "constant"))
        in_range("schedule.warmup", self.warmup, 0, _BILLION)
        in_range("schedule.end", self.end, 0, 1)
        in_range("schedule.factor", self.factor, 0, 1)
        for share in self.milestones:
            in_range("a milestone of schedule.milestones", share, 0, 1)


@dataclass(frozen=True, slots=True)
class DistillationConfig:
    """A teacher whose outputs are labels (paper A.2)."""

    teacher: str = key("", "the teacher's net by name, or `pilot`; empty: no distillation")
    checkpoint: str = key(
        "",
        "the teacher's weights: a run folder, a `net.pt`, a `.net` file, or a net of the package by"
        " name; of `pilot` a safetensors",
    )
    share: float = key(0.75, "of the loss that the teacher's labels have; the true ones the rest")
    precompute: bool = key(
        False, "label all data once, before the first step; needs `data.feed` resident"
    )

    def __post_init__(self) -> None:
        in_range("distillation.share", self.share, 0, 1)
        if self.teacher and not self.checkpoint:
            raise BadTraining(
                "which weights has the teacher? Give distillation.checkpoint, as in"
                " --set distillation.checkpoint=runs/teacher"
            )
        if self.checkpoint and not self.teacher:
            raise BadTraining("distillation.checkpoint is given without distillation.teacher")
        if self.precompute and not self.teacher:
            raise BadTraining("distillation.precompute needs distillation.teacher")


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What is written while it runs."""

    log: int = key(100, "steps between two lines of the log")
    validate: int = key(2000, "steps between two validations; the last step is always validated")
    validation_samples: int = key(200_000, "positions of a validation at most; 0: all there are")
    checkpoint: int = key(1000, "steps between two checkpoints; the last step always has one")
    keep: int = key(3, "checkpoints that are kept")
    tensorboard: bool = key(True, "also write for TensorBoard, where it is installed")

    def __post_init__(self) -> None:
        for name in ("log", "validate", "checkpoint", "keep"):
            in_range(f"run.{name}", getattr(self, name), 1, _BILLION)
        in_range("run.validation_samples", self.validation_samples, 0, _BILLION)


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """A run."""

    net: Any = field(
        default="mixnet-s",
        metadata=means(
            "what is trained, by name: `mixnet-s`, `mixnet-m-no-star`, `resnet-6b128f`; or a table"
            " with `kind` and the fields of such a net's spec"
        ),
    )
    data: DataConfig = field(default_factory=DataConfig)
    batch: int = key(1024, "samples of a step")
    steps: int = key(0, "of the whole run; or give `samples`")
    samples: int = key(0, "of the whole run, instead of `steps`; rounded up to whole batches")
    seed: int = key(1, "of first and new weights, the order of the data, and the symmetries")
    start: str = key(
        "",
        (
            "begin with this net, not with random weights: a run folder, a `net.pt`, a `.net` file,"
            " or a net of the package by name; a Mixnet may begin with a smaller one"
        ),
    )
    precision: str = key(
        "bf16", "of the forward pass: `fp32`, or `bf16` by autocast; on a CPU always fp32"
    )
    compile: bool = key(False, "run the net through torch.compile: a minute slower to start")
    ema: float = key(0.999, "decay of the averaged weights, which are the result; 0: no average")
    quantise: float = key(
        0.0,
        "share of the run, at its end, in which a Mixnet is trained rounded as its file will be",
    )
    reinit_dead_units: int = key(
        0,
        "steps between two looks for units of a Mixnet that say the same of every position of a"
        " batch, which are made anew; in the first half of the run, if batches have 512 or more; 0:"
        " never",
    )
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
    losses: dict[str, float] = field(
        default_factory=lambda: dict(_DEFAULT_LOSSES),
        metadata=means(f"what is minimised, each with its weight: {', '.join(LOSS_NAMES)}"),
    )
    distillation: DistillationConfig = field(default_factory=DistillationConfig)
    run: RunConfig = field(default_factory=RunConfig)

    def __post_init__(self) -> None:
        check_net(self.net)
        in_range("batch", self.batch, 1, 1_000_000)
        in_range("steps", self.steps, 0, _BILLION)
        in_range("samples", self.samples, 0, _BILLION * 1000)
        in_range("seed", self.seed, 0, 2**31 - 1)
        choice("precision", self.precision, ("fp32", "bf16"))
        in_range("ema", self.ema, 0, 0.999999)
        in_range("quantise", self.quantise, 0, 1)
        in_range("reinit_dead_units", self.reinit_dead_units, 0, _BILLION)
        self._check_mixnet_keys()
        for name, weight in self.losses.items():
            choice("loss", name, LOSS_NAMES)
            in_range(f"losses.{name}", weight, 0, 1e6)
        if not any(self.losses.values()):
            raise BadTraining("nothing to minimise: all losses have the weight 0")
        if (self.steps == 0) == (self.samples == 0):
            raise BadTraining("how long? Give one of steps and samples")
        if self.distillation.precompute and self.data.feed == "stream":
            raise BadTraining("distillation.precompute needs data.feed resident, not stream")

    def _check_mixnet_keys(self) -> None:
        if isinstance(self.spec, MixnetSpec):
            return
        for name, value in (
            ("quantise", self.quantise),
            ("reinit_dead_units", self.reinit_dead_units),
        ):
            if value:
                raise BadTraining(
                    f"{name} is {value:g}, but {self.spec.name} is no Mixnet, and only a Mixnet can"
                    f" be trained so: leave it at 0"
                )
        if self.losses.get("bound_penalty"):
            raise BadTraining(f"losses.bound_penalty is of a Mixnet: {self.spec.name} is none")

    @property
    def spec(self) -> NetSpec:
        """What is trained."""
        return spec_of(self.net)

    @property
    def total_steps(self) -> int:
        return self.steps or -(-self.samples // self.batch)

    @property
    def quantised_from(self) -> int:
        """Steps done before the first one in which the net is trained as it will be rounded."""
        return round((1.0 - self.quantise) * self.total_steps)

    def reinits_at(self, step: int) -> bool:
        """Whether units that say nothing are looked for before the step after `step`."""
        if not self.reinit_dead_units or self.batch < _REINIT_MIN_BATCH:
            return False
        return step % self.reinit_dead_units == 0 and step < min(
            self.total_steps // 2, self.quantised_from
        )

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> TrainConfig:
        """From the tables of a file; accepts the names of 0.1.0. Raises BadTraining."""
        renamed = {_OLD_KEYS.get(name, name): value for name, value in table.items()}
        if isinstance(losses := renamed.get("losses"), Mapping):
            renamed["losses"] = {_OLD_KEYS.get(name, name): value for name, value in losses.items()}
        return read_table(cls, renamed)

    def to_dict(self) -> dict[str, Any]:
        """All keys, as `from_dict` takes them."""
        return write_table(self)

    def differences(self, other: TrainConfig) -> list[str]:
        """Keys that another config has otherwise, those of `FREE_KEYS` left out."""
        both = differing_keys(self.to_dict(), other.to_dict())
        return [name for name in both if not name.startswith(FREE_KEYS)]


def check_net(net: Any) -> None:
    """That a config names a net: by its name, or by a table. Raises BadTraining."""
    if not isinstance(net, str | Mapping):
        raise BadTraining(f"net is a name or a table, not {net!r:.60}")
    if isinstance(net, str) and (base := net.split("-no-")[0]) not in NETS:
        raise BadTraining(f"no net {net!r}: {near(base, NETS)}")
    try:
        spec_of(net)
    except BadSpec as error:
        raise BadTraining(f"net: {error}") from None


def config_keys() -> list[tuple[str, str, Any]]:
    """(dotted key, its meaning, its default value) of all keys."""
    return list(keys(TrainConfig))


def read_config(path: Path, changes: Iterable[str] = ()) -> TrainConfig:
    """The config of a TOML file with keys changed, see `set_keys`; `steps` among them stands
    instead of the `samples` of the file, and the other way round. Raises BadTraining.
    """
    changes = list(changes)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadTraining(f"there is no config {path}") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or a huge number
        raise BadTraining(f"{path}: {error}") from None
    try:
        return TrainConfig.from_dict(_one_length(set_keys(table, changes), changes))
    except BadTraining as error:
        raise BadTraining(f"{path}: {error}") from None


def _one_length(table: dict[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """A table that was changed, without the length of the run that the changes replace."""
    changed = {change.partition("=")[0].strip() for change in changes}
    given = [name for name in _LENGTHS if name in changed and table[name] != 0]
    if len(given) > 1:
        raise BadTraining("steps and samples are both set: set one of them")
    replaced = set(_LENGTHS).difference(given) if given else ()
    return {name: value for name, value in table.items() if name not in replaced}


def set_keys(table: Mapping[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """A table with keys changed, each as `optimiser.rate=0.002`: the dotted key, and the value as
    TOML has it, where a text needs no quotes. Raises BadTraining.
    """
    result = _copy(table)
    for change in changes:
        name, equals, text = change.partition("=")
        parts = name.strip().split(".")
        if not equals or not all(parts):
            raise BadTraining(f"no change {change!r}: use key=value, as in optimiser.rate=0.002")
        inner = result
        for part in parts[:-1]:
            inner = inner.setdefault(part, {})
            if not isinstance(inner, dict):
                raise BadTraining(f"{name}: {part} is no table")
        inner[parts[-1]] = _toml_value(text.strip())
    return result


def _copy(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _copy(value) if isinstance(value, Mapping) else value for name, value in table.items()
    }


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:  # no TOML, or a number of thousands of digits
        return text
