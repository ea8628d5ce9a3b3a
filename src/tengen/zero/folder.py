# SPDX-License-Identifier: MIT
"""The folder of a run (docs/zero.md): `run.json` says what it is; `replay/` is a data set that
counts the games; `checkpoints/` is the learner; `generations/NNNN/` are the nets that have played;
`journal.jsonl` only grows and is for people. Relies on the config and on files of training; the
loop, the report and packing rely on it.

Each of these is replaced or added to in one moment, and none needs another to be as new: what is
due next follows from all of them together. So a kill at any moment leaves a run that can go on.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen._version import version
from tengen.game import records
from tengen.nets.weights import NetWeights, read_weights, write_weights
from tengen.train.errors import writing
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero

__all__ = ["Generation", "ZeroFolder", "read_events"]

_FORMAT = 1
_HEAD = "run.json"
_GENERATION = re.compile(r"\d{4,6}")


@dataclass(frozen=True, slots=True)
class Generation:
    """Nets that have been the run's players, in a folder of their own."""

    number: int
    path: Path

    def nets(self, players: tuple[str, ...]) -> list[NetWeights]:
        """Raises BadWeights."""
        return [read_weights(self.path / f"{name}.pt") for name in players]

    @property
    def about(self) -> dict[str, Any]:
        """When it began to play, and how it won its match. Raises BadZero."""
        try:
            found = json.loads((self.path / "about.json").read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise BadZero(f"{self.path / 'about.json'} cannot be read: {error}") from None
        return dict(found) if isinstance(found, dict) else {}


class ZeroFolder:
    """Where a run lies, and what it is."""

    def __init__(self, path: Path, run: str, config: ZeroConfig, about: Mapping[str, Any]) -> None:
        self.path = path
        self.run = run  # drawn when it began: checkpoints carry it
        self.config = config
        self.about = dict(about)

    @staticmethod
    def has_run(path: Path) -> bool:
        return (path / _HEAD).exists()

    @classmethod
    def create(cls, path: Path, config: ZeroConfig, about: Mapping[str, Any]) -> ZeroFolder:
        """Begin a run. `about["ships"]` says whether its nets may be given away. Raises BadZero if
        the folder has one.
        """
        if cls.has_run(path):
            words = f"{path} has a run already: go on with `tengen zero resume`"
            raise BadZero(f"{words}, or use another folder")
        folder = cls(path, secrets.token_hex(8), config, about)
        folder._make_parts()
        folder.write_head()
        return folder

    def write_head(self) -> None:
        """Raises OSError."""
        head = {
            "format": _FORMAT,
            "tengen": version(),
            "run": self.run,
            "config": self.config.to_dict(),
            "about": self.about,
        }
        records.write_text(json.dumps(head, indent=1) + "\n", self.path / _HEAD)

    @classmethod
    def read(cls, path: Path) -> ZeroFolder:
        """The run of a folder. Raises BadZero."""
        try:
            text = (path / _HEAD).read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            raise BadZero(f"{path} has no run: there is no {_HEAD}") from None
        except UnicodeDecodeError as error:
            raise BadZero(f"{path / _HEAD}: {error}") from None
        folder = cls.from_text(path, text)
        folder._make_parts()
        return folder

    @classmethod
    def from_text(cls, path: Path, text: str) -> ZeroFolder:
        """From what a `run.json` holds. Raises BadZero."""
        try:
            head = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadZero(f"{path / _HEAD}: {error}") from None
        if not isinstance(head, dict) or head.get("format") != _FORMAT:
            raise BadZero(f"{path / _HEAD}: not a run of this format ({_FORMAT})")
        try:
            config = ZeroConfig.from_dict(head["config"])
            return cls(path, str(head["run"]), config, dict(head["about"]))
        except (BadZero, KeyError, TypeError, ValueError) as error:
            raise BadZero(f"{path / _HEAD}: {error}") from None

    def with_config(self, config: ZeroConfig) -> ZeroFolder:
        """This run with the free keys of a config. Raises BadZero if others differ."""
        if others := self.config.differences(config):
            words = f"the run of {self.path} has other values of {', '.join(others)}"
            raise BadZero(f"{words}: leave them as they are, or use another folder")
        return ZeroFolder(self.path, self.run, config, self.about)

    def resumed_with(self, config: ZeroConfig) -> ZeroFolder:
        """As `with_config`, and it keeps them from now on. Raises BadZero, OSError."""
        changed = self.with_config(config)
        if config != self.config:
            changed.write_head()
        return changed

    @property
    def is_done(self) -> bool:
        """Whether a session has come to the end of the plan, as long as it is now."""
        planned = 60.0 * self.config.minutes
        rows = read_events(self.journal)
        return any(row["event"] == "done" and row["seconds"] >= planned for row in rows)

    def _make_parts(self) -> None:
        for part in (self.checkpoints, self._generations):
            part.mkdir(parents=True, exist_ok=True)

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def replay(self) -> Path:
        return self.path / "replay"

    @property
    def journal(self) -> Path:
        return self.path / "journal.jsonl"

    @property
    def report(self) -> Path:
        return self.path / "report.html"

    @property
    def ships(self) -> bool:
        return self.about.get("ships") is True

    # --- generations ---

    @property
    def _generations(self) -> Path:
        return self.path / "generations"

    def generations(self) -> list[Generation]:
        """All, the oldest first."""
        there = [path for path in self._generations.iterdir() if _GENERATION.fullmatch(path.name)]
        return [
            Generation(int(path.name), path) for path in sorted(there, key=lambda p: int(p.name))
        ]

    def add_generation(
        self, nets: Mapping[str, NetWeights], about: Mapping[str, Any]
    ) -> Generation:
        """Make nets the newest generation: in one moment, or not at all. Raises OSError."""
        before = self.generations()
        number = before[-1].number + 1 if before else 0
        made = Generation(number, self._generations / f"{number:04d}")
        beside = self._generations / f".{number:04d}.part"
        with writing(made.path):
            shutil.rmtree(beside, ignore_errors=True)  # left by a kill
            beside.mkdir()
            for name, net in nets.items():
                write_weights(beside / f"{name}.pt", net)
            text = json.dumps({"generation": number, **about}, indent=1) + "\n"
            records.write_text(text, beside / "about.json")
            beside.replace(made.path)
        return made


def read_events(path: Path) -> list[dict[str, Any]]:
    """The rows of a journal that count: a `session` row takes back the steps of learning that came
    after its own. Lines that cannot be read are left out.
    """
    rows: list[dict[str, Any]] = []
    if not path.exists():
        return rows
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict) or not isinstance(row.get("seconds"), int | float):
            continue
        if row.get("event") == "session":
            rows = [r for r in rows if r["event"] != "learn" or r["step"] <= row.get("step", 0)]
        if isinstance(row.get("event"), str):
            rows.append(row)
    return rows
