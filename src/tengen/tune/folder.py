# SPDX-License-Identifier: MIT
"""The folder of a run (docs/tuning.md): `tune.json`, the plan, is written once; `iterations.jsonl`
only grows; both together are the whole state. `values.json` and `report.html` are made of them.

Relies on the arena's journal; the session, the report and the command line rely on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tengen._version import version
from tengen.arena.errors import BadState
from tengen.arena.store import Journal, read_head
from tengen.game import records
from tengen.tune.errors import BadTuning
from tengen.tune.plan import Plan
from tengen.tune.state import State
from tengen.tune.trial import Entry

__all__ = ["Folder"]

_FORMAT = 1
_PLAN, _JOURNAL, _VALUES = "tune.json", "iterations.jsonl", "values.json"


class Folder:
    """What a run has written, and its state."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self.state = State(plan)
        self._journal: Journal | None = None

    @staticmethod
    def has_run(path: Path) -> bool:
        return (path / _PLAN).exists()

    @classmethod
    def check_free(cls, path: Path) -> None:
        """That no run is in a folder yet. Raises BadState."""
        if cls.has_run(path) or (path / _JOURNAL).exists():
            raise BadState(f"{path} has a run already: go on with --resume, or use another folder")

    @classmethod
    def create(cls, path: Path, plan: Plan) -> Folder:
        """Begin a run. Raises BadState if the folder has one already."""
        path.mkdir(parents=True, exist_ok=True)
        cls.check_free(path)
        head = {"format": _FORMAT, "tengen": version(), "plan": plan.to_dict()}
        records.write_text(json.dumps(head, indent=1) + "\n", path / _PLAN)
        return cls(path, plan)

    @classmethod
    def read(cls, path: Path) -> Folder:
        """The run of a folder, which may still be going on. Raises BadState."""
        head = read_head(path / _PLAN, _FORMAT)
        try:
            folder = cls(path, Plan.from_dict(head["plan"]))
        except (BadTuning, KeyError, TypeError) as error:
            raise BadState(f"{path / _PLAN}: {error}") from None
        for state in folder.replay():
            folder.state = state
        return folder

    def replay(self) -> Iterator[State]:
        """The state before the first line of the journal, then after each: one and the same, which
        grows. What follows the last line break is no line. Raises BadState.
        """
        path, state = self.path / _JOURNAL, State(self.plan)
        yield state
        if not path.exists():
            return
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    entry = Entry.from_json(line)
                    fault = state.fault(entry)
                except BadState as error:
                    fault = str(error)
                if fault:
                    raise BadState(f"{path}, line {number}: {fault}")
                state.add(entry)
                yield state

    def open(self) -> int:
        """Make ready to add iterations; how many bytes of a torn last line were cut off."""
        self._journal = Journal(self.path / _JOURNAL)
        return self._journal.cut

    def add(self, entry: Entry) -> None:
        """Keep an iteration: from here on it is safe, and its result counts."""
        assert self._journal is not None
        self._journal.append(entry.to_json())
        self.state.add(entry)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def write_values(self) -> None:
        """Write `values.json`."""
        text = json.dumps(self.values(), indent=1)
        records.write_text(text + "\n", self.path / _VALUES)

    def values(self) -> dict[str, Any]:
        """Where the run stands, for programs."""
        state, spsa = self.state, self.plan.spsa
        names = [entry.name for entry in spsa.parameters]
        total = state.total
        return {
            "iterations": state.iterations,
            "of": spsa.iterations,
            "games": total.games,
            "wins": total.wins,
            "draws": total.draws,
            "losses": total.losses,
            "faults": total.faults,
            "values": dict(zip(names, state.walk.values, strict=True)),
            "exact": dict(zip(names, (round(v, 4) for v in state.walk.theta), strict=True)),
            "noise": dict(zip(names, (round(v, 4) for v in state.walk.noise), strict=True)),
            "start": dict(zip(names, spsa.start, strict=True)),
        }
