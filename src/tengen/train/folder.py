# SPDX-License-Identifier: MIT
"""The folder of a run (docs/training.md): `run.json` says what it is and is written once;
`metrics.jsonl` only grows; `checkpoints/` is the state; `net.pt` and `report.html` are made of
them. Relies on the config and the errors; the loop and the report rely on it.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tengen._version import version
from tengen.game import records
from tengen.train.config import TrainConfig
from tengen.train.errors import BadRun, BadTraining, TrainingBusy, writing

__all__ = ["Journal", "RunFolder", "locked", "read_rows"]

_FORMAT = 1
_HEAD, _METRICS, _LOCK = "run.json", "metrics.jsonl", ".lock"
_CHECKPOINTS = "checkpoints"


class RunFolder:
    """Where a run lies, and what it is."""

    def __init__(self, path: Path, run: str, config: TrainConfig, *, ships: bool = True) -> None:
        self.path = path
        self.run = run  # drawn when it began: checkpoints and nets carry it
        self.config = config
        self.ships = ships  # whether what it began with may be given away

    @staticmethod
    def has_run(path: Path) -> bool:
        return (path / _HEAD).exists()

    @classmethod
    def create(cls, path: Path, config: TrainConfig, about: Mapping[str, Any]) -> RunFolder:
        """Begin a run; `about` is kept beside the config, for people, and for `ships`. Raises
        BadRun if the folder has one.
        """
        if cls.has_run(path):
            raise BadRun(f"{path} has a run already: go on with --resume, or use another folder")
        folder = cls(path, secrets.token_hex(8), config, ships=_ships(about))
        folder.checkpoints.mkdir(parents=True, exist_ok=True)
        head = {
            "format": _FORMAT,
            "tengen": version(),
            "run": folder.run,
            "config": config.to_dict(),
            "about": dict(about),
        }
        records.write_text(json.dumps(head, indent=1) + "\n", path / _HEAD)
        return folder

    @classmethod
    def read(cls, path: Path) -> RunFolder:
        """The run of a folder. Raises BadRun."""
        try:
            head = json.loads((path / _HEAD).read_text("utf-8"))
        except FileNotFoundError:
            raise BadRun(f"{path} has no run: there is no {_HEAD}") from None
        except (ValueError, RecursionError) as error:
            raise BadRun(f"{path / _HEAD}: {error}") from None
        if not isinstance(head, dict) or head.get("format") != _FORMAT:
            raise BadRun(f"{path / _HEAD}: not a run of this format ({_FORMAT})")
        try:
            config = TrainConfig.from_dict(head["config"])
            folder = cls(path, str(head["run"]), config, ships=_ships(head.get("about")))
        except (BadTraining, KeyError) as error:
            raise BadRun(f"{path / _HEAD}: {error}") from None
        folder.checkpoints.mkdir(exist_ok=True)
        return folder

    def resumed_with(self, config: TrainConfig) -> RunFolder:
        """This run with the free keys of a config. Raises BadRun if others differ."""
        if others := self.config.differences(config):
            words = f"the run of {self.path} has other values of {', '.join(others)}"
            raise BadRun(f"{words}: leave them as they are, or use another folder")
        return RunFolder(self.path, self.run, config, ships=self.ships)

    @property
    def checkpoints(self) -> Path:
        return self.path / _CHECKPOINTS

    @property
    def net(self) -> Path:
        return self.path / "net.pt"

    @property
    def metrics(self) -> Path:
        return self.path / _METRICS

    @property
    def report(self) -> Path:
        return self.path / "report.html"


def _ships(about: object) -> bool:
    return (
        not isinstance(about, Mapping)
        or about.get("redistributable", about.get("ships")) is not False
    )


class Journal:
    """`metrics.jsonl`: a JSON object a line, each added whole, or cut off when it is opened again
    after a kill.
    """

    def __init__(self, path: Path) -> None:
        if path.exists():
            _cut_torn_line(path)
        self._path = path
        self._file = path.open("a", encoding="utf-8")

    def add(self, row: Mapping[str, Any]) -> None:
        with writing(self._path):
            self._file.write(json.dumps(row) + "\n")
            self._file.flush()

    def close(self) -> None:
        with suppress(OSError):  # of a row that could not be written: `add` has told it
            self._file.close()


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a journal that count: a `resume` row takes back what came after its step. Lines
    that cannot be read are left out.
    """
    rows: list[dict[str, Any]] = []
    if not path.exists():
        return rows
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict) or not isinstance(row.get("step"), int):
            continue
        if row.get("event") == "resume":
            rows = [before for before in rows if before["step"] <= row["step"]]
        rows.append(row)
    return rows


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a folder for this process; the lock goes with the process, however it ends. Raises
    TrainingBusy, and OSError if a run could not write there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _check_writable(folder)
        file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        words = f"{error.strerror}: make this folder writable, or name another one with --out"
        raise OSError(error.errno, words, str(folder)) from None
    try:
        _lock(file, folder)
        yield
    finally:
        os.close(file)


def _check_writable(folder: Path) -> None:
    """Files that exist may be written to where none can be made: that is told now, and not at the
    first checkpoint.
    """
    for path in (folder, folder / _CHECKPOINTS):
        if path.exists() and not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _lock(file: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: two runs in one folder are the user's to avoid there
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise TrainingBusy(f"another process trains in {folder}: wait for its end") from None


def _cut_torn_line(path: Path) -> None:
    """Take away what follows the last line break."""
    data = path.read_bytes()
    keep = data.rfind(b"\n") + 1
    if keep < len(data):
        os.truncate(path, keep)
