# SPDX-License-Identifier: MIT
"""Data sets as steps: those given by the user, and games that the engine makes where none are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from tengen.arena.make_openings import board_after, draw_openings
from tengen.data.dataset import Dataset
from tengen.data.importers.npz import import_packed
from tengen.data.importers.records import RecordOptions, import_records
from tengen.data.manifest import MANIFEST
from tengen.engine import Engine, Limit
from tengen.experiments.errors import StepFailed, StepStopped
from tengen.experiments.experiment import Setup, files_of
from tengen.experiments.step import UNHASHED, Step, Workspace
from tengen.game.rule import Colour, Rule
from tengen.util.files import write_text

FOLDER = "data"  # the data set inside a step's folder
_GAMES = "games.txt"
_OPENING = 6  # stones; the first moves that importers leave out
_RESULTS = {Colour.BLACK: "B", Colour.WHITE: "W", None: "D"}
# Human games may be used for offline experiments only; nets trained on them are not distributed.
_TERMS = "given by the user; nets trained on it are not distributed"


@dataclass(frozen=True, eq=False)
class DataStep(Step):
    """A data set. Its result has `positions`, `validation` and `source`."""

    KIND: ClassVar = "data"
    FILES: ClassVar = (f"{FOLDER}/{MANIFEST}",)

    rule: str
    size: int


@dataclass(frozen=True, eq=False)
class GivenData(DataStep):
    """Data of the user. The first `skip` moves of game records are left out; a data set is taken
    as it is, except for `every`.
    """

    digest: str
    skip: int = 0
    every: int = 10  # one game of so many is for validation
    path: Path | None = field(default=None, metadata=UNHASHED)

    @property
    def title(self) -> str:
        return f"data {self.path.name if self.path else self.digest[:12]}"

    def run(self, work: Workspace) -> dict[str, Any]:
        if self.path is None or not self.path.exists():
            raise StepFailed("the data are not here: name them by --data NAME=PATH")
        out = work.folder / FOLDER
        if (self.path / MANIFEST).exists():
            out.unlink(missing_ok=True)
            out.symlink_to(self.path.resolve(), target_is_directory=True)
        elif not _is_complete(out) and any(self.path.glob("part_*.npz")):
            import_packed(self.path, out, rule=Rule.parse(self.rule), size=self.size)
        else:
            _import_games(self.path, out, self, work)
        Dataset.open(out).require(self.rule, self.size)
        return _describe(out, self.path.name)


@dataclass(frozen=True, eq=False)
class MadeGames(DataStep):
    """Games of the engine against itself from random openings, for runs without data: enough to
    run every step, not to learn anything from.
    """

    games: int = 200
    nodes: int = 12
    seed: int = 1
    skip: int = 0
    every: int = 10

    @property
    def title(self) -> str:
        return f"{self.games} {self.rule} games of the engine"

    def run(self, work: Workspace) -> dict[str, Any]:
        file = work.folder / _GAMES
        rule = Rule.parse(self.rule)
        drawn = draw_openings(self.seed, self.size, rule, (_OPENING, _OPENING))
        lines = []
        with Engine("classical", memory=8) as engine:
            for number, opening in enumerate(islice(drawn, self.games)):
                if work.stop():
                    raise StepStopped(self.title)
                board = board_after(opening, self.size, rule)
                while not board.is_over() and len(board.moves) < self.size * self.size // 2:
                    board.push(engine.play(board, Limit(nodes=self.nodes)).move)
                outcome = board.outcome()
                result = _RESULTS[None if outcome is None else outcome.winner]
                lines.append(" ".join([result, *map(str, board.moves)]))
                work.report(f"{number + 1} of {self.games} games")
        write_text("\n".join(lines) + "\n", file)
        _import_games(file, work.folder / FOLDER, self, work)
        return _describe(work.folder / FOLDER, self.title)


def data_step(setup: Setup, name: str, rule: str, *, size: int = 15, skip: int = 0) -> DataStep:
    """The data set that `--data NAME=PATH` gave, else games made by the engine."""
    source = setup.data.get(name)
    if source is None:
        games = {"tiny": 60, "small": 2000, "paper": 20_000}[setup.scale]
        return MadeGames(rule, size, games=games, skip=skip)
    return GivenData(rule, size, digest=source.digest, skip=skip, path=source.path)


def data_folder(work: Workspace, step: DataStep) -> Path:
    return work.file(step, FILES[0]).parent


FILES = DataStep.FILES


def _import_games(path: Path, out: Path, step: GivenData | MadeGames, work: Workspace) -> None:
    own = isinstance(step, MadeGames)
    options = RecordOptions(
        rule=Rule.parse(step.rule),
        size=step.size,
        skip=step.skip,
        every=step.every,
        name=step.title,
        terms="" if own else _TERMS,
    )

    def report(done: int, total: int, positions: int) -> None:
        work.report(f"{done / max(1, total):.0%}, {positions:,} positions")
        if work.stop():
            raise StepStopped(step.title)

    if not _is_complete(out):
        import_records(files_of(path), out, options, progress=report)


def _is_complete(out: Path) -> bool:
    return (out / MANIFEST).exists() and Dataset.open(out, unfinished=True).manifest.finished


def _describe(folder: Path, source: str) -> dict[str, Any]:
    data = Dataset.open(folder)
    counts: Mapping[str, int] = data.manifest.counts
    return {
        "positions": data.manifest.positions,
        "validation": len(data.split("validation")),
        "games": counts.get("games", 0),
        "redistributable": data.manifest.redistributable,
        "source": source,
    }
