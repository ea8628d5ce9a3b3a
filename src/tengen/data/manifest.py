# SPDX-License-Identifier: MIT
"""`Manifest`: the description of a data set and the list of its shards; the file `manifest.json`.

A shard that the manifest does not name does not exist: replacing this file adds a shard to the set.
Unknown keys are errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from tengen.data.errors import BadData
from tengen.data.packing import check_size
from tengen.data.rows import OPTIONAL, REQUIRED, RowFormat
from tengen.game.rule import Rule
from tengen.util.config import Config, setting
from tengen.util.deprecation import renamed_fields
from tengen.util.files import write_text

FORMAT = 1
MANIFEST = "manifest.json"
REPAIR = "restore the file from a copy, or make the data set again"
MAX_POLICY_MOVES = 484  # per row: all points of the largest board
# Units of `Validation` by the names that users give.
SPLITS: Mapping[str, Literal["row", "game"]] = {"game": "game", "position": "row"}
_NAME = re.compile(r"\d{5,9}", re.ASCII)
_CRC = re.compile(r"[0-9a-f]{8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Validation(Config):
    """Which rows are for validation: one block of `every`, spread evenly; of an integer the last.
    By position only, so adding rows does not move others.
    """

    ERROR: ClassVar[type[BadData]] = BadData

    every: float = setting(20.0, min=0)  # 0: no validation rows
    block: int = setting(5000, min=1)  # rows or games of a block
    # "row": blocks of consecutive rows of all shards. "game": blocks of game numbers (column
    # `game`), so that no game is in both splits.
    unit: Literal["row", "game"] = setting("row")

    def validate(self) -> None:
        if 0 < self.every <= 1:
            problem = f"{self.every:g} leaves nothing to train on"
            raise BadData(f"{problem}: use 0, or more than 1", "every")

    def to_dict(self) -> dict[str, Any]:
        """A whole `every` is written as an integer, which version 0.1.0 requires."""
        whole = {"every": int(self.every)} if self.every.is_integer() else {}
        return {**Config.to_dict(self), **whole}


@dataclass(frozen=True, slots=True)
class Shard(Config):
    """A shard: the files `NAME.COLUMN.npy`, all of them or none."""

    ERROR: ClassVar[type[BadData]] = BadData

    name: str
    positions: int = setting(min=1)  # rows
    columns: Mapping[str, str] = setting()  # CRC-32 of each column's file, eight hex digits
    origin: str = ""  # what the importer made it from

    def validate(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise BadData(f"no shard {self.name!r:.60}: names are five digits", "name")
        for column, crc in self.columns.items():
            if column not in REQUIRED + OPTIONAL or not _CRC.fullmatch(crc):
                raise BadData(f"shard {self.name}: no column {column!r:.60} with CRC {crc!r:.60}")
        if missing := [name for name in REQUIRED if name not in self.columns]:
            raise BadData(f"shard {self.name}: column {', '.join(missing)} missing")

    def file(self, folder: Path, column: str) -> Path:
        return folder / f"{self.name}.{column}.npy"


@renamed_fields(ships="redistributable", write="save", form="row_format")
@dataclass(frozen=True, slots=True)
class Manifest(Config):
    """The description of a data set, and its shards in order."""

    ERROR: ClassVar[type[BadData]] = BadData

    name: str
    rule: Rule = setting(convert=Rule.parse)
    size: int = setting(convert=check_size)
    policy_moves: int = setting(min=1, max=MAX_POLICY_MOVES)  # K: policy moves per row
    validation: Validation = Validation()
    source: str = ""  # where the positions come from
    terms: str = ""  # what may be done with them
    redistributable: bool = False  # whether nets trained on them may be distributed
    finished: bool = True  # False: an import is not complete; the shards so far are valid
    recipe: Mapping[str, Any] = setting(factory=dict)  # of an importer, to resume
    counts: Mapping[str, int] = setting(factory=dict, min=0)  # of an importer: taken, left out
    shards: tuple[Shard, ...] = ()

    def validate(self) -> None:
        names = [shard.name for shard in self.shards]
        if len(set(names)) != len(names):
            raise BadData("two shards have the same name")
        for shard in self.shards:
            if set(shard.columns) != set(self.columns):
                problem = f"shard {shard.name} has other columns than shard {names[0]}"
                raise BadData(f"{problem}: {', '.join(shard.columns)}")
        if self.shards and self.validation.unit == "game" and "game" not in self.columns:
            raise BadData("validation is by game, but there is no column 'game'")

    @property
    def positions(self) -> int:
        return sum(shard.positions for shard in self.shards)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of every shard, in the order of the format; of an empty set none."""
        columns = self.shards[0].columns if self.shards else {}
        return tuple(name for name in REQUIRED + OPTIONAL if name in columns)

    @property
    def row_format(self) -> RowFormat:
        return RowFormat(self.size, self.policy_moves)

    def to_dict(self) -> dict[str, Any]:
        """All keys, as the file has them and `from_dict` reads them."""
        data = {"format": FORMAT, "positions": self.positions, **Config.to_dict(self)}
        data["shards"] = data.pop("shards")  # the longest comes last
        return data

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Manifest:
        """From the table of a file. Raises BadData."""
        if not isinstance(table, Mapping):
            raise BadData(f"use a table, not {table!r:.60}")
        values = dict(table)
        if (version := values.pop("format", None)) != FORMAT:
            problem = f"format {version!r:.60}, this version of tengen reads {FORMAT}"
            raise BadData(f"{problem}: update tengen, or make the data set again")
        if "ships" in values:  # the name until 0.1.0
            values["redistributable"] = values.pop("ships")
        positions = values.pop("positions", None)
        manifest = super(Manifest, cls).from_dict(values)
        if positions != manifest.positions:
            raise BadData(f"{positions!r:.60}, the shards have {manifest.positions}", "positions")
        return manifest

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """The manifest of a folder. Raises BadData with advice, and OSError."""
        path = folder / MANIFEST
        try:
            text = path.read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            problem = f"{folder} is not a data set: it has no {MANIFEST}"
            games = folder / "replay"  # of a run of zero learning
            advice = f"give {games}" if (games / MANIFEST).exists() else "see `tengen data import`"
            raise BadData(f"{problem}; {advice}") from None
        except UnicodeDecodeError as error:
            raise BadData(f"{path} is damaged ({error}): {REPAIR}") from None
        try:
            return cls.from_dict(json.loads(text))
        except BadData as error:
            raise BadData(f"{path}: {error}") from None
        except (ValueError, RecursionError) as error:
            why = str(error) if text.strip() else "it is empty"
            raise BadData(f"{path} is damaged ({why}): {REPAIR}") from None

    def save(self, folder: Path) -> None:
        """Replace the manifest of a folder atomically. Raises OSError."""
        write_text(json.dumps(self.to_dict(), indent=1) + "\n", folder / MANIFEST)
