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
from tengen.experiments.experiment import DataSource, Setup
from tengen.experiments.step import UNHASHED, Step, Workspace
from tengen.game.board import Board
from tengen.game.rule import Colour, Rule
from tengen.util.event_log import EventLog, read_rows
from tengen.util.files import files_of, write_text

FOLDER = "data"  # the data set inside a step's folder
_GAMES = "games.txt"
_PLAYED = "games.jsonl"  # the games so far
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
        _check_digest(self.path, self.digest)
        out = work.folder / FOLDER
        if (self.path / MANIFEST).exists():
            out.unlink(missing_ok=True)
            out.symlink_to(self.path.resolve(), target_is_directory=True)
        elif not _is_complete(out):
            if any(self.path.glob("part_*.npz")):
                rule = Rule.parse(self.rule)
                import_packed(
                    self.path, out, rule=rule, size=self.size, terms=_TERMS, redistributable=False
                )
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
        with EventLog(work.folder / _PLAYED) as log, Engine("classical", memory=8) as engine:
            lines = [str(row["game"]) for row in read_rows(log.path)]
            for number, opening in enumerate(islice(drawn, len(lines), self.games), len(lines) + 1):
                if work.stop():
                    raise StepStopped(self.title)
                engine.new_game()  # no game depends on those before it, which a kill may separate
                lines.append(self._play(engine, board_after(opening, self.size, rule)))
                log.append({"game": lines[-1]})
                work.report(f"{number} of {self.games} games")
        write_text("\n".join(lines) + "\n", file)
        out = work.folder / FOLDER
        if not _is_complete(out):
            _import_games(file, out, self, work)
        return _describe(out, self.title)

    def _play(self, engine: Engine, board: Board) -> str:
        """A game as a line of a record file."""
        while not board.is_over() and len(board.moves) < self.size * self.size // 2:
            board.push(engine.play(board, Limit(nodes=self.nodes)).move)
        outcome = board.outcome()
        result = _RESULTS[None if outcome is None else outcome.winner]
        return " ".join([result, *map(str, board.moves)])


def data_step(setup: Setup, name: str, rule: str, *, size: int = 15, skip: int = 0) -> DataStep:
    """The data set that `--data NAME=PATH` gave, else games made by the engine."""
    source = setup.data.get(name)
    if source is None:
        games = {"tiny": 60, "small": 2000, "paper": 20_000}[setup.scale]
        return MadeGames(rule, size, games=games, skip=skip)
    return GivenData(rule, size, digest=source.digest, skip=skip, path=source.path)


def data_folder(work: Workspace, step: DataStep) -> Path:
    """The data set of a step. Raises StepFailed if it is the user's and has changed."""
    folder = work.file(step, f"{FOLDER}/{MANIFEST}").parent
    if isinstance(step, GivenData) and folder.is_symlink():
        _check_digest(folder.resolve(), step.digest)
    return folder


def _check_digest(path: Path, digest: str) -> None:
    if DataSource.of(path).digest != digest:
        problem = f"{path} has changed since it was named"
        raise StepFailed(f"{problem}: name it again by --data NAME=PATH")


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

    import_records(files_of(path), out, options, progress=report)


def _is_complete(out: Path) -> bool:
    return (out / MANIFEST).exists() and Dataset.open(out, unfinished=True).manifest.finished


def _describe(folder: Path, source: str) -> dict[str, Any]:
    data = Dataset.open(folder)
    counts: Mapping[str, int] = data.manifest.counts
    validation = len(data.split("validation"))
    if not validation:
        every = data.manifest.validation.every
        advice = "import them with a validation share" if not every else "give more data"
        raise StepFailed(f"{source} has no validation positions, which trainings need: {advice}")
    return {
        "positions": data.manifest.positions,
        "validation": validation,
        "games": counts.get("games", 0),
        "redistributable": data.manifest.redistributable,
        "source": source,
    }
