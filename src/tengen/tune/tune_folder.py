# SPDX-License-Identifier: MIT
"""The folder of a tuning run (docs/tuning.md): `tune.json` has the plan, `iterations.jsonl` grows
by each finished iteration; `values.json` and `report.html` derive from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tengen.tune.parameters import BadTuning
from tengen.tune.plan import TuneIteration, TunePlan, TuneState
from tengen.util.deprecation import renamed_fields
from tengen.util.errors import BadRun
from tengen.util.event_log import read_lines
from tengen.util.files import write_text
from tengen.util.run_folder import RunFolder


@renamed_fields(open="open_event_log", close="close_event_log")
class TuneFolder(RunFolder):
    """A tuning run on disk, and its state."""

    HEAD = "tune.json"
    EVENT_LOG = "iterations.jsonl"

    def __init__(self, path: Path, plan: TunePlan) -> None:
        super().__init__(path)
        self.plan = plan
        self.state = TuneState(plan)

    @classmethod
    def create(cls, path: Path, plan: TunePlan) -> TuneFolder:
        """Start a run. Raises BadRun if the folder has one already."""
        cls.check_unused(path)
        folder = cls(path, plan)
        folder.write_head({"plan": plan.to_dict()})
        return folder

    @classmethod
    def read(cls, path: Path) -> TuneFolder:
        """The run of a folder, finished or not. Raises BadRun."""
        head = cls.read_head(path)
        try:
            folder = cls(path, TunePlan.from_dict(head["plan"]))
        except (BadTuning, KeyError, TypeError) as error:
            raise BadRun(f"{path / cls.HEAD}: {error}") from None
        for state in folder.replay():
            folder.state = state
        return folder

    def replay(self) -> Iterator[TuneState]:
        """The state before the first line of the event log, then after each line: always the same
        object. Raises BadRun.
        """
        path, state = self.path / self.EVENT_LOG, TuneState(self.plan)
        yield state
        for number, line in read_lines(path):
            try:
                entry = TuneIteration.from_json(line)
                fault = state.fault(entry)
            except BadRun as error:
                fault = str(error)
            if fault:
                raise BadRun(f"{path}, line {number}: {fault}")
            state.add(entry)
            yield state

    def add(self, entry: TuneIteration) -> None:
        """Store an iteration, within `open_event_log`, and apply its result. Raises OSError."""
        self.append(entry.to_json())
        self.state.add(entry)

    def write_values(self) -> None:
        """Write `values.json`."""
        write_text(json.dumps(self.values(), indent=1) + "\n", self.path / "values.json")

    def values(self) -> dict[str, Any]:
        """The values so far, for programs."""
        state, spsa = self.state, self.plan.spsa
        names = [entry.name for entry in spsa.parameters]
        return {
            "iterations": state.iterations,
            "of": spsa.iterations,
            "games": state.total.games,
            **asdict(state.total),
            "values": dict(zip(names, state.spsa_state.values, strict=True)),
            "exact": dict(zip(names, (round(v, 4) for v in state.spsa_state.theta), strict=True)),
            "noise": dict(zip(names, (round(v, 4) for v in state.spsa_state.noise), strict=True)),
            "start": dict(zip(names, spsa.start, strict=True)),
        }
