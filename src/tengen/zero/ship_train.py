# SPDX-License-Identifier: MIT
"""The Mixnets of a shipping: the recipe of their training, how many samples some minutes are, and
the training itself. Relies on `tengen.train`; shipping relies on it.

A recipe is that of `configs/train/mixnet-…-distilled.toml` with what the run tells: its games, its
newest generation as the teacher, a quantised end.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from tengen.game import records
from tengen.nets.weights import read_weights
from tengen.train.config import TrainConfig
from tengen.train.errors import BadTraining
from tengen.train.folder import RunFolder
from tengen.train.loop import train
from tengen.train.state import State
from tengen.util.config import config_folder
from tengen.zero.errors import BadZero
from tengen.zero.ship_data import check_rows, find_start
from tengen.zero.ship_folder import ShipFolder

__all__ = ["check_recipe", "is_trained", "recipe", "samples_in", "train_net"]

# Keys that say where things lie: a folder may be moved between two calls.
_PLACES = {"data.sets", "distillation.checkpoint", "start"}
_LABELS = 8 << 30  # bytes of the teacher's labels at most that are worked out before
_WARM_STEPS, _MOST_STEPS, _SECONDS = 4, 400, 8.0  # of measuring the speed


def recipe(ship: ShipFolder, player: str, samples: int, device: torch.device) -> TrainConfig:
    """The training of a player's net. Raises BadZero, BadWeights, OSError."""
    base = _base(ship)
    rows = check_rows(ship, player, base["batch"])
    labels = rows * 2 * ship.run.config.size**2
    once = samples > rows and labels < _LABELS  # else each batch is labelled when it comes
    teacher = read_weights(_teacher(ship, player)).name
    start = find_start(ship, player)
    return _recipe(ship, player, samples, device, base, once=once, teacher=teacher, start=start)


def check_recipe(ship: ShipFolder, player: str, device: torch.device) -> None:
    """That there is such a training, before there are games to learn from, or a generation. Raises
    BadZero, OSError.
    """
    samples, teacher = ship.config.samples, ship.run.config.spec.name
    start = find_start(ship, player)
    _recipe(ship, player, samples, device, _base(ship), once=False, teacher=teacher, start=start)


def _base(ship: ShipFolder) -> dict[str, Any]:
    """The recipe of the package, with the batch of the run's table. Raises BadZero."""
    path = config_folder() / "train" / f"mixnet-{ship.config.size}-distilled.toml"
    base = tomllib.loads(path.read_text("utf-8"))
    batch = ship.config.train.get("batch", base["batch"])
    if not isinstance(batch, int) or batch < 1:
        raise BadZero(f"ship.train.batch is {batch!r:.40}: use a whole number, 1 or more")
    return base | {"batch": batch}


def _teacher(ship: ShipFolder, player: str) -> Path:
    return ship.generation.path.resolve() / f"{player}.pt"


def _recipe(
    ship: ShipFolder,
    player: str,
    samples: int,
    device: torch.device,
    base: Mapping[str, Any],
    *,
    once: bool,
    teacher: str,
    start: Path | None,
) -> TrainConfig:
    """With labels worked out before, or not; a teacher of this name. Raises BadZero."""
    config, run = ship.config, ship.run.config
    steps = -(-samples // base["batch"])
    sets: list[dict[str, Any]] = [{"path": str(ship.data)}]
    sets += [{"path": str(Path(one.path).resolve()), "weight": one.weight} for one in config.data]
    usual = {
        "compile": device.type == "cuda",
        "seed": run.seed,
        "schedule": {"warmup": min(base["schedule"]["warmup"], steps // 10)},
        "data": {"feed": "resident" if once else "auto"},
        "distillation": {"precompute": once},
        "run": {"tensorboard": run.run.tensorboard},
    }
    told = {
        "samples": samples,
        "quantise": config.quantise,
        "start": "" if start is None else str(start),
        "data": {"path": "", "sets": sets, "colour": "" if player == "net" else player},
        "distillation": {
            "teacher": teacher,
            "checkpoint": str(_teacher(ship, player)),
            "share": config.share,
        },
    }
    try:
        return TrainConfig.from_dict(_merged(_merged(_merged(base, usual), config.train), told))
    except BadTraining as error:
        raise BadZero(f"ship.train: {error}") from None


def _merged(table: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A table with what another one has; tables in both are put together likewise."""
    made = dict(table)
    for name, value in more.items():
        old = made.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        made[name] = _merged(old, value) if both else value  # type: ignore[arg-type]
    return made


def samples_in(
    seconds: float, config: TrainConfig, device: torch.device, stop: Callable[[], bool]
) -> int:
    """How many samples a training sees in so many seconds, by trying some steps of it; 0: stopped.
    Raises as `train` does.
    """
    if stop():
        return 0
    state = State(config, device, None)
    try:
        if not state.prepare(stop):
            return 0
        for _ in range(_WARM_STEPS):
            if stop():
                return 0
            state.learn()
        state.read_speed()
        done, rate = 0, 0.0
        while not done or (done < _MOST_STEPS and done * config.batch < rate * _SECONDS):
            if stop():
                return 0
            state.learn()
            done, rate = done + 1, state.speed.peek()
    finally:
        state.close()
    return max(config.batch, int(rate * seconds))


def train_net(
    config: TrainConfig, path: Path, device: torch.device, stop: Callable[[], bool]
) -> bool:
    """Train a net, or go on; whether it is done. Raises as `train` does."""
    if RunFolder.has_run(path):
        _follow(RunFolder.read(path), config)
    return train(config, path, device=str(device), resume=True, stop=stop).is_done


def is_trained(path: Path) -> bool:
    """Whether a training has come to its end, read from what it left. Raises BadRun, BadWeights."""
    if not RunFolder.has_run(path):
        return False
    folder = RunFolder.read(path)
    if not folder.net.exists():
        return False
    return int(read_weights(folder.net).about.get("step", 0)) >= folder.config.total_steps


def _follow(folder: RunFolder, config: TrainConfig) -> None:
    """Tell a training where its data and its teacher lie now, if nothing else has changed."""
    others = set(folder.config.differences(config))
    if others and others <= _PLACES:
        head = folder.path / "run.json"
        table = json.loads(head.read_text("utf-8"))
        table["config"] = config.to_dict()
        records.write_text(json.dumps(table, indent=1) + "\n", head)
