# SPDX-License-Identifier: MIT
"""The training loop: a run from its folder, begun or resumed, to its end or until it is stopped.
Relies on everything else here; the command line relies on it.

    from tengen.train import TrainConfig, train
    result = train(TrainConfig.from_dict({...}), Path("runs/mine"), device="cuda")
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import torch

from tengen.nets.weights import BadWeights, read_weights
from tengen.train.checkpoint import Checkpoint, drop_old, latest, write_checkpoint
from tengen.train.config import TrainConfig
from tengen.train.errors import BadRun, BadTraining, TrainingFailed, writing
from tengen.train.folder import RunFolder, locked, read_rows
from tengen.train.log import Log, Meanwhile, View, default_view, tell
from tengen.train.metrics import METRICS, Sums, measure
from tengen.train.report import write_report
from tengen.train.state import State
from tengen.train.validation import validate

__all__ = ["Result", "find_device", "train"]

_SEEN = ("policy_top1", "value_accuracy", "win_mse")  # of training, besides the losses
_SEEN_EVERY = 8  # steps between two looks at them: they cost more than they tell


@dataclass(frozen=True)
class Result:
    """How far a run came."""

    folder: Path
    step: int  # steps done, over all sessions
    total: int  # steps of the whole run
    seconds: float  # of training, over all sessions
    validation: dict[str, dict[str, float]]  # the last one, see `validate`
    broken_off: bool = False  # the validation after the last step, which is left

    @property
    def is_done(self) -> bool:
        return self.step >= self.total and not self.broken_off


def train(
    config: TrainConfig | None,
    path: Path,
    *,
    device: str = "",
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    view: Callable[[int, int], View] = default_view,
) -> Result:
    """Run a config in a folder, to its end or until `stop` says so; then a checkpoint is written.

    With `resume` the folder's run goes on, from its newest good checkpoint; `config` may then be
    left out, or differ in the free keys. Without a `device` a GPU is used if there is one. Raises
    BadTraining, BadRun, BadData, BadWeights, TrainingBusy, TrainingFailed, OSError.
    """
    where = find_device(device)
    if config is None and not (resume and RunFolder.has_run(path)):  # before a folder is made
        raise BadRun(f"{path} has no run to go on with")
    with locked(path):
        known = resume and RunFolder.has_run(path)
        if known:
            folder = RunFolder.read(path)
            folder = folder if config is None else folder.resumed_with(config)
            found = latest(folder.checkpoints, folder.run, tell)
            state = State(folder.config, where, found, ships=folder.ships)
        else:
            assert config is not None
            if RunFolder.has_run(path):  # before the data are read
                raise BadRun(
                    f"{path} has a run already: go on with --resume, or use another folder"
                )
            state, found = State(config, where, None), None
            folder = RunFolder.create(path, config, state.about())
        try:
            return _Session(folder, state, found, view).run(stop)
        finally:
            state.close()


def find_device(name: str) -> torch.device:
    """Raises BadTraining for a device that this machine has not."""
    if not re.fullmatch("|cpu|cuda(:(0|[1-9][0-9]{0,2}))?", name):
        raise BadTraining(f"no device {name!r}: use cpu, cuda, or cuda:1 for the second GPU")
    kind, _, number = name.partition(":")
    if kind == "cuda" and not torch.cuda.is_available():
        raise BadTraining("torch finds no GPU here: use the cpu, or a torch that is built for CUDA")
    if number and int(number) >= torch.cuda.device_count():
        raise BadTraining(f"no device {name!r}: torch finds {torch.cuda.device_count()} GPUs here")
    return torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))


def _is_validated(folder: RunFolder, step: int) -> bool:
    rows = read_rows(folder.metrics)
    return any(row.get("event") == "validate" and row.get("step") == step for row in rows)


def _is_of(path: Path, step: int) -> bool:
    """Whether a `net.pt` is there and holds the net of a step."""
    try:
        return read_weights(path).about.get("step") == step
    except BadWeights:
        return False


class _Session:
    """A run while it runs."""

    def __init__(
        self,
        folder: RunFolder,
        state: State,
        found: Checkpoint | None,
        view: Callable[[int, int], View],
    ) -> None:
        self._folder = folder
        self._config = folder.config
        self._state = state
        self._before = found.seconds if found else 0.0
        self._start = monotonic()
        self._sums = Sums()
        self._saved_at = state.step if found else -1
        self._seen_at = self._saved_at if found and _is_validated(folder, state.step) else -1
        # Another one, if a kill came between a checkpoint and its net.
        self._net_at = self._saved_at if _is_of(folder.net, self._saved_at) else -1
        self._validation: dict[str, dict[str, float]] = {}
        self._log = Log(folder, view(state.step, self._config.total_steps))
        if found:
            self._log.add({"event": "resume", "step": found.step})
            self._log.view.show(f"goes on from the checkpoint of step {found.step:,}")
        else:
            self._log.add({"event": "resume", "step": 0})

    def run(self, stop: Callable[[], bool]) -> Result:
        config, state = self._config, self._state
        self._log.view.show(state.words())
        try:
            ready = state.step >= config.total_steps or state.prepare(stop)
            while ready and state.step < config.total_steps and not stop():
                self._step()
                if state.step % config.run.log == 0:
                    self._write_row()
                if state.step >= config.total_steps:
                    break
                if state.step % config.run.validate == 0:
                    self._validate(stop)
                if state.step % config.run.checkpoint == 0:
                    self._save()
            broken_off = state.step >= config.total_steps and not self._validate(stop)
            self._save()
            write_report(self._folder)
        finally:
            self._log.close()
        total = config.total_steps
        where, seconds = self._folder.path, self._seconds()
        return Result(where, state.step, total, seconds, self._validation, broken_off)

    def _step(self) -> None:
        state = self._state
        outputs, sample, found = state.learn()
        if reinitialised := state.read_reinitialised():
            self._log_reinitialised(reinitialised)
        self._sums.add(found)
        if state.step % _SEEN_EVERY == 0:
            with torch.no_grad():
                self._sums.add(measure(_SEEN, outputs, sample, sample.labels))
        self._log.view.advance(state.step)
        if state.device.type == "cpu":  # elsewhere looking would wait for the device
            self._check()

    def _log_reinitialised(self, reinitialised: dict[str, int]) -> None:
        self._log.add(
            {"event": "reinit_dead_units", "step": self._state.step, "units": reinitialised}
        )
        parts = ", ".join(f"{count} of {name}" for name, count in reinitialised.items())
        self._log.view.show(f"units that said nothing were made anew: {parts}")

    def _check(self) -> None:
        """That all was a number so far. Raises TrainingFailed."""
        if not self._state.is_sound():
            last = (
                f"the last checkpoint is of step {self._saved_at:,}"
                if self._saved_at >= 0
                else ("there is no checkpoint yet")
            )
            raise TrainingFailed(
                f"the loss or a gradient is no number any more, near step {self._state.step:,}:"
                f" begin again with a lower optimiser.rate, a longer schedule.warmup or a smaller"
                f" optimiser.clip; {last}"
            )

    def _write_row(self) -> None:
        self._check()
        state = self._state
        row: dict[str, Any] = {
            "event": "train",
            "step": state.step,
            "samples": state.step * self._config.batch,
            "seconds": round(self._seconds(), 2),
            "rate": state.rate,
            **state.read_speed(),
            **{name: round(value, 6) for name, value in self._sums.means().items()},
            "gradient": round(state.read_gradient(), 4),
        }
        self._sums.clear()
        self._log.add(row)

    def _validate(self, stop: Callable[[], bool]) -> bool:
        """False: broken off, as `stop` said; what was known before stays."""
        state = self._state
        if not len(state.kept.board):
            return True
        self._check()
        go_on = Meanwhile("validation: {:.0%} is done", stop, self._log.view.show)
        found = validate(state, tuple(METRICS), go_on)
        state.speed.skip()
        if found is None:
            return False
        self._validation = found
        if self._seen_at == state.step:  # a run that was done already has its rows
            return True
        self._seen_at = state.step
        self._net_at = -1  # it tells its validation
        for kind, means in self._validation.items():
            rounded = {name: round(value, 6) for name, value in means.items()}
            self._log.add({"event": "validate", "step": state.step, "weights": kind, **rounded})
        write_report(self._folder)
        return True

    def _save(self) -> None:
        """A checkpoint, and the net as it is now."""
        self._check()
        state = self._state
        if self._saved_at != state.step:
            self._saved_at = state.step
            folder, snapshot = self._folder, state.snapshot(self._folder.run, self._seconds())
            written = write_checkpoint(folder.checkpoints, snapshot)
            drop_old(folder.checkpoints, self._config.run.keep, written)
        if self._net_at != state.step:
            self._net_at = state.step
            with writing(self._folder.net):
                state.write_net(self._folder.net, self._folder.run, self._seen_at, self._validation)
        state.speed.skip()

    def _seconds(self) -> float:
        return self._before + monotonic() - self._start
