# SPDX-License-Identifier: MIT
"""The learner: one net, or one per colour, each with EMA weights, optimiser and replay window; and
the weights a run starts from. The net of a colour learns from the positions with that colour to
move. A step is one batch for each net: samples of the window, and of data sets if the config names
some.

Data that are not redistributable, such as human games, permanently mark the run: its nets carry
`redistributable = false`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tengen.data import BadData, Batch, Manifest
from tengen.data.rows import present
from tengen.game.rule import Rule
from tengen.nets.spec import spec_of
from tengen.nets.weights import NetWeights, read_weights
from tengen.train.checkpoint import Checkpoint
from tengen.train.config import DataConfig, ScheduleConfig, TrainConfig, TrainRunConfig
from tengen.train.errors import TrainingFailed
from tengen.train.loop import train
from tengen.train.losses import NO_GROUPS, Groups, LossParts, Objective, Sums, measure
from tengen.train.net_trainer import NetTrainer, on_cpu, seed_torch
from tengen.train.unpack import Unpacker, join_packed
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.learn.data_feed import DataFeed
from tengen.zero.learn.replay import ReplayWindow
from tengen.zero.run_log import print_message
from tengen.zero.zero_folder import ZeroFolder

_METRICS = ("policy_top1", "win_mse")  # measured besides the losses
_METRIC_STEPS = 8  # steps between two measurements
_SCHEDULE_STEPS = 1_000_000  # resolution of the time budget for the schedule, which counts steps


class Learner:
    """All nets of a run. `step` counts over all sessions."""

    def __init__(self, config: ZeroConfig, device: torch.device) -> None:
        self.config = config
        self.device = device
        self.step = 0
        seed_torch(config.seed, device)
        self.trainers = {name: WindowTrainer(config, device, name) for name in config.net_names}
        self.sums = Sums()

    @property
    def samples(self) -> int:
        """Samples trained on so far, by all nets together."""
        return self.step * self.config.learn.batch * len(self.trainers)

    @property
    def selfplay_samples(self) -> int:
        """Samples of the replay windows trained on so far."""
        return self.step * self.selfplay_samples_per_step

    @property
    def selfplay_samples_per_step(self) -> int:
        learn = self.config.learn
        return (learn.batch - learn.dataset_samples) * len(self.trainers)

    @property
    def ready(self) -> bool:
        """Whether every net has positions to learn from."""
        return all(len(trainer.window) > 0 for trainer in self.trainers.values())

    def add(self, rows: Batch) -> None:
        """Add new rows to the windows."""
        if not self.config.colours:
            self.trainers["net"].window.add(rows)
            return
        assert rows.to_move is not None
        for side, trainer in enumerate(self.trainers.values(), 1):
            own = np.flatnonzero(rows.to_move == side)
            trainer.window.add(Batch(**{name: c[own] for name, c in present(rows).items()}))

    def learn(self, positions: int, progress: float) -> None:
        """One step; the run has played `positions` and is at `progress` (0 to 1) of its time."""
        window_size = -(-self.config.replay.window(positions) // len(self.trainers))
        rate = self.learning_rate(progress)
        for number, trainer in enumerate(self.trainers.values()):
            seed = ((self.config.seed * 2 + number) << 32) + self.step
            with_metrics = self.step % _METRIC_STEPS == 0
            losses = trainer.learn(self.step, window_size, rate, seed, with_metrics=with_metrics)
            self.sums.add(losses)
        self.step += 1

    def learning_rate(self, progress: float) -> float:
        """The learning rate of the next step."""
        learn = self.config.learn
        warm = min(1.0, (self.step + 1) / (learn.warmup + 1))
        cosine = ScheduleConfig(name="cosine", warmup=0, end=learn.end)
        schedule_step = int(min(1.0, max(0.0, progress)) * (_SCHEDULE_STEPS - 1))
        return learn.optimiser.rate * warm * cosine.lr_factor(schedule_step, _SCHEDULE_STEPS)

    def check_finite(self) -> None:
        """Losses and gradients were finite so far. Waits for the device. Raises TrainingFailed."""
        if not all(trainer.is_finite() for trainer in self.trainers.values()):
            problem = f"the loss or a gradient is not finite near step {self.step:,}"
            raise TrainingFailed(
                f"{problem}: reduce learn.optimiser.rate, or increase learn.warmup"
            )

    def pop_mean_losses(self) -> dict[str, float]:
        """Mean losses since the last call."""
        return {name: round(value, 6) for name, value in self.sums.read().items()}

    def load_weights(self, nets: Mapping[str, NetWeights]) -> None:
        """Start with these weights. Raises BadZero if they belong to another net."""
        for name, trainer in self.trainers.items():
            _check_weights(self.config, nets[name])
            trainer.load(nets[name].make().state_dict())

    def averaged_nets(self, metadata: Mapping[str, Any]) -> dict[str, NetWeights]:
        """Copies of the EMA weights on the CPU."""
        spec = self.config.spec.to_dict()
        return {
            name: NetWeights(spec, trainer.result(), {**metadata, "plays": name, "step": self.step})
            for name, trainer in self.trainers.items()
        }

    def snapshot(self, run: str, seconds: float) -> Checkpoint:
        """The whole state, on the CPU."""
        trainers = self.trainers.items()
        weights = {name: on_cpu(trainer.net.state_dict()) for name, trainer in trainers}
        ema_weights = {name: trainer.result() for name, trainer in trainers}
        updates = [trainer.average.updates for _, trainer in trainers if trainer.average]
        return Checkpoint(
            run=run,
            step=self.step,
            seconds=seconds,
            config=self.config.to_dict(),
            weights=_join(weights),
            average=_join(ema_weights),
            updates=updates[0],
            optimiser={name: on_cpu(trainer.optimiser.state_dict()) for name, trainer in trainers},
            random={},
        )

    def restore(self, state: Checkpoint) -> None:
        """Raises BadCheckpoint if it belongs to other nets."""
        for name, trainer in self.trainers.items():
            weights = _with_prefix_removed(name, state.weights)
            ema_weights = _with_prefix_removed(name, state.average)
            trainer.restore(weights, ema_weights, state.updates, state.optimiser.get(name, {}))
        self.step = state.step

    def close(self) -> None:
        for trainer in self.trainers.values():
            if trainer.feed is not None:
                trainer.feed.close()


class WindowTrainer(NetTrainer):
    """One net, its replay window, and the feed of the data sets, if any."""

    def __init__(self, config: ZeroConfig, device: torch.device, name: str) -> None:
        learn = config.learn
        super().__init__(
            config.spec,
            device,
            Objective(learn.losses, 0.0),
            learn.optimiser,
            ema=learn.ema,
            bf16=learn.precision == "bf16",
            compile=learn.compile,
            warn=print_message,
        )
        self._batch, self._dataset_samples = learn.batch, learn.dataset_samples
        self.feed = make_feed(config, device, name) if learn.sets else None
        self.window = ReplayWindow(-(-config.replay.max_window // len(config.net_names)), device)
        self._unpack = Unpacker(config.size, device)
        self._random = torch.Generator(device)

    def learn(
        self, step: int, window_size: int, rate: float, seed: int, *, with_metrics: bool
    ) -> LossParts:
        """One step on samples of the newest `window_size` positions and of the data sets; sums and
        counts of the losses, also of both kinds of samples separately.
        """
        self._random.manual_seed(seed)
        dataset_samples = self._dataset_samples
        groups: Groups = NO_GROUPS
        rows = self.window.sample(self._batch - dataset_samples, window_size, self._random)
        if self.feed is not None:
            rows = join_packed([self.feed(step), rows])
            # Metrics of data sets are called `human`, whatever the sets.
            groups = {
                "human": slice(dataset_samples),
                "selfplay": slice(dataset_samples, None),
            }
        symmetry = torch.randint(0, 8, (self._batch,), generator=self._random, device=self.device)
        sample = self._unpack(rows, symmetry)
        outputs, sums, _ = self.train_step(sample, rate, groups=groups)
        if with_metrics:
            with torch.no_grad():
                sums |= measure(_METRICS, outputs, sample, sample.labels, groups)
        return sums


def make_feed(config: ZeroConfig, device: torch.device, name: str) -> DataFeed:
    """The feed of the data sets for a net, `black`, `white` or `net`. Raises BadZero."""
    learn = config.learn
    data = DataConfig(sets=learn.sets, colour="" if name == "net" else name)
    try:
        return DataFeed(data, learn.dataset_samples, config.seed, device)
    except BadData as error:
        raise BadZero(str(error), "learn.sets") from None


def _join(states: Mapping[str, Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The states of all nets as one, with names such as `black/conv.weight`."""
    return {f"{name}/{key}": v for name, state in states.items() for key, v in state.items()}


