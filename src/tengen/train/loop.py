# SPDX-License-Identifier: MIT
"""The training loop: starts or resumes a run and trains to its end or until it is stopped.

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
from tengen.train.errors import RESUME, BadRun, BadTraining, TrainingFailed
from tengen.train.log import StopCheck, TrainLog, print_message
from tengen.train.losses import METRICS, Sums, measure
from tengen.train.train_folder import TrainFolder, check_writable, read_metrics
from tengen.train.train_report import write_report
from tengen.train.train_state import TrainState
from tengen.train.validation import validate
from tengen.util.files import explain_write_errors, locked

_METRICS = ("policy_top1", "value_accuracy", "win_mse")  # of training, besides the losses
_METRICS_EVERY = 8  # steps: they are expensive


@dataclass(frozen=True)
class TrainResult:
    """The state of a run when `train` returns."""

    folder: Path
    step: int  # steps done, over all sessions
    total: int  # steps of the whole run
    seconds: float  # of training, over all sessions
    validation: dict[str, dict[str, float]]  # the last one: means by kind, see `validate`
    validation_missing: bool = False  # the last validation was stopped

    @property
    def is_done(self) -> bool:
        return self.step >= self.total and not self.validation_missing


def train(
    config: TrainConfig | None,
    path: Path,
    *,
    device: str = "",
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    line_seconds: float = 2.0,
) -> TrainResult:
    """Run a config in a folder, to its end or until `stop` returns True; then write a checkpoint.

    `resume` continues the run of the folder from its newest valid checkpoint; `config` may then be
    None, or differ in `config.RESUMABLE_KEYS`, which may change during a run.
    Without a `device` a GPU is used if there is one. `line_seconds`: time between two lines of the
    log. Raises BadTraining, BadRun, BadData, BadWeights, TrainingBusy, TrainingFailed, OSError.
    """
    used_device = find_device(device)
    if config is None and not (resume and TrainFolder.has_run(path)):  # before a folder is created
        raise BadRun(f"{path} has no run to resume")
    check_writable(path)
    with locked(path):
        if resume and TrainFolder.has_run(path):
            folder = TrainFolder.read(path)
            folder = folder if config is None else folder.resumed_with(config)
            checkpoint = latest(folder.checkpoints, folder.run, print_message)
            state = TrainState(
                folder.plan,
                used_device,
                checkpoint,
                start_is_redistributable=folder.start_is_redistributable,
            )
        else:
            assert config is not None
            TrainFolder.check_unused(path)  # before the data are read
            state, checkpoint = TrainState(config, used_device, None), None
            folder = TrainFolder.create(path, config, state.config.total_steps, state.metadata())
        try:
            with TrainLog(folder, state.step, line_seconds) as log:
                return _TrainSession(folder, state, checkpoint, log).run(stop)
        finally:
            state.close()


def find_device(name: str) -> torch.device:
    """The device of a name; empty: a GPU if there is one, else the CPU. Raises BadTraining if this
    machine does not have it.
    """
    if not re.fullmatch("|cpu|cuda(:(0|[1-9][0-9]{0,2}))?", name):
        raise BadTraining(f"no device {name!r}: use cpu, cuda, or cuda:1 for the second GPU")
    kind, _, number = name.partition(":")
    if kind == "cuda" and not torch.cuda.is_available():
        raise BadTraining("torch finds no GPU: use cpu, or a torch built for CUDA")
    if number and int(number) >= torch.cuda.device_count():
        raise BadTraining(f"no device {name!r}: torch finds {torch.cuda.device_count()} GPUs")
    return torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))


def _is_validated(folder: TrainFolder, step: int) -> bool:
    rows = read_metrics(folder.metrics)
    return any(row.get("event") == "validate" and row.get("step") == step for row in rows)


def _net_has_step(path: Path, step: int) -> bool:
    """Whether a `net.pt` exists and holds the net of a step."""
    try:
        return read_weights(path).metadata.get("step") == step
    except BadWeights:
        return False


class _TrainSession:
    """A run in this process."""

    def __init__(
        self,
        folder: TrainFolder,
        state: TrainState,
        checkpoint: Checkpoint | None,
        log: TrainLog,
    ) -> None:
        self._folder = folder
        self._config = state.config
        self._state = state
        self._previous_seconds = checkpoint.seconds if checkpoint else 0.0
        self._start = monotonic()
        self._sums = Sums()
        # Steps of the newest checkpoint, validation and net.pt; -1: none.
        self._saved_step = state.step if checkpoint else -1
        self._validated_step = (
            self._saved_step if checkpoint and _is_validated(folder, state.step) else -1
        )
        # A kill may have come between writing a checkpoint and its net.
        self._net_step = self._saved_step if _net_has_step(folder.net, self._saved_step) else -1
        self._validation: dict[str, dict[str, float]] = {}
        self._log = log
        log.add({"event": "resume", "step": checkpoint.step if checkpoint else 0})
        if checkpoint:
            log.print(f"resumes from the checkpoint of step {checkpoint.step:,}")

    def run(self, stop: Callable[[], bool]) -> TrainResult:
        config, state = self._config, self._state
        self._log.print(state.describe())
        ready = state.step >= config.total_steps or state.prepare(stop)
        while ready and state.step < config.total_steps and not stop():
            self._step()
            if state.step % config.run.log == 0:
                self._log_metrics()
            if state.step >= config.total_steps:
                break
            if state.step % config.run.validate_every == 0:
                self._validate(stop)
            if state.step % config.run.checkpoint == 0:
                self._save()
        validation_missing = state.step >= config.total_steps and not self._validate(stop)
        self._save()
        write_report(self._folder)
        total = config.total_steps
        path, seconds = self._folder.path, self._seconds()
        return TrainResult(path, state.step, total, seconds, self._validation, validation_missing)

    def _step(self) -> None:
        state = self._state
        outputs, sample, losses = state.learn()
        if reinitialised := state.read_reinitialised():
            self._log_reinitialised(reinitialised)
        self._sums.add(losses)
        if state.step % _METRICS_EVERY == 0:
            with torch.no_grad():
                self._sums.add(measure(_METRICS, outputs, sample, sample.labels))
        self._log.advance(state.step)
        if state.device.type == "cpu":  # elsewhere this would wait for the device
            self._check()

    def _log_reinitialised(self, reinitialised: dict[str, int]) -> None:
        self._log.add(
            {"event": "reinit_dead_units", "step": self._state.step, "units": reinitialised}
        )
        parts = ", ".join(f"{count} of {name}" for name, count in reinitialised.items())
        self._log.print(f"reinitialised dead units: {parts}")

    def _check(self) -> None:
        """Check that all losses and gradients were finite. Raises TrainingFailed."""
        if not self._state.is_finite():
            has_one = self._saved_step >= 0
            last = (
                f"the last checkpoint is at step {self._saved_step:,}"
                if has_one
                else "no checkpoint"
            )
            raise TrainingFailed(
                f"the loss or a gradient is not finite, near step {self._state.step:,}:"
                f" start again with a lower optimiser.rate, a longer schedule.warmup or a smaller"
                f" optimiser.clip; {last}"
            )

    def _log_metrics(self) -> None:
        self._check()
        state = self._state
        row: dict[str, Any] = {
            "event": "train",
            "step": state.step,
            "samples": state.step * self._config.batch,
            "seconds": round(self._seconds(), 2),
            "rate": state.rate,
            **state.speed.read(),
            **{name: round(value, 6) for name, value in self._sums.read().items()},
            "gradient": round(state.read_gradient_norm(), 4),
        }
        self._log.add(row)

    def _validate(self, stop: Callable[[], bool]) -> bool:
        """Returns False if it was stopped; the metrics before are kept."""
        state = self._state
        if not len(state.validation):
            return True
        self._check()
        check = StopCheck("validation: {:.0%} done", stop, self._log.print)
        result = validate(state, tuple(METRICS), check)
        state.speed.restart()
        if result is None:
            return False
        self._validation = result.means
        if state.step >= self._config.total_steps:
            with explain_write_errors(self._folder.game_metrics, RESUME):
                result.games.write(self._folder.game_metrics)
        if self._validated_step == state.step:  # logged before the run was resumed
            return True
        self._validated_step = state.step
        self._net_step = -1  # net.pt holds the validation too, so it is written again
        for kind, means in self._validation.items():
            rounded = {name: round(value, 6) for name, value in means.items()}
            row = {"weights": kind, "positions": result.positions[kind], **rounded}
            self._log.add({"event": "validate", "step": state.step, **row})
        write_report(self._folder)
        return True

    def _save(self) -> None:
        """Write a checkpoint and the net."""
        self._check()
        state = self._state
        if self._saved_step != state.step:
            self._saved_step = state.step
            folder, snapshot = self._folder, state.snapshot(self._folder.run, self._seconds())
            written = write_checkpoint(folder.checkpoints, snapshot)
            drop_old(folder.checkpoints, self._config.run.keep, written)
        if self._net_step != state.step:
            self._net_step = state.step
            with explain_write_errors(self._folder.net, RESUME):
                state.write_net(
                    self._folder.net, self._folder.run, self._validated_step, self._validation
                )
        state.speed.restart()

    def _seconds(self) -> float:
        return self._previous_seconds + monotonic() - self._start
