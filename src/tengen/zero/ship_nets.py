# SPDX-License-Identifier: MIT
"""The files of a shipping: each made of its training's weights, checked as `tengen net verify`
does, and only then given its name; and the registry that lets an engine find them. Relies on
`tengen.export`; shipping relies on it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tengen.engine.nets import NET_ENDING
from tengen.export.quantise import export_net, require_mixnet
from tengen.export.verify import Check, VerifyPlan, verify
from tengen.game import records
from tengen.game.rule import Colour, Rule
from tengen.nets.weights import read_weights
from tengen.train.errors import writing
from tengen.zero.errors import BadZero
from tengen.zero.ship_folder import AGAIN, ShipFolder

__all__ = ["check_target", "hand_out", "make_file", "write_registry"]


def make_file(
    ship: ShipFolder, player: str, plan: VerifyPlan, stop: Callable[[], bool]
) -> list[Check] | None:
    """Make and check the file of a player's net; the checks that it failed. With none the file has
    its name from now on. None: stopped before that was known. Raises BadNet, OSError.
    """
    target = ship.net(player)
    if target.exists():
        return []
    found = read_weights(ship.training(player) / "net.pt")
    config = ship.run.config
    beside = target.with_suffix(".unchecked")
    target.parent.mkdir(parents=True, exist_ok=True)
    export_net(
        found,
        beside,
        (Rule.parse(config.rule),),
        (config.size,),
        tuple(Colour) if player == "net" else (Colour.parse(player),),
        name=target.stem,
        description=f"zero learning, generation {ship.generation.number} of run {ship.run.run}",
    )
    failed = []
    for check in verify(beside, require_mixnet(found.make()), plan):
        if stop():
            return None
        if not check.passed:
            failed.append(check)
    if not failed:
        beside.replace(target)
    return failed


def write_registry(ship: ShipFolder) -> None:
    """Say which net plays what, so that the folder can be named where a net is. Raises OSError."""
    config = ship.run.config
    entry: dict[str, Any] = {"rule": config.rule, "from": config.size, "to": config.size}
    entry |= {player: ship.net(player).stem for player in config.players}
    with writing(ship.nets, AGAIN):
        text = json.dumps({"format": 1, "nets": [entry]}) + "\n"
        records.write_text(text, ship.nets / "registry.json")


def check_target(ship: ShipFolder, out: Path) -> None:
    """That the result can be put there. Raises BadZero."""
    two = len(ship.run.config.players) == 2
    if two and out.suffix == NET_ENDING:
        words = "the run has a net for each colour, which go into a folder together"
        raise BadZero(f"{words}: use --out {out.with_suffix('')}")
    if not two and out.suffix != NET_ENDING:
        raise BadZero(f"the name of a net file ends in {NET_ENDING}: use --out {out}{NET_ENDING}")
    if not out.parent.is_dir():
        raise BadZero(f"there is no folder {out.parent} for {out.name}")
    if out.exists() and not _is_ours(ship, out):
        raise BadZero(f"{out} is there already: name another, or delete it")


def _is_ours(ship: ShipFolder, out: Path) -> bool:
    """Whether it is a copy that an earlier call has made."""
    for player in ship.run.config.players:
        made = ship.net(player)
        copy = out / made.name if out.is_dir() else out
        if not (made.exists() and copy.is_file() and copy.read_bytes() == made.read_bytes()):
            return False
    return True


def hand_out(ship: ShipFolder, out: Path) -> None:
    """Copy the file there, or, of a run with a net a colour, the folder. Raises OSError."""
    if out.exists():
        return
    beside = out.with_name(f".{out.name}.part")
    with writing(out, AGAIN):
        if out.suffix == NET_ENDING:
            shutil.copyfile(ship.net("net"), beside)
        else:
            shutil.rmtree(beside, ignore_errors=True)
            shutil.copytree(ship.nets, beside)
        beside.replace(out)