def _with_prefix_removed(name: str, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The state of one net, from a joined one."""
    start = f"{name}/"
    return {key.removeprefix(start): v for key, v in values.items() if key.startswith(start)}


# --- the weights a run starts from ---


def check_start(config: ZeroConfig) -> bool:
    """Check that the initial weights and all data sets exist and fit the run; returns whether nets
    of the run are redistributable. Raises BadZero, BadData, BadWeights.
    """
    sets = [check_data_set(config, one.path, "start.sets") for one in config.start.sets]
    sets += [check_data_set(config, one.path, "learn.sets") for one in config.learn.sets]
    for name in config.net_names if config.learn.sets else ():
        make_feed(config, torch.device("cpu"), name)
    nets: list[NetWeights] = []
    if config.start.net:
        nets = [read_weights(path) for path in _start_files(config).values()]
        for net in nets:
            _check_weights(config, net)
        rule, size = nets[0].metadata.get("rule"), nets[0].metadata.get("size")
        if rule is not None and (rule, size) != (config.rule, config.size):
            print_message(
                f"start.net was trained for {rule} {size}x{size}; it now learns {config.game}"
            )
    return all(data.redistributable for data in sets) and all(n.redistributable for n in nets)


def check_data_set(config: ZeroConfig, path: str, key: str) -> Manifest:
    """The manifest of a data set for the run's rule and size; `key` names it in errors. Raises
    BadZero, BadData.
    """
    manifest = Manifest.load(Path(path))
    if (manifest.rule, manifest.size) != (Rule.parse(config.rule), config.size):
        other = f"{manifest.rule} {manifest.size}x{manifest.size}"
        raise BadZero(f"{path} has positions of {other}, the run plays {config.game}", key)
    return manifest


def initial_weights(
    config: ZeroConfig, folder: Path, device: str, stop: Callable[[], bool]
) -> dict[str, NetWeights] | None:
    """The weights to start with, by player; empty: random ones; None: stopped before they were
    ready. Learning from data sets is a training run in `start/`, which resumes after a stop.
    """
    if config.start.net:
        return {name: read_weights(path) for name, path in _start_files(config).items()}
    if not config.start.sets:
        return {}
    learn = config.learn
    recipe = TrainConfig(
        net=config.net,
        data=DataConfig(sets=config.start.sets),
        batch=learn.batch,
        steps=config.start.steps,
        seed=config.seed,
        precision=learn.precision,
        ema=learn.ema,
        optimiser=learn.optimiser,
        losses=learn.losses,
        run=TrainRunConfig(tensorboard=False, validate_every=max(1, config.start.steps)),
    )
    try:
        result = train(recipe, folder / "start", device=device, resume=True, stop=stop)
    except BadData as error:
        raise BadZero(f"start.sets: {error}") from None
    if not result.is_done:
        return None
    return dict.fromkeys(config.net_names, read_weights(folder / "start" / "net.pt"))


def _start_files(config: ZeroConfig) -> dict[str, Path]:
    """The files of `start.net`, by player: one file for all, those of a training run, or of the
    newest generation of a zero run.
    """
    path = Path(config.start.net)
    if ZeroFolder.has_run(path) and (path / "generations").is_dir():
        path = ZeroFolder.read(path).newest_generation().path
    if not path.is_dir():
        return dict.fromkeys(config.net_names, path)
    own = {name: path / f"{name}.pt" for name in config.net_names}
    return {name: file if file.exists() else path / "net.pt" for name, file in own.items()}


def _check_weights(config: ZeroConfig, weights: NetWeights) -> None:
    if spec_of(weights.spec) != config.spec:
        raise BadZero(f"the weights belong to {weights.name}, not {config.spec.name}", "start.net")
