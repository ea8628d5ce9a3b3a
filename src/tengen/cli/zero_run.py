# SPDX-License-Identifier: MIT
"""What the words of `tengen zero` do. Relies on `tengen.zero`, whose parts need torch and NumPy:
they are imported when they are used.
"""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena.control import TimeControl
from tengen.cli.common import one_line
from tengen.cli.signals import StopSignal
from tengen.cli.zero_ship import as_table, ship_config, ship_run, ship_word, tell_shipped
from tengen.zero.config import ZeroConfig, read_config
from tengen.zero.errors import BadZero

if TYPE_CHECKING:
    from tengen.zero.parts import Result

__all__ = ["begin", "elo", "ladder", "pack", "report", "resume", "ship", "status", "unpack"]

_PLAYOUTS = 64  # of a ladder against a net, if nothing is said


def begin(args: argparse.Namespace) -> int:
    """A run from a config; with --resume it goes on if the folder has it."""
    return _run(args, read_config(args.config, args.changes), Path(args.out), args.resume)


def resume(args: argparse.Namespace) -> int:
    from tengen.zero.folder import ZeroFolder

    path = _there(args.paths[0])
    kept = ZeroFolder.read(path).config
    return _run(args, kept.changed(args.changes) if args.changes else None, path, True)


def _run(args: argparse.Namespace, config: ZeroConfig | None, path: Path, again: bool) -> int:
    from tengen.zero.folder import ZeroFolder
    from tengen.zero.log import tell
    from tengen.zero.ship import check_ship

    where = one_line(shlex.quote(str(path))) + (" --ship" if args.ship else "")
    if args.ship:  # kept with the run: to go on, nothing has to be said again
        kept = config or ZeroFolder.read(path).config
        config = replace(kept, ship=ship_config(args, kept))
        check_ship(config, config.ship, path, args.device)
    done = args.ship and again and _has_done(path, config)
    with StopSignal(60 * args.minutes if args.minutes else None) as stop:
        if done:
            _keep(path, config)
            told: dict[str, Any] = {"folder": str(path), "done": True}
        else:
            result = _learn(args, config, path, again, stop)
            if result is None:
                tell(f"stopped before the first game: go on with `tengen zero resume {where}`")
                return 0
            told = _as_table(result)
            if not result.is_done:
                left = (result.planned - result.seconds) / 60
                words = f"{left:.1f} minutes of the plan are left"
                words = words if left > 0 else "the last match of the plan is left"
                tell(f"{words}: go on with `tengen zero resume {where}`")
            tell(f"nets, games and the report are in {path}")
        found = None
        if args.ship and told["done"]:
            folder = ZeroFolder.read(path)
            found = ship_run(args, folder, folder.config.ship, stop)
    if args.json:
        print(json.dumps(told | ({} if found is None else {"ship": as_table(found)}), indent=1))
    return 0 if found is None else tell_shipped(args, found, f"`tengen zero resume {where}`")


def _learn(
    args: argparse.Namespace, config: ZeroConfig | None, path: Path, again: bool, stop: StopSignal
) -> Result | None:
    """Go on with the plan; prints how far it has come."""
    from tengen.zero.loop import run_zero

    result = run_zero(config, path, device=args.device, resume=again, stop=stop)
    if result is not None and not args.json:
        print(_words(result), flush=True)
    return result


def _has_done(path: Path, config: ZeroConfig | None) -> bool:
    """Whether the plan is done already: then a candidate does not play for its place once more,
    and the net that ships keeps its teacher.
    """
    from tengen.zero.folder import ZeroFolder

    if not ZeroFolder.has_run(path):
        return False
    folder = ZeroFolder.read(path)
    return (folder if config is None else folder.with_config(config)).is_done


def _keep(path: Path, config: ZeroConfig | None) -> None:
    """Let a run that does not go on have the config all the same."""
    from tengen.train.folder import locked
    from tengen.zero.folder import ZeroFolder

    if config is not None:
        with locked(path):
            ZeroFolder.read(path).resumed_with(config)


def ship(args: argparse.Namespace) -> int:
    from tengen.zero.folder import ZeroFolder

    return ship_word(args, ZeroFolder.read(_there(args.paths[0])))


def _as_table(result: Result) -> dict[str, Any]:
    return {
        "folder": str(result.folder),
        "minutes": round(result.seconds / 60, 2),
        "planned_minutes": round(result.planned / 60, 2),
        "done": result.is_done,
        "step": result.step,
        "generation": result.generation,
        "counts": result.counts,
    }


def _words(result: Result) -> str:
    counts = result.counts
    return (
        f"minute {result.seconds / 60:.1f} of {result.planned / 60:g}: generation"
        f" {result.generation}, step {result.step:,}, {counts['games']:,} games,"
        f" {counts['positions']:,} positions"
    )


def report(args: argparse.Namespace) -> int:
    from tengen.zero.folder import ZeroFolder
    from tengen.zero.report import write_report

    folder = ZeroFolder.read(_there(args.paths[0]))
    write_report(folder)
    print(folder.report)
    return 0


