# SPDX-License-Identifier: MIT
"""The training of a release: its data (the newest games of the replay, and other data sets), its
initial weights, its recipe, and why the result may not be redistributable.

The recipe is `configs/train/mixnet-…-distilled.toml` with the run's games, its newest generation as
the teacher, and a quantised end.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from tengen.data import Dataset, Manifest
from tengen.data.manifest import MANIFEST, Shard
from tengen.engine.errors import BadNet
from tengen.game.rule import Colour
from tengen.nets.weights import BadWeights, read_weights
from tengen.train.config import TrainConfig
from tengen.train.errors import BadTraining
from tengen.train.loop import train
from tengen.train.start import find_weights, weights_of
from tengen.train.train_folder import TrainFolder
from tengen.train.train_state import TrainState
from tengen.util.config import config_folder
from tengen.util.files import explain_write_errors, replacing_folder
from tengen.zero.errors import BadZero
from tengen.zero.learn.learner import check_data_set
from tengen.zero.release.release_folder import RETRY, ReleaseFolder
from tengen.zero.zero_folder import ZeroFolder

# Keys whose values are paths: a folder may be moved between two calls.
_PATH_KEYS = {"data.sets", "distillation.checkpoint", "start"}
_MAX_LABELS = 8 << 30  # bytes of the teacher's labels that are computed in advance
_WARM_STEPS, _MAX_STEPS, _SECONDS = 4, 400, 8.0  # of measuring the speed


# --- data and initial weights ---


def check_games(run: ZeroFolder) -> Manifest:
    """The manifest of the replay. Raises BadZero if it has no games, BadData."""
    if not (run.replay / MANIFEST).exists() or not (held := Manifest.load(run.replay)).shards:
        raise BadZero(f"{run.path} has no games to train on: play some with `tengen zero resume`")
    return held


def keep_games(folder: ReleaseFolder) -> None:
    """Hard-link the newest games of the replay, so that a resumed training has the rows that it
    started with, whatever the run plays or drops. Raises BadZero, OSError.
    """
    if folder.data.exists():
        return
    replay = folder.run.replay
    held = check_games(folder.run)
    wanted, chosen = folder.config.positions or held.positions, list[Shard]()
    for shard in reversed(held.shards):
        if sum(one.positions for one in chosen) >= wanted:
            break
        chosen.insert(0, shard)
    with explain_write_errors(folder.data, RETRY), replacing_folder(folder.data) as part:
        for shard in chosen:
            for column in shard.columns:
                _link(shard.file(replay, column), shard.file(part, column))
        replace(held, shards=tuple(chosen), finished=True).save(part)


def _link(source: Path, target: Path) -> None:
    """A hard link, or a copy if the file system has none."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def _count_rows(folder: ReleaseFolder, player: str, batch: int) -> int:
    """Rows that a player's net is trained on. Raises BadZero if they are fewer than a batch."""
    colour = None if player == "net" else Colour.parse(player)
    rows = len(Dataset.open(folder.data).split("train", colour))
    if rows < batch:
        side = "" if colour is None else f" with {colour} to move"
        problem = f"{rows:,} positions{side} are fewer than a batch of {batch:,}"
        raise BadZero(f"{problem}: play more games, or reduce it", "release.train.batch")
    return rows


def _find_start(folder: ReleaseFolder, player: str) -> Path | None:
    """The file of the initial weights of a player's net; None: random. Raises BadZero, OSError."""
    if not (start := folder.config.start):
        return None
    inside = (f"train/{player}/net.pt", f"{player}.pt", "net.pt")
    try:
        path = find_weights(start, inside)
        name = weights_of(path).name
    except (BadNet, BadWeights) as error:
        raise BadZero(str(error), "release.start") from None
    if name != (wanted := f"mixnet-{folder.config.size}"):
        raise BadZero(f"{path} is {name}, not {wanted}: use another net or size", "release.start")
    return path.resolve()


def find_obstacles(folder: ReleaseFolder) -> tuple[str, ...]:
    """Why a net that learns from this is not redistributable. Raises BadZero, BadData, OSError."""
    obstacles = []
    if not folder.run.redistributable:
        obstacles.append("the run learned from data or a net that are not redistributable")
    obstacles += [
        f"{one.path} is not redistributable"
        for one in folder.config.data
        if not check_data_set(folder.run.config, one.path, "release.data").redistributable
    ]
    for player in folder.run.config.net_names:
        path = _find_start(folder, player)
        if path is not None and not weights_of(path).redistributable:
            obstacles.append(f"{folder.config.start} is not known to be redistributable")
    return tuple(dict.fromkeys(obstacles))


# --- the recipe ---


def make_recipe(
    folder: ReleaseFolder, player: str, samples: int, device: torch.device
) -> TrainConfig:
    """The training of a player's net. Raises BadZero, BadWeights, OSError."""
    base = _base(folder)
    rows = _count_rows(folder, player, base["batch"])
    labels = rows * 2 * folder.run.config.size**2
    precompute = samples > rows and labels < _MAX_LABELS
    teacher = read_weights(_teacher(folder, player)).name
    return _recipe(folder, player, samples, device, base, precompute=precompute, teacher=teacher)


