# SPDX-License-Identifier: MIT
"""`TrainConfig`: what to train, on what data, and how. It is read from TOML, with single keys
changed on the command line, and stored with the run, all defaults filled in.

The help of each key is its documentation: `tengen train --keys` and docs/training.md show it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from tengen.nets import BadSpec, MixnetSpec, NetSpec, spec_of
from tengen.train.errors import BadTraining
from tengen.util.config import Config, choose, read_toml, setting
from tengen.util.errors import BadConfig

_BILLION = 1_000_000_000
_ROUNDING = 1e-9  # of a number of steps that is computed in floats
_REINIT_MIN_BATCH = 512  # positions; smaller batches do not show whether a unit is dead
_LENGTHS = ("steps", "samples", "epochs")  # keys for the length of a run; one of them is given
# The keys of `losses.LOSSES`, here so that configs are checked without torch.
LOSS_NAMES = ("value", "policy", "scalar", "binary", "bound_penalty")
# Keys that may change when a run is resumed: they change no batch and no weight.
RESUMABLE_KEYS = ("run.", "data.feed", "data.workers", "compile")
# Names until 0.1.0, of keys and of losses.
_OLD_KEYS = {"revive": "reinit_dead_units", "run.validate": "run.validate_every"}
_OLD_LOSSES = {"strain": "bound_penalty"}


def read_losses(table: Any) -> dict[str, float]:
    """Weights of losses by name; accepts the names of 0.1.0. Raises BadConfig."""
    if not isinstance(table, Mapping):
        raise BadConfig(f"use a table, not {table!r:.60}")
    losses: dict[str, float] = {}
    for name, weight in table.items():
        name = choose("", _OLD_LOSSES.get(str(name), str(name)), LOSS_NAMES)
        if (
            isinstance(weight, bool)
            or not isinstance(weight, int | float)
            or not 0 <= weight <= 1e6
        ):
            raise BadConfig(f"use a number from 0 to 1e+06, not {weight!r:.60}", name)
        losses[name] = float(weight)
    if not any(losses.values()):
        raise BadConfig("nothing to minimise: all losses have the weight 0")
    return losses


class _TrainPart(Config):
    ERROR: ClassVar[type[BadConfig]] = BadTraining


@dataclass(frozen=True, slots=True)
class DataSet(_TrainPart):
    """One of several data sets."""

    path: str = setting("", help="folder of the data set, with its `manifest.json`")
    weight: float = setting(
        1.0, min=1e-6, max=1e6, help="its share of each batch, relative to the other sets"
    )

    def validate(self) -> None:
        if not self.path:
            raise BadTraining("a data set of data.sets has no path")


@dataclass(frozen=True, slots=True)
class DataConfig(_TrainPart):
    """The training data."""

    path: str = setting("", help="folder of the data set; for several use `data.sets`")
    sets: tuple[DataSet, ...] = setting(
        (), help="several data sets, `[[data.sets]]` with `path` and `weight`, mixed in each batch"
    )
    colour: str = setting(
        "",
        choices=("", "black", "white"),
        help="`black` or `white`: only positions with that side to move, for one net per colour as"
        " in renju; empty: all",
    )
    split: str = setting(
        "",
        choices=("", "game", "position"),
        help="what is held out for validation: `game`, whole games (the sets need the column"
        " `game`), or `position`, single positions, whose games are trained on; empty: as the sets"
        " say",
    )
    validation_share: float = setting(
        0.0, min=0, max=0.9, help="share of them that is held out; 0: as the sets say"
    )
    any_rule: bool = setting(
        False, help="sets may have other rules than the first one, whose rule is that of the run"
    )
    symmetries: bool = setting(True, help="transform each sample by one of the eight symmetries")
    feed: str = setting(
        "auto",
        choices=("auto", "resident", "stream"),
        help="`resident`: all data in the memory of the device; `stream`: read by threads; `auto`:"
        " resident if the data take less than a quarter of a GPU's free memory, or 1 GiB on a CPU",
    )
    workers: int = setting(2, min=0, max=64, help="threads that read ahead, for `stream`")

    def validate(self) -> None:
        if self.path and self.sets:
            raise BadTraining("data.path and data.sets are both given: use one of them")

    @property
    def all_sets(self) -> tuple[DataSet, ...]:
        return self.sets or ((DataSet(self.path),) if self.path else ())


@dataclass(frozen=True, slots=True)
class OptimiserConfig(_TrainPart):
    """The optimiser."""

    name: str = setting(
        "adam",
        choices=("adam", "adamw", "sgd"),
        help="`adam` and `sgd`: L2 penalty in the loss, as in the papers; `adamw`: decoupled weight"
        " decay",
    )
    rate: float = setting(1e-3, min=1e-9, max=10, help="maximum learning rate, see `schedule`")
    momentum: float = setting(
        0.9, min=0, max=0.99999, help="for `sgd`: decay of the sum of the gradients"
    )
    nesterov: bool = setting(False, help="for `sgd`: Nesterov's form of the momentum")
    beta1: float = setting(0.9, min=0, max=0.99999, help="decay of Adam's mean of the gradients")
    beta2: float = setting(0.999, min=0, max=0.999999, help="decay of Adam's mean of the squares")
    epsilon: float = setting(1e-8, min=1e-16, max=1, help="added to Adam's divisor")
    weight_decay: float = setting(
        1e-5,
        min=0,
        max=10,
        help="`adam` and `sgd`: the papers' lambda, the weight of the sum of all squared weights in"
        " the loss; `adamw`: the decay of a weight per step, times the rate",
    )
    clip: float = setting(1.0, min=0, help="maximum norm of the gradient; 0: no clipping")

    def validate(self) -> None:
        if self.nesterov and not (self.name == "sgd" and self.momentum):
            raise BadTraining("needs sgd with a momentum above 0", "nesterov")


@dataclass(frozen=True, slots=True)
class ScheduleConfig(_TrainPart):
    """The learning rate schedule."""

    name: str = setting(
        "cosine",
        choices=("cosine", "step", "constant"),
        help="after the warm-up: `cosine` down to `end`, `step` by `factor`, or `constant`",
    )
    warmup: int = setting(
        500, min=0, max=_BILLION, help="steps in which the rate rises from 0 to the maximum"
    )
    end: float = setting(
        0.01, min=0, max=1, help="for `cosine`: the last rate, as a share of the maximum"
    )
    milestones: tuple[float, ...] = setting(
        (0.6, 0.85), min=0, max=1, help="for `step`: when the rate drops, as shares of the run"
    )
    factor: float = setting(
        0.1, min=0, max=1, help="for `step`: factor of the rate at each milestone"
    )

    def lr_factor(self, step: int, total: int) -> float:
        """Learning rate of step `step` (from 0) of `total`, as a share of the maximum."""
        if step < self.warmup:
            return (step + 1) / (self.warmup + 1)
        if self.name == "constant":
            return 1.0
        if self.name == "step":
            passed = sum(step >= share * total for share in self.milestones)
            return float(self.factor**passed)
        progress = (step - self.warmup) / max(1, total - 1 - self.warmup)
        cosine = (1.0 + math.cos(math.pi * min(1.0, progress))) / 2.0
        return self.end + (1.0 - self.end) * cosine


@dataclass(frozen=True, slots=True)
class DistillationConfig(_TrainPart):
    """A teacher whose outputs are labels (paper A.2)."""

    teacher: str = setting("", help="the teacher's net by name; empty: no distillation")
    checkpoint: str = setting(
        "",
        help="the teacher's weights: a run folder, a `net.pt`, a `.net` file, or a"
        " bundled net by name",
    )
    share: float = setting(
        0.75, min=0, max=1, help="share of the teacher's labels in the loss; the data have the rest"
    )
    precompute: bool = setting(
        False, help="label all data once, before the first step; needs `data.feed` resident"
    )

    def validate(self) -> None:
        if self.teacher and not self.checkpoint:
            example = "--set distillation.checkpoint=runs/teacher"
            raise BadTraining(f"the teacher has no weights: give {example}")
        if not self.teacher and (self.checkpoint or self.precompute):
            raise BadTraining("distillation.checkpoint and .precompute need distillation.teacher")


@dataclass(frozen=True, slots=True)
class TrainRunConfig(_TrainPart):
    """What is written during a run."""

    log: int = setting(100, min=1, max=_BILLION, help="steps between two rows of the log")
    validate_every: int = setting(
        2000, min=1, max=_BILLION, help="steps between two validations; the last step has one too"
    )
    validation_samples: int = setting(
        200_000, min=0, max=_BILLION, help="maximum positions of a validation; 0: all"
    )
    checkpoint: int = setting(
        1000, min=1, max=_BILLION, help="steps between two checkpoints; the last step has one too"
    )
    keep: int = setting(3, min=1, max=_BILLION, help="number of checkpoints to keep")
    tensorboard: bool = setting(True, help="write TensorBoard files too, if it is installed")


@dataclass(frozen=True, slots=True)
class TrainConfig(_TrainPart):
    """A training run."""

    RENAMED: ClassVar[Mapping[str, str]] = _OLD_KEYS

    net: Any = setting(
        "mixnet-s",
        help="the net by name: `mixnet-s`, `mixnet-m-no-star`, `resnet-6b128f`; or a table with"
        " `kind` and the fields of its spec",
    )
    data: DataConfig = setting(DataConfig())
    batch: int = setting(1024, min=1, max=1_000_000, help="samples per step")
    steps: int = setting(
        0, min=0, max=_BILLION, help="of the whole run; or give `samples` or `epochs`"
    )
    samples: int = setting(
        0, min=0, max=_BILLION * 1000, help="of the whole run, instead of `steps`; rounded up"
    )
    epochs: float = setting(
        0.0,
        min=0,
        max=1e6,
        help="passes over the training positions, instead of `steps`; rounded up, and fixed when"
        " the run starts",
    )
    seed: int = setting(
        1, min=0, max=2**31 - 1, help="of new weights, the order of the data, and the symmetries"
    )
    start: str = setting(
        "",
        help="initial weights instead of random ones: a run folder, a `net.pt`, a `.net` file, or a"
        " bundled net by name; a Mixnet may start from a smaller one",
    )
    precision: str = setting(
        "bf16",
        choices=("fp32", "bf16"),
        help="of the forward pass: `fp32`, or `bf16` by autocast; on a CPU always fp32",
    )
    compile: bool = setting(False, help="use torch.compile: starts a minute later")
    ema: float = setting(
        0.999, min=0, max=0.999999, help="decay of the averaged weights, the result; 0: no average"
    )
    quantise: float = setting(
        0.0,
        min=0,
        max=1,
        help="share of the run, at its end, in which a Mixnet is trained with rounded weights",
    )
    reinit_dead_units: int = setting(
        0,
        min=0,
        max=_BILLION,
        help="steps between two searches for units of a Mixnet that are constant over a batch,"
        " which are reinitialised; in the first half of the run, for batches of 512 or more; 0:"
        " never",
    )
    optimiser: OptimiserConfig = setting(OptimiserConfig())
    schedule: ScheduleConfig = setting(ScheduleConfig())
    losses: dict[str, float] = setting(
        factory=lambda: {"value": 1.0, "policy": 1.0},
        convert=read_losses,
        help=f"what is minimised, each with its weight: {', '.join(LOSS_NAMES)}",
    )
    distillation: DistillationConfig = setting(DistillationConfig())
    run: TrainRunConfig = setting(TrainRunConfig())

    def validate(self) -> None:
        check_net(self.net)
        if not isinstance(self.spec, MixnetSpec):
            used = [name for name in ("quantise", "reinit_dead_units") if getattr(self, name)]
            used += ["losses.bound_penalty"] if self.losses.get("bound_penalty") else []
            if used:
                raise BadTraining(f"{self.spec.name} is not a Mixnet: leave it out", used[0])
        if sum(getattr(self, name) != 0 for name in _LENGTHS) != 1:
            raise BadTraining("give the length of the run: one of steps, samples and epochs")
        if self.distillation.precompute and self.data.feed == "stream":
            raise BadTraining("distillation.precompute needs data.feed resident, not stream")

    @property
    def spec(self) -> NetSpec:
        """The net."""
        return spec_of(self.net)

    @property
    def total_steps(self) -> int:
        """Of a config with `steps` or `samples`; see `with_steps`."""
        if self.epochs:
            raise BadTraining("not known in steps before the data are read", "epochs")
        return self.steps or -(-self.samples // self.batch)

    def with_steps(self, positions: int) -> TrainConfig:
        """The config of a run on so many training positions: `epochs` become `steps`."""
        if not self.epochs:
            return self
        steps = math.ceil(self.epochs * positions / self.batch - _ROUNDING)
        return replace(self, epochs=0.0, steps=max(1, steps))

    @property
    def quantised_from(self) -> int:
        """Number of steps before the quantised ones."""
        return round((1.0 - self.quantise) * self.total_steps)

    def reinits_at(self, step: int) -> bool:
        """Whether dead units are reinitialised after `step` steps."""
        if not self.reinit_dead_units or self.batch < _REINIT_MIN_BATCH:
            return False
        end = min(self.total_steps // 2, self.quantised_from)
        return step % self.reinit_dead_units == 0 and step < end


def check_net(net: Any, size: int | None = None) -> None:
    """Check that a config names a net, by name or by a table, that evaluates boards, of this size
    if it is given. Raises BadTraining.
    """
    try:
        spec_of(net).check_playable(size)
    except BadSpec as error:
        raise BadTraining(error.problem, f"net.{error.key}" if error.key else "net") from None


def read_config(path: Path, changes: Iterable[str] = ()) -> TrainConfig:
    """The config of a TOML file with keys changed, as `optimiser.rate=0.002`. A changed length
    (`steps`, `samples` or `epochs`) replaces that of the file. Raises BadTraining.
    """
    changes = list(changes)
    try:
        table = TrainConfig.with_changes(read_toml(path), changes)
        changed = {change.partition("=")[0].strip() for change in changes}
        given = [name for name in _LENGTHS if name in changed and table[name] != 0]
        if len(given) > 1:
            raise BadTraining(f"{' and '.join(given)} are both set: set one of them")
        replaced = set(_LENGTHS).difference(given) if given else ()
        kept = {name: value for name, value in table.items() if name not in replaced}
        return TrainConfig.from_dict(kept)
    except BadConfig as error:
        raise BadTraining(f"{path}: {error}") from None
