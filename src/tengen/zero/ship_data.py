# SPDX-License-Identifier: MIT
"""What a net that ships learns from: the newest games of the replay as they are when it begins, and
other data sets; what it begins with; and what of all that forbids to give it away. Relies on data
sets and weights; shipping relies on it.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from tengen.data import Dataset, Manifest
from tengen.data.manifest import MANIFEST, Shard
from tengen.engine.errors import BadNet
from tengen.game.rule import Colour
from tengen.nets.weights import BadWeights
from tengen.train.errors import writing
from tengen.train.start import find_weights, weights_of
from tengen.zero.errors import BadZero
from tengen.zero.folder import ZeroFolder
from tengen.zero.ship_folder import AGAIN, ShipFolder
from tengen.zero.start import held_for

__all__ = [
    "check_data",
    "check_games",
    "check_rows",
    "find_start",
    "keep_games",
    "obstacles",
]


def keep_games(ship: ShipFolder) -> None:
    """Put the newest games of the replay aside, as links to the same files: whatever the run plays
    or drops from now on, a training that goes on has the rows it began with. Raises BadZero,
    OSError.
    """
    if ship.data.exists():
        return
    replay = ship.run.replay
    held = check_games(ship.run)
    wanted, chosen = ship.config.positions or held.positions, list[Shard]()
    for shard in reversed(held.shards):
        if sum(one.positions for one in chosen) >= wanted:
            break
        chosen.insert(0, shard)
    beside = ship.path / ".data.part"
    with writing(ship.data, AGAIN):
        shutil.rmtree(beside, ignore_errors=True)  # left by a kill
        beside.mkdir(parents=True)
        for shard in chosen:
            for column in shard.columns:
                _link(shard.file(replay, column), shard.file(beside, column))
        replace(held, shards=tuple(chosen), finished=True).write(beside)
        beside.replace(ship.data)


def check_games(run: ZeroFolder) -> Manifest:
    """What the replay holds. Raises BadZero if it has no games, BadData."""
    if not (run.replay / MANIFEST).exists() or not (held := Manifest.load(run.replay)).shards:
        words = "has no games to learn from"
        raise BadZero(f"{run.path} {words}: let it play first, with `tengen zero resume`")
    return held


def _link(source: Path, target: Path) -> None:
    """A second name for a file, or a copy where the disk has no such thing."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def check_rows(ship: ShipFolder, player: str, least: int) -> int:
    """How many rows a player's net learns from. Raises BadZero if they are fewer than a batch."""
    colour = None if player == "net" else Colour.parse(player)
    rows = len(Dataset.open(ship.data).split("train", colour))
    if rows < least:
        side = "" if colour is None else f" with {colour} to move"
        words = f"{ship.run.path} has {rows:,} positions{side} to learn from"
        cure = "let it play more, or use a smaller ship.train.batch"
        raise BadZero(f"{words}, fewer than a batch of {least:,}: {cure}")
    return rows


def find_start(ship: ShipFolder, player: str) -> Path | None:
    """The file that a player's net begins with, weights or a net file, if it is of the right net;
    None: random weights. Raises BadZero, OSError.
    """
    given = ship.config.start
    if not given:
        return None
    inside = (f"train/{player}/net.pt", f"{player}.pt", "net.pt")
    try:
        path = find_weights(given, inside)
        name = weights_of(path).name
    except (BadNet, BadWeights) as error:
        raise BadZero(f"ship.start: {error}") from None
    if name != (wanted := f"mixnet-{ship.config.size}"):
        words = f"ship.start: {path} is of {name}, not of {wanted}"
        raise BadZero(f"{words}: name such a net, or use another size")
    return path.resolve()


def check_data(ship: ShipFolder) -> None:
    """That further data sets can be learned from. Raises BadZero, BadData, OSError."""
    for one in ship.config.data:
        held_for(ship.run.config, one.path, "ship.data")
        Dataset.open(one.path)


def obstacles(ship: ShipFolder) -> tuple[str, ...]:
    """Why a net that learns from all this may not be given away. Raises BadZero, BadData,
    OSError.
    """
    found = []
    if not ship.run.ships:
        found.append("the run began with data or a net that do not ship")
    found += [
        f"{one.path} does not ship"
        for one in ship.config.data
        if not held_for(ship.run.config, one.path, "ship.data").redistributable
    ]
    for player in ship.run.config.players:
        path = find_start(ship, player)
        if path is not None and not weights_of(path).redistributable:
            found.append(f"{ship.config.start} is not known to ship")
    return tuple(dict.fromkeys(found))
