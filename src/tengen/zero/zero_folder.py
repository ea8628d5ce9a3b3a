# SPDX-License-Identifier: MIT
"""The folder of a run (docs/zero.md): `run.json` describes it; `replay/` is the data set of its
games; `checkpoints/` is the learner; `generations/NNNN/` are the nets that have played;
`journal.jsonl` has its events.

Each part is replaced or extended atomically and none needs another to be as new: what is due next
follows from all of them. So a run can be resumed after a kill at any moment.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.data import Manifest
from tengen.nets.weights import NetWeights, read_weights, write_weights
from tengen.util.errors import BadRun
from tengen.util.event_log import read_rows
from tengen.util.files import explain_write_errors, replacing_folder, write_text
from tengen.util.run_folder import RunFolder, user_and_machine
from tengen.zero.config import RESUMABLE_KEYS, ZeroConfig
from tengen.zero.errors import BadZero

LADDER = "ladder.json"  # results of generations against each other
FIXED_OPPONENTS = "elo.json"  # results of generations against fixed opponents
_GENERATION = re.compile(r"\d{4,6}")


@dataclass(frozen=True, slots=True)
class Generation:
    """Nets that have played for the run."""

    number: int
    path: Path

    def nets(self, names: tuple[str, ...]) -> list[NetWeights]:
        """Raises BadWeights."""
        return [read_weights(self.path / f"{name}.pt") for name in names]

    @property
    def metadata(self) -> dict[str, Any]:
        """When it started to play, and the result of its match. Raises BadZero."""
        file = self.path / "about.json"
        try:
            metadata = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise BadZero(f"cannot read {file}: {error}") from None
        return dict(metadata) if isinstance(metadata, dict) else {}


class ZeroFolder(RunFolder):
    """A run on disk."""

    def __init__(
        self, path: Path, run: str, config: ZeroConfig, metadata: Mapping[str, Any]
    ) -> None:
        super().__init__(path)
        self.run = run  # random identifier; checkpoints carry it
        self.config = config
        self.metadata = dict(metadata)
        self.started_by = ""  # user and machine; empty for a run from elsewhere
        self.checkpoints, self.replay = path / "checkpoints", path / "replay"
        self.event_log, self.report = path / self.EVENT_LOG, path / "report.html"
        self._generations = path / "generations"

    @classmethod
    def create(cls, path: Path, config: ZeroConfig, metadata: Mapping[str, Any]) -> ZeroFolder:
        """Start a run; `metadata["redistributable"]`: whether its nets may be distributed. Raises
        BadRun if the folder has a run.
        """
        cls.check_unused(path)
        folder = cls(path, secrets.token_hex(8), config, metadata)
        folder.started_by = user_and_machine()
        folder.save()
        folder._make_folders()
        return folder

    def save(self) -> None:
        """Write `run.json`. Raises OSError."""
        content = {"run": self.run, "config": self.config.to_dict(), "about": self.metadata}
        started_by = {"started_by": self.started_by} if self.started_by else {}
        self.write_head(started_by | content)

    @property
    def started_here(self) -> bool:
        """Started by this user on this machine."""
        return self.started_by == user_and_machine()

    @classmethod
    def read(cls, path: Path) -> ZeroFolder:
        """Raises BadRun."""
        head = cls.read_head(path)
        folder = cls.from_head(path, head)
        folder.started_by = str(head.get("started_by", ""))
        folder._make_folders()
        return folder

    @classmethod
    def from_head(cls, path: Path, head: Mapping[str, Any]) -> ZeroFolder:
        """A run from the content of its `run.json`; not `started_here`. Raises BadRun."""
        try:
            config = ZeroConfig.from_dict(head["config"])
            return cls(path, str(head["run"]), config, dict(head["about"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadRun(f"{path / cls.HEAD}: {error}") from None

    def with_config(self, config: ZeroConfig) -> ZeroFolder:
        """This run with the resumable keys of a config: those that may change during a run. Raises
        BadZero if other keys differ.
        """
        if others := self.config.differences(config, RESUMABLE_KEYS):
            differing = ", ".join(others)
            raise BadZero(f"the run of {self.path} has other values of {differing}: omit them")
        changed = ZeroFolder(self.path, self.run, config, self.metadata)
        changed.started_by = self.started_by
        return changed

    def resumed_with(self, config: ZeroConfig) -> ZeroFolder:
        """As `with_config`; stores the config. Raises BadZero, OSError."""
        changed = self.with_config(config)
        if config != self.config:
            changed.save()
        return changed

    def _make_folders(self) -> None:
        for folder in (self.checkpoints, self._generations):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def redistributable(self) -> bool:
        """Whether its nets may be distributed. Version 0.1.0 wrote the key `ships`."""
        return self.metadata.get("redistributable", self.metadata.get("ships")) is True

    # --- events and results ---

    def events(self) -> list[dict[str, Any]]:
        """The valid rows of the event log: a `session` row revokes the learning steps after its own
        step.
        """
        rows: list[dict[str, Any]] = []
        for row in read_rows(self.event_log):
            if not isinstance(row.get("seconds"), int | float):
                continue
            if row.get("event") == "session":
                rows = [r for r in rows if r["event"] != "learn" or r["step"] <= row.get("step", 0)]
            if isinstance(row.get("event"), str):
                rows.append(row)
        return rows

    @property
    def is_done(self) -> bool:
        """Whether a session has used up the current time budget."""
        budget = 60.0 * self.config.minutes
        return any(r["event"] == "done" and r["seconds"] >= budget for r in self.events())

    def status(self) -> dict[str, Any]:
        """What the run is and has done. Raises BadData."""
        rows = self.events()
        learned = [row for row in rows if row["event"] == "learn"]
        gates = [row for row in rows if row["event"] == "gate"]
        has_replay = (self.replay / "manifest.json").exists()
        generations = self.generations()
        last = learned[-1] if learned else {}
        return {
            "folder": str(self.path),
            "rule": self.config.rule,
            "size": self.config.size,
            "net": self.config.spec.name,
            "colours": self.config.colours,
            "redistributable": self.redistributable,
            "minutes": round(max((row["seconds"] for row in rows), default=0.0) / 60, 2),
            "planned_minutes": self.config.minutes,
            "generation": generations[-1].number if generations else None,
            "step": last.get("step", 0),
            "counts": dict(Manifest.load(self.replay).counts) if has_replay else {},
            "gates": len(gates),
            "accepted": sum(bool(row.get("accepted")) for row in gates),
            "rejected": sum(row["event"] == "rejected" for row in rows),
            "losses": {name: last[name] for name in ("value", "policy") if name in last},
        }

    def read_results(self, name: str) -> list[dict[str, Any]]:
        """The rows of a file of results; empty if it is missing or damaged."""
        try:
            table = json.loads((self.path / name).read_text("utf-8"))
            return [row for row in table["rows"] if isinstance(row, dict)]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return []

    def write_results(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Raises OSError."""
        write_text(json.dumps({"rows": rows}, indent=1) + "\n", self.path / name)

    # --- generations ---

    def generations(self) -> list[Generation]:
        """All, oldest first."""
        paths = [path for path in self._generations.iterdir() if _GENERATION.fullmatch(path.name)]
        return [
            Generation(int(path.name), path) for path in sorted(paths, key=lambda p: int(p.name))
        ]

    def newest_generation(self) -> Generation:
        """Raises BadZero if there is none."""
        if not (generations := self.generations()):
            raise BadZero(f"{self.path} has no generation yet: resume the run first")
        return generations[-1]

    def add_generation(
        self, nets: Mapping[str, NetWeights], metadata: Mapping[str, Any]
    ) -> Generation:
        """Store the newest generation, completely or not at all. Raises OSError."""
        before = self.generations()
        number = before[-1].number + 1 if before else 0
        generation = Generation(number, self._generations / f"{number:04d}")
        with (
            explain_write_errors(generation.path, "resume the run"),
            replacing_folder(generation.path) as part,
        ):
            for name, net in nets.items():
                write_weights(part / f"{name}.pt", net)
            text = json.dumps({"generation": number, **metadata}, indent=1) + "\n"
            write_text(text, part / "about.json")
        return generation
