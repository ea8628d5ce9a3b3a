# SPDX-License-Identifier: MIT
"""The folder of a shipping, `RUN/ship/NAME/`: `plan.json` says what is made and is written once;
`data/` are the games it learns from, `train/` its trainings, `nets/` the checked files, `match-…/`
the games against the opponent, `ship.json` what came out. Relies on the folder of a run; shipping
and the report rely on it.

Each part is there whole or not at all, so the same command goes on with the first that is not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tengen._version import version
from tengen.game import records
from tengen.train.errors import writing
from tengen.train.tables import write_table
from tengen.zero.errors import BadZero
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.ship_config import MATCH_KEYS, ShipConfig

__all__ = ["AGAIN", "ShipFolder", "ShipPlan", "read_ships"]

# What to do once whatever was in the way of a file is put right.
AGAIN = "give the same command again"
_USUAL_SIZE = 15  # of boards; names of nets do not tell it
_FORMAT = 1
_PLAN, _RESULT, _PLACE = "plan.json", "ship.json", "ship"


@dataclass(frozen=True)
class ShipPlan:
    """What was decided when it began."""

    samples: int  # that each net learns from
    obstacles: tuple[str, ...]  # why nothing that comes of it may be given away; empty: it may


class ShipFolder:
    """Where a shipping lies, and what it is."""

    def __init__(self, run: ZeroFolder, generation: Generation, config: ShipConfig) -> None:
        self.run, self.generation, self.config = run, generation, config
        recipe = {k: v for k, v in write_table(config).items() if k not in MATCH_KEYS}
        self.name = f"{config.size}-{generation.number:04d}-{_hash(recipe)}"
        self.path = run.path.resolve() / _PLACE / self.name

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def nets(self) -> Path:
        return self.path / "nets"

    @property
    def result(self) -> Path:
        return self.path / _RESULT

    def training(self, player: str) -> Path:
        """The folder of a training: `net`, `black` or `white`."""
        return self.path / "train" / player

    def net(self, player: str) -> Path:
        """The file of a net: it is there once it has passed its checks."""
        run = self.run.config
        board = "" if run.size == _USUAL_SIZE else str(run.size)
        colour = "" if player == "net" else f"-{player}"
        return self.nets / f"mixnet-{self.config.size}-{run.rule}{board}{colour}.net"

    def match(self, definition: Mapping[str, Any]) -> Path:
        """The folder of a match: of each opponent one of its own, by its net too. Where the nets
        of this folder lie makes no difference, so a run that was moved finds its games.
        """
        own, *others = definition["players"]
        options = {**own.get("options", {}), "net": ""}
        players = [{**own, "options": options}]
        players += [{**one, "options": {"net": "", **one.get("options", {})}} for one in others]
        return self.path / f"match-{_hash({**definition, 'players': players})}"

    def read_plan(self) -> ShipPlan | None:
        """None: it has not begun. Raises BadZero."""
        path = self.path / _PLAN
        try:
            found = json.loads(path.read_text("utf-8"))
            if found["format"] != _FORMAT or found["run"] != self.run.run:
                raise BadZero(f"{path}: not a shipping of this run and format ({_FORMAT})")
            return ShipPlan(int(found["samples"]), tuple(map(str, found["obstacles"])))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            if isinstance(error, BadZero):
                raise
            words = "delete the folder to begin it again"
            raise BadZero(f"{path} cannot be read ({error}): {words}") from None

    def write_plan(self, plan: ShipPlan) -> None:
        """Raises OSError."""
        head = {
            "format": _FORMAT,
            "tengen": version(),
            "run": self.run.run,
            "generation": self.generation.number,
            **asdict(plan),
            "config": write_table(self.config),
        }
        with writing(self.path / _PLAN, AGAIN):
            records.write_text(json.dumps(head, indent=1) + "\n", self.path / _PLAN)

    def write_result(self, table: Mapping[str, Any]) -> None:
        """Raises OSError."""
        told = {"format": _FORMAT, "tengen": version(), "run": self.run.run, **table}
        with writing(self.result, AGAIN):
            records.write_text(json.dumps(told, indent=1) + "\n", self.result)


def read_ships(run: ZeroFolder) -> list[dict[str, Any]]:
    """What came of all shippings of a run; those without a result, or a damaged one, left out."""
    rows = []
    for path in sorted((run.path / _PLACE).glob(f"*/{_RESULT}")):
        try:
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(found, dict) and isinstance(found.get("words"), str):
            rows.append(found)
    return rows


def _hash(table: Mapping[str, Any]) -> str:
    told = json.dumps(table, sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:6]
