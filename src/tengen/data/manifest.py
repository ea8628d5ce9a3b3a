# SPDX-License-Identifier: MIT
"""`Manifest`: what a data set is, and which shards belong to it; the file `manifest.json`.

A shard that the manifest does not name is not there: replacing this one file is what makes a new
shard part of the set. Unknown keys are refused. Relies on rules and rows; the writer and the reader
rely on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from tengen.data.errors import BadData
from tengen.data.packing import check_size
from tengen.data.rows import OPTIONAL, REQUIRED, Form
from tengen.game.errors import BadNotation
from tengen.game.records import write_text
from tengen.game.rule import Rule

__all__ = ["FORMAT", "MANIFEST", "REPAIR", "Manifest", "Shard", "Validation"]

FORMAT = 1
MANIFEST = "manifest.json"
# What to do about a damaged file, be the data imported or played.
REPAIR = "bring the file back from a copy, or make the data set again"
MOST_MOVES = 484  # policy moves a row: all points of the largest board

Unit = Literal["row", "game"]
_NAME = re.compile(r"\d{5,9}", re.ASCII)
_CRC = re.compile(r"[0-9a-f]{8}", re.ASCII)


def _whole(what: str, value: object, least: int, most: int | None = None) -> int:
    good = isinstance(value, int) and not isinstance(value, bool)
    if not good or value < least or (most is not None and value > most):  # type: ignore[operator]
        upwards = f"{least} or more" if most is None else f"{least} to {most}"
        raise BadData(f"no {what} {value!r:.60}: use a whole number, {upwards}")
    return value  # type: ignore[return-value]


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadData(f"no {what} {value!r:.60}: use a text")
    return value


def _table(what: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BadData(f"no {what} {value!r:.60}: use a table")
    return dict(value)


def _known(kind: type, data: object, what: str) -> dict[str, Any]:
    """The values of a table, if each is a field of the kind and none is missing."""
    values = _table(what, data)
    known = [entry.name for entry in fields(kind)]
    if unknown := sorted(set(values) - set(known)):
        raise BadData(f"{what}: unknown {', '.join(unknown)}; known are {', '.join(known)}")
    if missing := [name for name in known if name not in values]:
        raise BadData(f"{what}: {', '.join(missing)} missing")
    return values


@dataclass(frozen=True, slots=True)
class Validation:
    """Which rows are for validation: of every `every` blocks the last. By position alone, so
    that rows that are added later change nothing.
    """

    every: int = 20  # 0: no row is for validation
    block: int = 5000  # rows or games of a block
    # "row": blocks of consecutive rows of all shards. "game": blocks of game numbers (column
    # `game`), so that no game is in both parts.
    unit: Unit = "row"

    def __post_init__(self) -> None:
        _whole("validation.every", self.every, 0)
        _whole("validation.block", self.block, 1)
        if self.every == 1:
            raise BadData("validation.every is 1: nothing is left to train on; use 0 or 2 or more")
        if self.unit not in get_args(Unit):
            raise BadData(f"no validation.unit {self.unit!r:.60}: known are row, game")


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard: the files `NAME.COLUMN.npy`, all of them or none."""

    name: str
    positions: int  # rows
    columns: Mapping[str, str]  # CRC-32 of each column's file, eight hex digits
    origin: str = ""  # what it was made from, for a message or to go on with an import

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(_text("name of a shard", self.name)):
            raise BadData(f"no shard {self.name!r:.60}: names are five digits")
        where = f"shard {self.name}"
        _whole(f"{where}: positions", self.positions, 1)
        _text(f"{where}: origin", self.origin)
        columns = _table(f"{where}: columns", self.columns)
        for column, crc in columns.items():
            if column not in REQUIRED + OPTIONAL:
                raise BadData(f"{where}: unknown column {column!r:.60}")
            if not isinstance(crc, str) or not _CRC.fullmatch(crc):
                raise BadData(f"{where}: no CRC {crc!r:.60} of column {column!r}")
        if missing := [name for name in REQUIRED if name not in columns]:
            raise BadData(f"{where}: column {', '.join(missing)} missing")

    def file(self, folder: Path, column: str) -> Path:
        return folder / f"{self.name}.{column}.npy"


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that is known of a data set, and its shards in order."""

    name: str
    rule: Rule
    size: int
    policy_moves: int  # K: moves of a row's policy
    validation: Validation = field(default_factory=Validation)
    source: str = ""  # where the positions come from, in words
    terms: str = ""  # what may be done with them, in words
    ships: bool = False  # whether a net trained on them may ship
    # False while an import is under way: the shards are good, but not all are there.
    finished: bool = True
    # How an importer made it, so that the same command can go on; else empty.
    recipe: Mapping[str, Any] = field(default_factory=dict)
    # What an importer counted: what it took, and what it left out and why.
    counts: Mapping[str, int] = field(default_factory=dict)
    shards: tuple[Shard, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("name", "source", "terms"):
            _text(name, getattr(self, name))
        for name in ("ships", "finished"):
            if not isinstance(value := getattr(self, name), bool):
                raise BadData(f"no {name} {value!r:.60}: use true or false")
        try:
            put(self, "rule", Rule.parse(self.rule))
        except BadNotation as error:
            raise BadData(str(error)) from None
        put(self, "size", check_size(self.size))
        _whole("policy_moves", self.policy_moves, 1, MOST_MOVES)
        put(self, "recipe", _table("recipe", self.recipe))
        put(self, "counts", _table("counts", self.counts))
        for what, number in self.counts.items():
            _whole(f"count of {what}", number, 0)
        put(self, "shards", tuple(self.shards))
        self._check_shards()

    def _check_shards(self) -> None:
        names = [shard.name for shard in self.shards]
        if len(set(names)) != len(names):
            raise BadData("a shard is named twice")
        for shard in self.shards:
            if set(shard.columns) != set(self.columns):
                words = f"shard {shard.name} has other columns than shard {names[0]}"
                raise BadData(f"{words}: {', '.join(shard.columns)}")
        if self.shards and self.validation.unit == "game" and "game" not in self.columns:
            raise BadData("validation is by game, but there is no column 'game'")

    @property
    def positions(self) -> int:
        return sum(shard.positions for shard in self.shards)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that every shard has, in the order of the format; of an empty set none."""
        held = self.shards[0].columns if self.shards else {}
        return tuple(name for name in REQUIRED + OPTIONAL if name in held)

    @property
    def form(self) -> Form:
        return Form(self.size, self.policy_moves)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as the file holds it and `from_dict` takes it."""
        data: dict[str, Any] = {"format": FORMAT}
        data |= {entry.name: getattr(self, entry.name) for entry in fields(self)}
        data["rule"] = str(self.rule)
        data["positions"] = self.positions
        data["validation"] = _plain(self.validation)
        data["shards"] = [_plain(shard) for shard in data.pop("shards")]  # the longest comes last
        return data

    @classmethod
    def from_dict(cls, data: object) -> Manifest:
        """From the table of a file. Raises BadData."""
        values = _table("manifest", data)
        if (found := values.pop("format", None)) != FORMAT:
            words = f"format {found!r:.60}, where this version of tengen reads {FORMAT}"
            raise BadData(f"{words}: update tengen, or make the data set again")
        told = _whole("positions", values.pop("positions", None), 0)
        values = _known(cls, values, "manifest")
        values["validation"] = Validation(**_known(Validation, values["validation"], "validation"))
        if not isinstance(values["shards"], list):
            raise BadData(f"no shards {values['shards']!r:.60}: use a list")
        values["shards"] = tuple(Shard(**_known(Shard, one, "shard")) for one in values["shards"])
        made = cls(**values)
        if told != made.positions:
            raise BadData(f"positions is {told}, but the shards have {made.positions}")
        return made

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a folder. Raises BadData with what to do, and OSError."""
        path = folder / MANIFEST
        try:
            text = path.read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            words = f"{folder} is no data set: it has no {MANIFEST}"
            games = folder / "replay"  # of a run of zero learning
            known = (
                f"give {games}" if (games / MANIFEST).exists() else "`tengen data import` makes one"
            )
            raise BadData(f"{words}; {known}") from None
        except UnicodeDecodeError as error:
            raise BadData(f"{path} is damaged ({error}): {REPAIR}") from None
        try:
            return cls.from_dict(json.loads(text))
        except BadData as error:
            raise BadData(f"{path}: {error}") from None
        except (ValueError, RecursionError) as error:
            why = str(error) if text.strip() else "it is empty"
            raise BadData(f"{path} is damaged ({why}): {REPAIR}") from None

    def write(self, folder: Path) -> None:
        """Replace the manifest of a folder, whole or not at all. Raises OSError."""
        write_text(json.dumps(self.to_dict(), indent=1) + "\n", folder / MANIFEST)


def _plain(value: Validation | Shard) -> dict[str, Any]:
    found = {entry.name: getattr(value, entry.name) for entry in fields(value)}
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in found.items()}
