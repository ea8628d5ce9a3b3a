# SPDX-License-Identifier: MIT
"""The folder of a training run (docs/training.md): `run.json` says what the run is,
`metrics.jsonl` is its event log, `checkpoints/` its state; `net.pt`, `report.html` and
`validation_games.npz` derive from them.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from tengen.train.config import RESUMABLE_KEYS, TrainConfig
from tengen.train.errors import BadRun, BadTraining
from tengen.util.event_log import read_rows
from tengen.util.run_folder import RunFolder

_CHECKPOINTS = "checkpoints"


class TrainFolder(RunFolder):
    """A training run on disk."""

    EVENT_LOG: ClassVar[str] = "metrics.jsonl"

    def __init__(
        self,
        path: Path,
        run: str,
        config: TrainConfig,
        steps: int,
        *,
        start_is_redistributable: bool = True,
    ) -> None:
        super().__init__(path)
        self.run = run  # random identifier; checkpoints and nets carry it
        self.config = config
        self.steps = steps  # of the whole run
        self.start_is_redistributable = (
            start_is_redistributable  # whether the initial weights may be distributed
        )
        self.checkpoints, self.net = path / _CHECKPOINTS, path / "net.pt"
        self.metrics, self.report = path / self.EVENT_LOG, path / "report.html"
        self.game_metrics = path / "validation_games.npz"

    @classmethod
    def create(
        cls, path: Path, config: TrainConfig, steps: int, metadata: Mapping[str, Any]
    ) -> TrainFolder:
        """Create a run of so many steps; `metadata` is stored beside the config. Raises BadRun if
        there is one.
        """
        cls.check_unused(path)
        run = secrets.token_hex(8)
        folder = cls(
            path, run, config, steps, start_is_redistributable=_is_redistributable(metadata)
        )
        folder.checkpoints.mkdir(parents=True, exist_ok=True)
        head = {"run": run, "config": config.to_dict(), "steps": steps, "about": dict(metadata)}
        folder.write_head(head)
        return folder

    @classmethod
    def read(cls, path: Path) -> TrainFolder:
        """The run of a folder. Raises BadRun."""
        head = cls.read_head(path)
        try:
            config, run = TrainConfig.from_dict(head["config"]), str(head["run"])
            steps = int(head["steps"]) if "steps" in head else config.total_steps  # of 0.1.0
        except (BadTraining, KeyError, TypeError, ValueError) as error:
            raise BadRun(f"{path / cls.HEAD}: {error}") from None
        start_is_redistributable = _is_redistributable(head.get("about"))
        folder = cls(path, run, config, steps, start_is_redistributable=start_is_redistributable)
        folder.checkpoints.mkdir(exist_ok=True)
        return folder

    def resumed_with(self, config: TrainConfig) -> TrainFolder:
        """This run with the resumable keys of a config: those that may change during a run. Raises
        BadRun if other keys differ.
        """
        if others := self.config.differences(config, RESUMABLE_KEYS):
            problem = f"the run of {self.path} has other values of {', '.join(others)}"
            raise BadRun(f"{problem}: do not change them, or use another folder")
        start_is_redistributable = self.start_is_redistributable
        return TrainFolder(
            self.path,
            self.run,
            config,
            self.steps,
            start_is_redistributable=start_is_redistributable,
        )

    @property
    def plan(self) -> TrainConfig:
        """The config with the length in steps that was fixed when the run started, whatever the
        data sets hold now.
        """
        if not self.config.epochs:
            return self.config
        return replace(self.config, epochs=0.0, steps=self.steps)


def _is_redistributable(metadata: object) -> bool:
    """Files of 0.1.0 call it `ships`."""
    if not isinstance(metadata, Mapping):
        return True
    return metadata.get("redistributable", metadata.get("ships")) is not False


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The valid rows of an event log: a `resume` row cancels the rows after its step."""
    rows: list[dict[str, Any]] = []
    for row in read_rows(path):
        if not isinstance(row.get("step"), int):
            continue
        if row.get("event") == "resume":
            rows = [before for before in rows if before["step"] <= row["step"]]
        rows.append(row)
    return rows


def check_writable(folder: Path) -> None:
    """Create the folder of a run and check that a run can write there, not only at its first
    checkpoint. Raises OSError.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in (folder, folder / _CHECKPOINTS):
            if path.exists() and not os.access(path, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        problem = f"{error.strerror}: make this folder writable, or name another one with --out"
        raise OSError(error.errno, problem, str(folder)) from None