def status(args: argparse.Namespace) -> int:
    from tengen.zero.status import status as read_status

    found = read_status(_there(args.paths[0]))
    if args.json:
        print(json.dumps(found, indent=1))
        return 0
    counts = found.pop("counts")
    losses = found.pop("losses")
    for name, value in {**found, **counts, **losses}.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        print(f"{name.replace('_', ' '):16} {shown}")
    return 0


def pack(args: argparse.Namespace) -> int:
    from tengen.zero import pack as packing

    source, target = _there(args.paths[0]), Path(args.paths[1])
    found = packing.pack(source, target, players=args.players or 1)
    if args.json:
        print(json.dumps(found, indent=1))
        return 0
    rounded = f"; rounded to bfloat16: {', '.join(found['half'])}" if found["half"] else ""
    size = f"{found['bytes'] / 2**20:.1f} MiB"
    print(f"{target}: {size}, {found['positions']:,} of the newest positions{rounded}")
    return 0


def unpack(args: argparse.Namespace) -> int:
    from tengen.zero import pack as packing

    folder = packing.unpack(Path(args.paths[0]), Path(args.paths[1]))
    where = one_line(shlex.quote(str(folder.path)))
    print(f"{folder.path}: go on with `tengen zero resume {where}`")
    return 0


def ladder(args: argparse.Namespace) -> int:
    """Generations against each other, or, with --against, against an engine or a net."""
    from tengen.train.loop import find_device
    from tengen.zero.duel import hold_duel, is_net, play_net
    from tengen.zero.fixed import play_fixed
    from tengen.zero.folder import ZeroFolder
    from tengen.zero.gate import hold_match
    from tengen.zero.ladder import hold_ladder, spread_out
    from tengen.zero.log import tell
    from tengen.zero.report import write_report

    folder = ZeroFolder.read(_there(args.paths[0]))
    if args.playouts and args.against and not is_net(args.against):
        raise BadZero("--playouts is for nets: against an engine generations play without a search")
    device, games, players = find_device(args.device), args.games or 128, args.players or 12
    with StopSignal(60 * args.minutes if args.minutes else None) as stop:
        chosen = spread_out(folder.generations(), max(2, players))
        if args.against and is_net(args.against):
            rows = play_net(
                *(folder, chosen, Path(args.against), args.playouts or _PLAYOUTS, device),
                games=games,
                stop=stop,
                progress=tell,
            )
        elif args.against:
            rows = play_fixed(
                *(folder, chosen, args.against, _limit(args), device),
                games=games,
                stop=stop,
                progress=tell,
            )
        else:
            match = hold_duel(args.playouts) if args.playouts else hold_match
            rows = hold_ladder(
                *(folder, device),
                players=players,
                games=games,
                stop=stop,
                progress=tell,
                match=match,
            )
    write_report(folder)
    if args.against:
        return _show_results(args, rows)
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        minutes = f"minute {row['seconds'] / 60:6.1f}"
        print(
            f"generation {row['generation']:4}  {minutes}  {row['elo']:+7.1f} ± {row['error']:.1f}"
        )
    return 0


def elo(args: argparse.Namespace) -> int:
    from tengen.zero.folder import ZeroFolder
    from tengen.zero.ladder import spread_out
    from tengen.zero.log import tell
    from tengen.zero.report import write_report
    from tengen.zero.versus import play_versus

    folder = ZeroFolder.read(_there(args.paths[0]))
    every = folder.generations()
    if not every:
        raise BadZero(f"{folder.path} has no generation yet")
    most = args.players or 4
    chosen = spread_out(every, most) if most > 1 else every[-1:]

    def show(done: int, total: int) -> None:
        if done and (done % 10 == 0 or done == total):
            tell(f"{done} of {total} games")

    with StopSignal(60 * args.minutes if args.minutes else None) as stop:
        rows = play_versus(
            folder,
            chosen,
            args.against or "classical",
            _limit(args),
            pairs=-(-(args.games or 40) // 2),
            processes=args.processes or 1,
            stop=stop,
            progress=show,
        )
    write_report(folder)
    return _show_results(args, rows)


def _limit(args: argparse.Namespace) -> TimeControl:
    return TimeControl(nodes=args.nodes) if args.nodes else TimeControl(time=args.time or 0.1)


def _show_results(args: argparse.Namespace, rows: list[dict[str, Any]]) -> int:
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        told = f"{row['elo']:+.0f} ± {row.get('error', 0):.0f}" if "elo" in row else "unknown"
        score = f"{row['points']:g} of {row['games']}"
        print(
            f"generation {row['generation']:4}  {row['against']}, {row['limit']}: {score}, {told}"
        )
    return 0


def _there(text: str) -> Path:
    """A folder with a run. Raises BadZero."""
    path = Path(text)
    if not (path / "run.json").exists():
        raise BadZero(f"{path} has no run: there is no run.json")
    return path
