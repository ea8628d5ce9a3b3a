# SPDX-License-Identifier: MIT
"""The tables and figures of the papers, with the numbers as printed: `papers/*.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

from tengen.experiments.errors import BadExperiment
from tengen.util.config import Config, choose, setting

Cell = str | int | float


def _rows(value: Any) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(row) for row in value)


@dataclass(frozen=True, slots=True)
class Misprint(Config):
    """A printed value that contradicts the paper itself."""

    ERROR: ClassVar = BadExperiment

    row: str
    column: str
    printed: Any = setting()
    correct: Any = setting()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PaperItem(Config):
    """A table, a figure, or a measurement in the text."""

    ERROR: ClassVar = BadExperiment

    name: str
    caption: str = ""
    kind: str = setting("table", choices=("table", "figure", "text"))
    experiment: str = ""  # that reproduces it
    also: tuple[str, ...] = ()  # experiments that reproduce parts of it
    reason: str = ""  # without an experiment: why there is none
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = setting((), convert=_rows)
    labels: int = setting(1, min=1)  # first columns that name a row
    numbers: dict[str, float] = setting(factory=dict)  # of its text, by name
    notes: tuple[str, ...] = ()
    misprint: tuple[Misprint, ...] = ()

    def validate(self) -> None:
        if bool(self.experiment) == bool(self.reason):
            raise BadExperiment(f"{self.name}: give an experiment, or the reason why there is none")
        if any(len(row) != len(self.columns) for row in self.rows):
            raise BadExperiment(f"{self.name}: a row has not {len(self.columns)} values")
        for fault in self.misprint:
            if fault.column not in self.table().get(fault.row, {}):
                raise BadExperiment(f"{self.name}: no {fault.row} x {fault.column} is printed")

    def column(self, name: str) -> dict[str, float]:
        """The printed numbers of a column by row label."""
        cells = {label: row[name] for label, row in self.table().items()}
        return {label: float(cell) for label, cell in cells.items() if not isinstance(cell, str)}

    def matrix(self) -> dict[str, float]:
        """The printed numbers of a matrix by `row x column`."""
        return {
            f"{label} x {name}": float(cell)
            for label, row in self.table().items()
            for name, cell in row.items()
            if not isinstance(cell, str)
        }

    def table(self) -> dict[str, dict[str, Cell]]:
        """The printed values by row label and column; misprints are corrected. A label of several
        columns is joined by blanks.
        """
        names, n = self.columns[self.labels :], self.labels
        table = {
            " ".join(filter(None, map(str, row[:n]))): dict(zip(names, row[n:], strict=True))
            for row in self.rows
        }
        for fault in self.misprint:
            table.get(fault.row, {})[fault.column] = fault.correct
        return table


@dataclass(frozen=True, slots=True)
class Paper(Config):
    """A paper."""

    ERROR: ClassVar = BadExperiment

    id: str
    title: str
    authors: str
    year: int = 0
    item: tuple[PaperItem, ...] = ()

    def named(self, name: str) -> PaperItem:
        """Raises BadExperiment."""
        names = {item.name: item for item in self.item}
        return names[choose("item", name, names)]


PAPERS = ("classical", "mobilenet", "gomokunet", "renju")


@cache
def paper(name: str) -> Paper:
    """A paper by its id. Raises BadExperiment."""
    choose("paper", name, PAPERS)
    text = files(__package__).joinpath("papers", f"{name}.toml").read_text("utf-8")
    return Paper.from_dict(tomllib.loads(text))


def all_items() -> Iterator[tuple[Paper, PaperItem]]:
    """Every table and figure, in the order of the papers."""
    for name in PAPERS:
        for item in paper(name).item:
            yield paper(name), item
