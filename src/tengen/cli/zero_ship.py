# SPDX-License-Identifier: MIT
"""`tengen zero ship`, and `--ship` after a run: from a run's games to a net file and a verdict.
Relies on `tengen.zero.ship`, which needs torch: it is imported when it is used.
"""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.arena_common import MatchDisplay
from tengen.cli.common import at_least, one_line
from tengen.cli.signals import StopSignal
from tengen.zero.config import ShipConfig, ZeroConfig
from tengen.zero.errors import BadZero

if TYPE_CHECKING:
    from tengen.zero.folder import ZeroFolder
    from tengen.zero.ship import Shipped

__all__ = [
    "as_table",
    "configure",
    "ship_config",
    "ship_run",
    "ship_word",
    "tell_shipped",
]

_TABLE = "ship."


def configure(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "ship, and --ship",
        "what is not said here is as the table [ship] of the run's config has it",
    )
    group.add_argument(
        "--ship", action="store_true", help="when the plan is done, make a net that ships of it"
    )
    group.add_argument("--size", metavar="S", help="of the Mixnet: s, m or l")
    group.add_argument("--samples", type=at_least(1), metavar="N", help="that each net learns from")
    group.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="DIR",
        help="a further data set to learn from, as often as needed",
    )
    group.add_argument(
        "--start", metavar="NET", help="weights, a net file or a net of the package to begin with"
    )


def ship_config(args: argparse.Namespace, kept: ZeroConfig) -> ShipConfig:
    """The table of the run, with what the command line says. Raises BadZero."""
    changes: list[str] = []
    if args.what == "ship":
        for change in args.changes:
            if not change.strip().startswith(_TABLE):
                words = f"no change {change!r} of a run that is shipped"
                raise BadZero(f"{words}: use keys of its table, as in --set ship.share=0.75")
        changes += args.changes
        if args.minutes and args.samples:
            raise BadZero("--minutes and --samples are both given: use one of them")
    given: dict[str, Any] = {
        "size": args.size,
        "samples": args.samples,
        "start": _kept(args.start),
        "games": args.games,
        "against": args.against,
        "nodes": 0 if args.time else args.nodes,
        "time": args.time,
        "minutes": args.minutes if args.what == "ship" else None,
    }
    if args.samples:
        given["minutes"] = 0.0
    changes += [
        f"{_TABLE}{name}={json.dumps(value)}" for name, value in given.items() if value is not None
    ]
    if args.data:
        sets = [{"path": one.path, "weight": one.weight} for one in kept.ship.data]
        there = {one.path for one in kept.ship.data}  # said before, and kept with the run
        new = [path for path in map(_whole, args.data) if path not in there]
        sets += [{"path": path, "weight": 1.0} for path in new]
        listed = ", ".join(
            f"{{path = {json.dumps(one['path'])}, weight = {one['weight']!r}}}" for one in sets
        )
        changes.append(f"{_TABLE}data=[{listed}]")
    return kept.changed(changes).ship if changes else kept.ship


def _whole(path: str) -> str:
    """A path as it can be kept: a run may go on from another folder."""
    return str(Path(path).absolute())


def _kept(start: str | None) -> str | None:
    """What to begin with: a path, if there is one, else the name of a net of the package."""
    return _whole(start) if start and Path(start).exists() else start


def ship_run(
    args: argparse.Namespace, folder: ZeroFolder, config: ShipConfig, stop: StopSignal
) -> Shipped:
    """Ship a run, until `stop` says so."""
    from tengen.zero.ship import ship

    return ship(
        folder,
        config,
        out=Path(args.out) if args.out and args.what == "ship" else None,
        device=args.device,
        processes=args.processes or 0,
        stop=stop,
        watch=MatchDisplay,
    )


def tell_shipped(args: argparse.Namespace, found: Shipped, again: str) -> int:
    """Print the verdict, or how to go on; the exit code."""
    from tengen.zero.log import tell

    if found.is_done and not args.json:
        print(one_line(str(found.table["words"])))
    if not found.is_done:
        tell(f"stopped during the {found.stage}; all is kept: go on with {again}")
    tell(f"nets, games and verdict are in {found.path}")
    return 0 if found.is_sound else 1


def as_table(found: Shipped) -> dict[str, Any]:
    return {"folder": str(found.path), "done": found.is_done, "stage": found.stage, **found.table}


def ship_word(args: argparse.Namespace, folder: ZeroFolder) -> int:
    """`tengen zero ship RUN`."""
    with StopSignal() as stop:
        found = ship_run(args, folder, ship_config(args, folder.config), stop)
    if args.json:
        print(json.dumps(as_table(found), indent=1))
    where = one_line(shlex.quote(str(folder.path)))
    return tell_shipped(
        args, found, f"the same command, `tengen zero ship {where}` and its options"
    )
