# SPDX-License-Identifier: MIT
"""`Experiment`: a table or figure of a paper, as the steps that fill it and the report of their
results. Each experiment is one file of this package that contains no machinery.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from tengen.experiments.errors import BadExperiment
from tengen.experiments.measured import Measured
from tengen.experiments.step import Step
from tengen.experiments.store import StepStore
from tengen.experiments.verdicts import Verdict
from tengen.util.config import choose
from tengen.util.errors import BadConfig
from tengen.util.files import files_of

ScaleName: TypeAlias = Literal["tiny", "small", "paper"]
SCALES: tuple[ScaleName, ...] = ("tiny", "small", "paper")

# Each in `tengen.experiments.NAME` with underscores, as `EXPERIMENT`.
NAMES = (
    "classical-depth",
    "classical-updates",
    "go-params",
    "go-gpuct",
    "go-small-nets",
    "go-depth-width",
    "go-speed",
    "go-tournaments",
    "gomokunet-1",
    "gomokunet-2",
    "gomokunet-zero",
    "renju-nets",
    "renju-search",
)


@dataclass(frozen=True, slots=True)
class DataSource:
    """Data of the user: a data set folder, a folder of `part_NN.npz`, or game records. `digest`
    identifies the content; a folder of results from elsewhere knows it without the path.
    """

    digest: str
    path: Path | None = None

    @classmethod
    def of(cls, path: Path) -> Self:
        """Digests the manifest of a data set, which has the checksums of all shards, or all files.
        Raises BadExperiment.
        """
        from tengen.data.manifest import MANIFEST  # needs NumPy

        found = hashlib.sha256()
        try:
            if (path / MANIFEST).exists():
                return cls(hashlib.sha256((path / MANIFEST).read_bytes()).hexdigest(), path)
            files = files_of(path)
            for file in files:
                with file.open("rb") as opened:
                    digest = hashlib.file_digest(opened, "sha256").digest()
                    found.update(file.suffix.encode() + digest)
        except OSError as error:
            raise BadExperiment(f"{path}: {error.strerror or error}", "--data") from None
        if not files:
            raise BadExperiment(f"{path} is an empty folder", "--data")
        return cls(found.hexdigest(), path)


@dataclass(frozen=True, slots=True)
class EngineSource:
    """A further player for tournaments, as `--engine` names it."""

    command: str
    checksums: tuple[str, ...] = ()  # of the files that it starts and reads
    # False: named by an unpacked file, which may be from anyone; never started.
    may_start: bool = True

    @classmethod
    def of(cls, command: str) -> Self:
        """Checks that the player exists. Raises BadExperiment, BadArena."""
        from tengen.arena import Player  # needs NumPy
        from tengen.arena.player import check_player
        from tengen.experiments.programs import program_checksums
        from tengen.game.rule import Rule

        player = Player.parse(command)
        try:
            checksums = program_checksums([player.to_dict()])
        except ValueError as error:  # of quotes
            raise BadExperiment(f"{command!r:.80}: {error}", "--engine") from None
        except OSError as error:
            problem = f"{error.filename}: {error.strerror or error}"
            raise BadExperiment(problem, "--engine") from None
        check_player(player, Rule.RENJU, 15)  # of the only experiment with further players
        return cls(command, checksums)


@dataclass(frozen=True, slots=True)
class Setup:
    """How an experiment is run; all of it except the paths determines results."""

    scale: ScaleName = "small"
    data: Mapping[str, DataSource] = field(default_factory=dict)  # by name: `renju`, `selfplay`
    engines: tuple[EngineSource, ...] = ()
    # Names of data, or `engines`, to drop from the earlier setup.
    omitted: frozenset[str] = frozenset()

    def after(self, before: Setup) -> Setup:
        """This setup with what it does not give taken from an earlier one."""
        kept = {name: one for name, one in before.data.items() if name not in self.omitted}
        engines = () if "engines" in self.omitted else before.engines
        return Setup(self.scale, {**kept, **self.data}, self.engines or engines)


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of a report. Cells are texts, numbers, `Measured`, or None: not run."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A line or, unless `joined`, points of a chart."""

    name: str
    points: tuple[tuple[float, float], ...]
    joined: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a report."""

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What an experiment says about its results."""

    tables: tuple[ReportTable, ...]
    verdicts: tuple[Verdict, ...] = ()
    charts: tuple[Chart, ...] = ()
    notes: tuple[str, ...] = ()  # how the run differs from the paper's


class StepResults:
    """The results of the steps of a plan, by label."""

    def __init__(self, store: StepStore, plan: Mapping[str, Step]) -> None:
        self.plan, self.store = plan, store
        self._found = {label: store.read(step) for label, step in plan.items()}

    def get(self, label: str) -> dict[str, Any] | None:
        """The result of a step; None if it is not done."""
        content = self._found.get(label)
        return None if content is None else dict(content["result"])

    def value(self, label: str, *path: str) -> Any:
        """A value inside a result: `value("resnet", "validation", "policy_top1")`; None if the step
        is not done or has no such value.
        """
        found: Any = self.get(label)
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment."""

    name: str
    title: str  # one line
    plan: Callable[[Setup], dict[str, Step]]  # the steps whose results it reports, by label
    report: Callable[[Setup, StepResults], Findings]
    cost: Mapping[str, str]  # minutes by scale, and of what; small: measured
    data: tuple[str, ...] = ()  # names of `--data` that it uses
    differences: tuple[str, ...] = ()  # from the paper, whatever the scale


def find_experiment(name: str) -> Experiment:
    """Raises BadExperiment with a suggestion."""
    try:
        choose("", name, NAMES)
    except BadConfig as error:
        raise BadExperiment(f"no experiment {name!r:.60}: {error.problem}") from None
    module = import_module(f"tengen.experiments.{name.replace('-', '_')}")
    found: Experiment = module.EXPERIMENT
    return found


def cell_text(value: Any) -> str:
    """A cell for Markdown."""
    if value is None:
        return ""
    if isinstance(value, Measured):
        return value.text()
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
