# SPDX-License-Identifier: MIT
"""The learner: the net, or one for each colour, with average, optimiser and replay window; one step
of learning; its state as a checkpoint and back. Relies on the parts of `tengen.train`; the loop
relies on it.

A net for one colour learns from the positions where that colour is to move. A step is one batch for
each net.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import torch
import torch._dynamo
from torch import Tensor, nn

from tengen.data import Batch
from tengen.data.rows import present
from tengen.nets.table import make_net, spec_of
from tengen.nets.weights import NetWeights
from tengen.train.checkpoint import Checkpoint
from tengen.train.config import ScheduleConfig
from tengen.train.ema import Average
from tengen.train.errors import BadCheckpoint, TrainingFailed
from tengen.train.metrics import Sums, measure
from tengen.train.objective import Objective
from tengen.train.schedule import rate_share
from tengen.train.state import make_optimiser, on_cpu, placed
from tengen.train.unpack import Unpacker
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.window import Window

__all__ = ["Learner", "check_weights"]

_SEEN = ("policy_top1", "win_mse")  # told besides the losses
_SEEN_EVERY = 8  # steps between two looks at them
_FINE = 1_000_000  # parts of the plan for the schedule, which counts whole steps
_COMPILER_ERRORS = (torch._dynamo.exc.TorchDynamoException, ImportError)


class Learner:
    """All that learns. `step` counts steps over all sessions."""

    def __init__(self, config: ZeroConfig, device: torch.device) -> None:
        self.config = config
        self.device = device
        self.step = 0
        torch.manual_seed(config.seed)
        if device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.benchmark = True
        self.pupils = {name: _Pupil(config, device) for name in config.players}
        self.sums = Sums()

    # --- learning ---

    @property
    def samples(self) -> int:
        """Learned from so far, by all nets together."""
        return self.step * self.config.learn.batch * len(self.pupils)

    @property
    def step_samples(self) -> int:
        return self.config.learn.batch * len(self.pupils)

    @property
    def ready(self) -> bool:
        """Whether every net has something to learn from."""
        return all(pupil.window.held for pupil in self.pupils.values())

    def add(self, rows: Batch) -> None:
        """Put new rows into the windows."""
        if not self.config.colours:
            self.pupils["net"].window.add(rows)
            return
        assert rows.to_move is not None
        for number, pupil in enumerate(self.pupils.values(), 1):
            mine = np.flatnonzero(rows.to_move == number)
            pupil.window.add(Batch(**{name: c[mine] for name, c in present(rows).items()}))

    def learn(self, positions: int, way: float) -> None:
        """One step, after so many positions in all, at `way` (0 to 1) of the whole plan."""
        newest = -(-self.config.replay.window(positions) // len(self.pupils))
        rate = self.rate(way)
        for number, pupil in enumerate(self.pupils.values()):
            seed = ((self.config.seed * 2 + number) << 32) + self.step
            self.sums.add(pupil.learn(newest, rate, seed, seen=self.step % _SEEN_EVERY == 0))
        self.step += 1

    def rate(self, way: float) -> float:
        """The learning rate of the next step."""
        learn = self.config.learn
        warm = min(1.0, (self.step + 1) / (learn.warmup + 1))
        cosine = ScheduleConfig(name="cosine", warmup=0, end=learn.end)
        place = int(min(1.0, max(0.0, way)) * (_FINE - 1))
        return learn.optimiser.rate * warm * rate_share(cosine, place, _FINE)

    def check(self) -> None:
        """That all was a number so far. Waits for the device. Raises TrainingFailed."""
        if not all(bool(pupil.sound) for pupil in self.pupils.values()):
            raise TrainingFailed(
                f"the loss or a gradient is no number any more, near step {self.step:,}: begin"
                " again with a lower learn.optimiser.rate or a longer learn.warmup; the"
                " checkpoints and the games are safe"
            )

    def read_sums(self) -> dict[str, float]:
        """Means of the losses since the last reading."""
        found = {name: round(value, 6) for name, value in self.sums.means().items()}
        self.sums.clear()
        return found

    # --- the state, in and out ---

    def start_from(self, nets: Mapping[str, NetWeights]) -> None:
        """Begin with these weights. Raises BadZero if they are of another net."""
        for name, pupil in self.pupils.items():
            check_weights(self.config, nets[name])
            pupil.start_from(nets[name].make().state_dict())

    def result(self, about: Mapping[str, Any]) -> dict[str, NetWeights]:
        """The averaged nets as they are now, on the CPU; the candidates."""
        spec = self.config.spec.to_dict()
        return {
            name: NetWeights(spec, pupil.averaged(), {**about, "plays": name, "step": self.step})
            for name, pupil in self.pupils.items()
        }

    def snapshot(self, run: str, seconds: float) -> Checkpoint:
        """All of it, on the CPU."""
        weights: dict[str, Tensor] = {}
        average: dict[str, Tensor] = {}
        for name, pupil in self.pupils.items():
            weights |= {f"{name}/{key}": v for key, v in on_cpu(pupil.net.state_dict()).items()}
            average |= {f"{name}/{key}": v for key, v in on_cpu(pupil.average.state()).items()}
        return Checkpoint(
            run=run,
            step=self.step,
            seconds=seconds,
            config=self.config.to_dict(),
            weights=weights,
            average=average,
            updates=next(iter(self.pupils.values())).average.updates,
            optimiser={n: on_cpu(p.optimiser.state_dict()) for n, p in self.pupils.items()},
            random={},
        )

    def restore(self, found: Checkpoint) -> None:
        """Raises BadCheckpoint if it is of other nets."""
        try:
            for name, pupil in self.pupils.items():
                pupil.net.load_state_dict(_under(name, found.weights))
                pupil.average.load(_under(name, found.average), found.updates)
                pupil.optimiser.load_state_dict(found.optimiser[name])
        except (RuntimeError, KeyError, ValueError) as error:
            words = f"the checkpoint of step {found.step:,} does not fit this net"
            raise BadCheckpoint(f"{words}: {error!s:.200}") from None
        self.step = found.step


class _Pupil:
    """One net and what belongs to it."""

    def __init__(self, config: ZeroConfig, device: torch.device) -> None:
        self._learn = config.learn
        self._device = device
        self.net = placed(make_net(config.spec), device)
        self.average = Average(self.net, config.learn.ema)
        self.optimiser = make_optimiser(config.learn.optimiser, self.net, device)
        most = config.replay.most
        self.window = Window(-(-most // len(config.players)), device)
        self.sound = torch.ones((), dtype=torch.bool, device=device)
        self._unpack = Unpacker(config.size, device)
        self._objective = Objective(config.learn.losses, 0.0)
        self._chance = torch.Generator(device)
        self._compiled: Callable[..., dict[str, Tensor]] | None = None
        if config.learn.compile:
            self._compiled = torch.compile(self.net, dynamic=False)

    def learn(
        self, newest: int, rate: float, seed: int, *, seen: bool
    ) -> dict[str, tuple[Tensor, Tensor]]:
        """One step on a batch of the newest rows; sums and counts of the losses."""
        learn = self._learn
        self._chance.manual_seed(seed)
        rows = self.window.draw(learn.batch, newest, self._chance)
        turned = torch.randint(0, 8, (learn.batch,), generator=self._chance, device=self._device)
        sample = self._unpack(rows, turned)
        outputs = self._forward(sample.planes)
        total, found = self._objective(outputs, sample, None)
        total.backward()  # type: ignore[no-untyped-call]
        most = learn.optimiser.clip or float("inf")
        length = nn.utils.clip_grad_norm_(self.net.parameters(), most).detach()
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.net.clamp_()
        self.average.update()
        self.sound &= torch.isfinite(total.detach()) & torch.isfinite(length)
        if seen:
            with torch.no_grad():
                found |= measure(_SEEN, outputs, sample, sample.labels)
        return found

    def _forward(self, planes: Tensor) -> dict[str, Tensor]:
        short = self._learn.precision == "bf16" and self._device.type != "cpu"
        with torch.autocast(self._device.type, torch.bfloat16, enabled=short):
            if self._compiled is not None:
                try:
                    return self._compiled(planes)
                except _COMPILER_ERRORS:
                    self._compiled = None  # a machine without a compiler learns without
            return cast("dict[str, Tensor]", self.net(planes))

    def start_from(self, weights: dict[str, Tensor]) -> None:
        self.net.load_state_dict(weights)
        self.average = Average(self.net, self._learn.ema)

    def averaged(self) -> dict[str, Tensor]:
        found = self.average.state()
        return {name: on_cpu(found[name]) for name in self.net.state_dict()}


def check_weights(config: ZeroConfig, weights: NetWeights) -> None:
    """That weights are of a run's net. Raises BadZero."""
    if spec_of(weights.spec) != config.spec:
        words = f"the weights to start with are of {weights.name}"
        raise BadZero(f"{words}, not of {config.spec.name}: name others, or that net")


def _under(name: str, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The values of one net, by their own names."""
    start = f"{name}/"
    return {key[len(start) :]: v for key, v in values.items() if key.startswith(start)}