def check_training(folder: ReleaseFolder, device: torch.device) -> None:
    """Check data sets and recipes before there are games or generations. Raises BadZero, BadData,
    OSError.
    """
    for one in folder.config.data:
        check_data_set(folder.run.config, one.path, "release.data")
        Dataset.open(one.path)
    samples, teacher = folder.config.samples, folder.run.config.spec.name
    for player in folder.run.config.net_names:
        _recipe(folder, player, samples, device, _base(folder), precompute=False, teacher=teacher)


def _base(folder: ReleaseFolder) -> dict[str, Any]:
    """The bundled recipe with the batch of this release. Raises BadZero."""
    path = config_folder() / "train" / f"mixnet-{folder.config.size}-distilled.toml"
    base = tomllib.loads(path.read_text("utf-8"))
    batch = folder.config.train.get("batch", base["batch"])
    if not isinstance(batch, int) or batch < 1:
        raise BadZero(f"use an integer of 1 or more, not {batch!r:.40}", "release.train.batch")
    return base | {"batch": batch}


def _teacher(folder: ReleaseFolder, player: str) -> Path:
    return folder.generation.path.resolve() / f"{player}.pt"


def _recipe(
    folder: ReleaseFolder,
    player: str,
    samples: int,
    device: torch.device,
    base: Mapping[str, Any],
    *,
    precompute: bool,
    teacher: str,
) -> TrainConfig:
    """Raises BadZero."""
    config, run = folder.config, folder.run.config
    start = _find_start(folder, player)
    steps = -(-samples // base["batch"])
    sets: list[dict[str, Any]] = [{"path": str(folder.data)}]
    sets += [{"path": str(Path(one.path).resolve()), "weight": one.weight} for one in config.data]
    defaults = {
        "compile": device.type == "cuda",
        "seed": run.seed,
        "schedule": {"warmup": min(base["schedule"]["warmup"], steps // 10)},
        "data": {"feed": "resident" if precompute else "auto"},
        "distillation": {"precompute": precompute},
        "run": {"tensorboard": run.run.tensorboard},
    }
    fixed = {
        "samples": samples,
        "quantise": config.quantise,
        "start": "" if start is None else str(start),
        "data": {"path": "", "sets": sets, "colour": "" if player == "net" else player},
        "distillation": {
            "teacher": teacher,
            "checkpoint": str(_teacher(folder, player)),
            "share": config.share,
        },
    }
    try:
        return TrainConfig.from_dict(_merge(base, defaults, config.train, fixed))
    except BadTraining as error:
        raise BadZero(f"release.train: {error}") from None


def _merge(*tables: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables as one; later values replace earlier ones."""
    merged: dict[str, Any] = {}
    for table in tables:
        for name, value in table.items():
            old = merged.get(name)
            both = isinstance(old, Mapping) and isinstance(value, Mapping)
            merged[name] = _merge(old, value) if both else value  # type: ignore[arg-type]
    return merged


# --- the training run ---


def measure_samples(
    seconds: float, config: TrainConfig, device: torch.device, stop: Callable[[], bool]
) -> int:
    """How many samples `seconds` of training have, measured on a few steps; 0: stopped. Raises as
    `train` does.
    """
    if stop():
        return 0
    state = TrainState(config, device, None)
    try:
        if not state.prepare(stop):
            return 0
        rate = 0.0
        for step in range(1 - _WARM_STEPS, _MAX_STEPS + 1):
            if stop():
                return 0
            state.learn()
            rate = state.speed.peek()
            if step <= 0:  # warming up
                state.speed.restart()
            elif step * config.batch >= rate * _SECONDS:
                break
    finally:
        state.close()
    return max(config.batch, int(rate * seconds))


def train_student(
    config: TrainConfig, path: Path, device: torch.device, stop: Callable[[], bool]
) -> bool:
    """Train a net or resume its training; whether it is complete. Raises as `train` does."""
    if TrainFolder.has_run(path):
        _update_paths(TrainFolder.read(path), config)
    return train(config, path, device=str(device), resume=True, stop=stop).is_done


def is_trained(path: Path) -> bool:
    """Whether a training run is complete. Raises BadRun, BadWeights."""
    if not TrainFolder.has_run(path):
        return False
    folder = TrainFolder.read(path)
    if not folder.net.exists():
        return False
    return int(read_weights(folder.net).metadata.get("step", 0)) >= folder.steps


def _update_paths(folder: TrainFolder, config: TrainConfig) -> None:
    """Store new paths of data and teacher in a training run, if nothing else has changed."""
    differing = set(folder.config.differences(config))
    if differing and differing <= _PATH_KEYS:
        folder.write_head({**folder.read_head(folder.path), "config": config.to_dict()})
