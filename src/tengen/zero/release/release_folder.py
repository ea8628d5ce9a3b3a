# SPDX-License-Identifier: MIT
"""The folder of a release, `RUN/release/NAME/`: `plan.json` is written once; `data/` has the games
to train on, `train/` the training runs, `nets/` the verified files, `match-…/` the match,
`release.json` the verdict. Each part is complete or absent, so the same command resumes at the
first missing one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tengen._version import version
from tengen.util.files import explain_write_errors, write_text
from tengen.zero.config import ReleaseConfig
from tengen.zero.errors import BadZero
from tengen.zero.zero_folder import Generation, ZeroFolder

RETRY = "repeat the command"  # advice after a write error
_DEFAULT_SIZE = 15  # of boards; names of nets omit it
_FORMAT = 1
_PLAN, _RESULT = "plan.json", "release.json"


@dataclass(frozen=True)
class ReleasePlan:
    """Decided at the start of a release."""

    samples: int  # training samples of each net
    obstacles: tuple[str, ...]  # why the result is not redistributable; empty: it is


class ReleaseFolder:
    """A release on disk."""

    def __init__(self, run: ZeroFolder, generation: Generation, config: ReleaseConfig) -> None:
        self.run, self.generation, self.config = run, generation, config
        recipe = {k: v for k, v in config.to_dict().items() if k not in config.MATCH_KEYS}
        self.name = f"{config.size}-{generation.number:04d}-{_hash(recipe)}"
        home = run.path.resolve()
        old = home / "ship" / self.name  # started by version 0.1.0
        self.path = old if old.exists() else home / "release" / self.name
        self.data, self.nets = self.path / "data", self.path / "nets"

    def training(self, player: str) -> Path:
        """The folder of a training run: `net`, `black` or `white`."""
        return self.path / "train" / player

    def net(self, player: str) -> Path:
        """The file of a net, which exists once it is verified."""
        run = self.run.config
        board = "" if run.size == _DEFAULT_SIZE else str(run.size)
        colour = "" if player == "net" else f"-{player}"
        return self.nets / f"mixnet-{self.config.size}-{run.rule}{board}{colour}.net"

    def match(self, definition: Mapping[str, Any]) -> Path:
        """The folder of a match, one for each opponent and its net. The path of the released net is
        ignored, so that a moved run finds its games.
        """
        own, *others = definition["players"]
        players = [{**own, "options": {**own.get("options", {}), "net": ""}}]
        players += [{**one, "options": {"net": "", **one.get("options", {})}} for one in others]
        return self.path / f"match-{_hash({**definition, 'players': players})}"

    def read_plan(self) -> ReleasePlan | None:
        """None: not started. Raises BadZero."""
        path = self.path / _PLAN
        try:
            table = json.loads(path.read_text("utf-8"))
            plan = ReleasePlan(int(table["samples"]), tuple(map(str, table["obstacles"])))
            if (table["format"], table["run"]) == (_FORMAT, self.run.run):
                return plan
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadZero(f"cannot read {path}: {error}; delete its folder") from None
        raise BadZero(f"{path}: not a release of this run and format ({_FORMAT})")

    def write_plan(self, plan: ReleasePlan) -> None:
        """Raises OSError."""
        content = {"generation": self.generation.number, **asdict(plan)}
        self._write(_PLAN, {**content, "config": self.config.to_dict()})

    def write_result(self, table: Mapping[str, Any]) -> None:
        """Raises OSError."""
        self._write(_RESULT, table)

    def _write(self, name: str, table: Mapping[str, Any]) -> None:
        content = {"format": _FORMAT, "tengen": version(), "run": self.run.run, **table}
        with explain_write_errors(self.path / name, RETRY):
            write_text(json.dumps(content, indent=1) + "\n", self.path / name)


def _hash(table: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:6]
