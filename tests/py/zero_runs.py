# SPDX-License-Identifier: MIT
"""Small runs of zero learning for tests, invariants of a run folder, and a run in a separate
process, for tests that kill it. Imports no test, so that a fork server can preload it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tengen.data import Dataset
from tengen.zero.config import ZeroConfig
from tengen.zero.loop import RunFactories, RunResult, run_zero
from tengen.zero.zero_folder import ZeroFolder

SIZE = 7
AT_ONCE = 0.0  # minutes between two gates: one after every turn, on any machine


def config(**changes: Any) -> ZeroConfig:
    """A run of seconds; tables among the changes are added to those that are here."""
    table: dict[str, Any] = {
        "size": SIZE,
        "net": {"kind": "resnet", "blocks": 1, "filters": 8},
        "minutes": 1000.0,
        "play": {"workers": 0, "rows": 60},
        "replay": {"start": 100, "max_window": 2000},
        "learn": {"batch": 8, "ratio": 0.5, "warmup": 2, "precision": "fp32"},
        "gate": {"minutes": 1000.0, "games": 0},
        "run": {"log": 0.0, "checkpoint": 1000.0, "tensorboard": False},
    }
    for name, value in changes.items():
        old = table.get(name)
        both = isinstance(value, Mapping) and isinstance(old, dict) and name != "net"
        table[name] = {**old, **value} if both and old is not None else value
    return ZeroConfig.from_dict(table)


def make_factories(
    game_generator_factory: str = "zero_fakes:make_generator", **changes: Any
) -> RunFactories:
    return RunFactories(game_generator_factory=game_generator_factory, **changes)


def events(path: Path, kind: str = "") -> list[dict[str, Any]]:
    """The event log's rows of a kind; none if there is no run yet."""
    rows = ZeroFolder.read(path).events() if ZeroFolder.has_run(path) else []
    return [row for row in rows if kind in ("", row["event"])]


def stop_after(turns: int) -> Callable[[], bool]:
    """Stops after this many calls: a run calls it before each task or step."""
    left = [turns]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stop


def go(
    made: ZeroConfig | None, path: Path, turns: int, *, resume: bool = False, **changes: Any
) -> RunResult:
    """Stops a run after this many tasks and steps; calls by matches and games do not count."""
    stop = stop_after(turns)

    def between_turns() -> bool:
        asks = Path(sys._getframe(1).f_code.co_filename).stem
        return asks not in ("workers", "net_match", "gatekeeper") and stop()

    result = run_zero(
        made,
        path,
        device="cpu",
        resume=resume,
        stop=between_turns,
        factories=make_factories(**changes),
    )
    assert result is not None
    return result


def check_folder(path: Path) -> dict[str, int]:
    """That nothing of a run is broken, and no game is counted twice; the counts."""
    folder = ZeroFolder.read(path)
    if not (folder.replay / "manifest.json").exists():
        return {}
    data = Dataset.open(folder.replay)
    data.verify()
    counts = dict(data.manifest.counts)
    if not counts:
        return {}
    origins = [shard.origin.split()[1] for shard in data.manifest.shards]
    assert len(set(origins)) == len(origins) == counts["tasks"]
    assert len(data) == counts["positions"]
    games = np.concatenate([np.asarray(part) for part in data.column("game")])
    assert len(np.unique(games)) == counts["games"] == games.max() + 1
    assert sum(counts.get(name, 0) for name in ("black", "white", "drawn")) == counts["games"]
    tasks = [row["task"] for row in events(path, "play")]
    assert len(set(tasks)) == len(tasks)
    assert set(tasks) <= set(origins)
    for generation in folder.generations():
        generation.nets(folder.config.net_names)
        assert generation.metadata["generation"] == generation.number
    return counts


def run_child(table: dict[str, Any], path: str, factory: str) -> None:
    """Start or resume a run without a limit."""
    torch.set_num_threads(1)
    made = ZeroConfig.from_dict(table)
    run_zero(made, Path(path), device="cpu", resume=True, factories=make_factories(factory))
