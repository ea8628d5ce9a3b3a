# SPDX-License-Identifier: MIT
"""Small runs of zero learning for tests, what must hold of a run's folder at any moment, and a run
in a process of its own, for tests that kill it. Imports no test, so that a fork server can have it
ready.
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
from tengen.zero.folder import ZeroFolder, read_events
from tengen.zero.loop import Parts, Result, run_zero

SIZE = 7
AT_ONCE = 0.0  # minutes between two gates: one after every turn, on any machine


class SilentView:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def advance(self, seconds: float, words: str) -> None:
        pass

    def show(self, text: str) -> None:
        self.lines.append(text)

    def close(self) -> None:
        pass


def config(**changes: Any) -> ZeroConfig:
    """A run of seconds; tables among the changes are added to those that are here."""
    table: dict[str, Any] = {
        "size": SIZE,
        "net": {"kind": "resnet", "blocks": 1, "filters": 8},
        "minutes": 1000.0,
        "play": {"workers": 0, "rows": 60},
        "replay": {"start": 100, "most": 2000},
        "learn": {"batch": 8, "ratio": 0.5, "warmup": 2, "precision": "fp32"},
        "gate": {"minutes": 1000.0, "games": 0},
        "run": {"log": 0.0, "checkpoint": 1000.0, "tensorboard": False},
    }
    for name, value in changes.items():
        old = table.get(name)
        both = isinstance(value, Mapping) and isinstance(old, dict) and name != "net"
        table[name] = {**old, **value} if both and old is not None else value
    return ZeroConfig.from_dict(table)


def parts(factory: str = "zero_fakes:make_generator", **changes: Any) -> Parts:
    view = changes.pop("shown", None) or SilentView()
    return Parts(factory=factory, view=lambda seconds, total: view, **changes)


def stop_after(turns: int) -> Callable[[], bool]:
    """Holds when it was asked so often: a run asks before each turn, which is a task or a step."""
    left = [turns]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stop


def go(
    made: ZeroConfig | None, path: Path, turns: int, *, resume: bool = False, **changes: Any
) -> Result:
    """So many turns of a run; matches and games, which ask whether to stop as well, are none."""
    stop = stop_after(turns)

    def between_turns() -> bool:
        asks = Path(sys._getframe(1).f_code.co_filename).stem
        return asks not in ("crew", "duel", "match") and stop()

    found = run_zero(
        made, path, device="cpu", resume=resume, stop=between_turns, parts=parts(**changes)
    )
    assert found is not None
    return found


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
    played = [row for row in read_events(folder.journal) if row["event"] == "play"]
    tasks = [row["task"] for row in played]
    assert len(set(tasks)) == len(tasks)
    assert set(tasks) <= set(origins)
    for generation in folder.generations():
        generation.nets(folder.config.players)
        assert generation.about["generation"] == generation.number
    return counts


def run_child(table: dict[str, Any], path: str, factory: str) -> None:
    """Go on with a run, or begin it, without end."""
    torch.set_num_threads(1)
    made = ZeroConfig.from_dict(table)
    run_zero(made, Path(path), device="cpu", resume=True, parts=parts(factory))
