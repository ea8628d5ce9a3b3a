# SPDX-License-Identifier: MIT
"""`ExperimentFolder`: the folder of experiments: their setup, the results of steps, reports.

experiments.json   scale, data, engines, and the names of the experiments
journal.jsonl      one row when a step starts, ends or fails
steps/KIND-KEY/    one folder for each step, with its result.json
reports/           NAME.md, NAME.json, NAME.html, README.md
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from tengen.experiments.experiment import (
    NAMES,
    SCALES,
    DataSource,
    EngineSource,
    Setup,
    find_experiment,
)
from tengen.experiments.report import REPORTS, Report, make_report, write_report, write_summary
from tengen.experiments.step import Step
from tengen.experiments.store import StepStore
from tengen.util.errors import BadConfig, BadRun, TengenError
from tengen.util.run_folder import RunFolder


def _source(table: Mapping[str, str]) -> DataSource:
    path = str(table["path"])
    return DataSource(str(table["digest"]), Path(path) if path else None)


def _engine(entry: Any) -> EngineSource:
    if isinstance(entry, str):  # of 0.1.0, without checksums
        return EngineSource.of(entry)
    may_start = entry.get("may_start") is True
    return EngineSource(str(entry["command"]), tuple(map(str, entry["checksums"])), may_start)


class ExperimentFolder(RunFolder):
    """One setup and its experiments."""

    HEAD: ClassVar = "experiments.json"

    def __init__(self, path: Path, setup: Setup, names: Iterable[str] = ()) -> None:
        super().__init__(path)
        self.setup = setup
        self.names = [name for name in NAMES if name in set(names)]
        self.store = StepStore(path)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises BadRun."""
        head = cls.read_head(path)
        try:
            setup = Setup(
                head["scale"],
                {str(name): _source(one) for name, one in head["data"].items()},
                tuple(map(_engine, head["engines"])),
            )
            names = [find_experiment(str(name)).name for name in head["experiments"]]
        except (KeyError, TypeError, AttributeError, BadConfig) as error:
            raise BadRun(f"{path / cls.HEAD} is damaged: {error}") from None
        if setup.scale not in SCALES:
            raise BadRun(f"{path / cls.HEAD} is damaged: no scale {setup.scale!r:.40}")
        return cls(path, setup, names)

    @classmethod
    def open(cls, path: Path, setup: Setup, names: Iterable[str]) -> Self:
        """The folder with these experiments added. Data and engines that are not given stay as they
        were. Raises BadRun if the folder has another scale, BadExperiment, OSError.
        """
        names = [find_experiment(name).name for name in names]
        if cls.has_run(path):
            before = cls.read(path)
            if before.setup.scale != setup.scale:
                problem = f"{path} has experiments of scale {before.setup.scale}"
                raise BadRun(f"{problem}: use another --out for {setup.scale}")
            setup = setup.after(before.setup)
            names = [*before.names, *names]
        folder = cls(path, setup, names)
        for name in folder.names:
            folder.plan(name)  # raises before a wrong setup is stored
        folder._write()
        return folder

    def _write(self) -> None:
        content: dict[str, Any] = {
            "scale": self.setup.scale,
            "data": {
                name: {"digest": one.digest, "path": str(one.path.resolve()) if one.path else ""}
                for name, one in self.setup.data.items()
            },
            "engines": [
                {"command": one.command, "checksums": one.checksums, "may_start": one.may_start}
                for one in self.setup.engines
            ],
            "experiments": self.names,
        }
        self.write_head(content)

    def plan(self, name: str) -> dict[str, Step]:
        return find_experiment(name).plan(self.setup)

    def write_reports(self, names: Iterable[str] = ()) -> list[Report]:
        """Write the reports of some experiments, by default all. Raises OSError, BadRun."""
        reports = [self._report(name) for name in names or self.names]
        for report in reports:
            write_report(report, self.path / REPORTS)
        if not names or list(names) == self.names:
            write_summary(reports, self.path / REPORTS)
        return reports

    def _report(self, name: str) -> Report:
        try:
            return make_report(self.store, name, self.setup)
        except TengenError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            # A result that was made elsewhere may have another shape than its step gives it.
            problem = f"a result of {name} in {self.path} has an unknown shape"
            raise BadRun(f"{problem} ({type(error).__name__}: {error})") from error
