# SPDX-License-Identifier: MIT
"""`tengen zero run`, `resume` and `release`. Modules that need torch are imported when used."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena.player import Player
from tengen.cli.arena_common import MatchDisplay, confirm_programs
from tengen.cli.common import StopSignal, one_line
from tengen.util.config import find_config
from tengen.zero.config import ReleaseConfig, ZeroConfig
from tengen.zero.errors import BadZero

if TYPE_CHECKING:
    from tengen.zero.loop import RunResult
    from tengen.zero.release.release import ReleaseResult
    from tengen.zero.zero_folder import ZeroFolder

# Options of a release, by the names of its keys; `run` and `resume` accept them with --release.
_RELEASE_OPTIONS = ("size", "samples", "data", "start", "games", "against", "nodes", "time")


def quoted(path: Path) -> str:
    """A path as a shell takes it, on one line."""
    return one_line(shlex.quote(str(path)))


# --- runs ---


def open_run(args: argparse.Namespace) -> ZeroFolder:
    """Raises BadRun."""
    from tengen.zero.zero_folder import ZeroFolder

    return ZeroFolder.read(Path(args.run))


def start(args: argparse.Namespace) -> int:
    config = ZeroConfig.read(find_config(args.config, "zero"), args.changes)
    return _learn(args, config, Path(args.out), args.resume)


def resume(args: argparse.Namespace) -> int:
    folder = open_run(args)
    config = folder.config.changed(args.changes) if args.changes else None
    return _learn(args, config, folder.path, True)


def _learn(args: argparse.Namespace, config: ZeroConfig | None, path: Path, resume: bool) -> int:
    from tengen.util.files import locked
    from tengen.zero.loop import run_zero
    from tengen.zero.release.release import check_release
    from tengen.zero.run_log import print_message
    from tengen.zero.zero_folder import ZeroFolder

    folder = ZeroFolder.read(path) if resume and ZeroFolder.has_run(path) else None
    again = f"`tengen zero resume {quoted(path)}{' --release' if args.release else ''}`"
    if args.release:  # stored with the run: resuming needs no options
        old = config or ZeroFolder.read(path).config
        config = replace(old, release=_release_config(args, old))
        if not _may_release(args, config.release, folder):
            return 1
        check_release(config, config.release, path, args.device)
    else:
        _reject_release_options(args)
    # The release of a complete run keeps its teacher: no candidate plays for it again.
    is_done = folder is not None and (folder.with_config(config) if config else folder).is_done
    with StopSignal(60 * args.minutes if args.minutes else None) as stop:
        if args.release and is_done and folder is not None:
            with locked(path):
                folder.resumed_with(config or folder.config)
            table: dict[str, Any] = {"folder": str(path), "done": True}
        else:
            result = run_zero(config, path, device=args.device, resume=resume, stop=stop)
            if result is None:
                print_message(f"stopped before the first game: resume with {again}")
                return 0
            if not args.json:
                print(_summary(result), flush=True)
            table = _run_table(result)
            if not result.is_done:
                left = (result.planned - result.seconds) / 60
                rest = f"{left:.1f} minutes" if left > 0 else "the last match"
                print_message(f"{rest} of the time budget left: resume with {again}")
            print_message(f"nets, games and report are in {path}")
        released = None
        if args.release and table["done"]:
            folder = ZeroFolder.read(path)
            released = _make_release(args, folder, folder.config.release, None, stop)
    if args.json:
        more = {} if released is None else {"release": _release_table(released)}
        print(json.dumps(table | more, indent=1))
    return 0 if released is None else _show_release(args, released, again)


def _run_table(result: RunResult) -> dict[str, Any]:
    return {
        "folder": str(result.folder),
        "minutes": round(result.seconds / 60, 2),
        "planned_minutes": round(result.planned / 60, 2),
        "done": result.is_done,
        "step": result.step,
        "generation": result.generation,
        "counts": result.counts,
    }


def _summary(result: RunResult) -> str:
    counts = result.counts
    return (
        f"minute {result.seconds / 60:.1f} of {result.planned / 60:g}: generation"
        f" {result.generation}, step {result.step:,}, {counts['games']:,} games,"
        f" {counts['positions']:,} positions"
    )


# --- releases ---


def release(args: argparse.Namespace) -> int:
    folder = open_run(args)
    for change in args.changes:
        if not change.strip().startswith(("release.", "ship.")):
            raise BadZero(f"--set {change}: a release changes keys of [release] only")
    if args.minutes and args.samples:
        raise BadZero("--minutes and --samples are both given: use one of them")
    config = _release_config(args, folder.config)
    if not _may_release(args, config, folder):
        return 1
    with StopSignal() as stop:
        result = _make_release(args, folder, config, args.out, stop)
    if args.json:
        print(json.dumps(_release_table(result), indent=1))
    return _show_release(args, result, "the same command")


def _release_config(args: argparse.Namespace, config: ZeroConfig) -> ReleaseConfig:
    """The table of the run with the options of the command line. Raises BadZero."""
    is_release = args.action != "run" and not hasattr(args, "release")
    options: dict[str, Any] = {name: getattr(args, name) for name in _RELEASE_OPTIONS}
    options |= {
        "start": _absolute(args.start) if args.start and Path(args.start).exists() else args.start,
        "nodes": 0 if args.time else args.nodes,
        "minutes": 0.0 if args.samples else args.minutes if is_release else None,
    }
    sets = [{"path": one.path, "weight": one.weight} for one in config.release.data]
    known = {one["path"] for one in sets}
    new = [path for path in map(_absolute, options.pop("data")) if path not in known]
    table = config.changed(args.changes if is_release else ()).to_dict()
    table["release"] |= {name: value for name, value in options.items() if value is not None}
    if new:
        table["release"]["data"] = sets + [{"path": path, "weight": 1.0} for path in new]
    return ZeroConfig.from_dict(table).release


def _may_release(
    args: argparse.Namespace, config: ReleaseConfig, folder: ZeroFolder | None
) -> bool:
    """Whether the opponent of the match may be started. The stored config of a run, which may come
    from elsewhere, can name a program. Raises BadArena.
    """
    keys = {change.partition("=")[0].strip() for change in args.changes}
    is_typed = args.against or not keys.isdisjoint(("release.against", "ship.against"))
    if folder is None or is_typed or not config.games:
        return True
    opponent = Player.parse(config.against)
    return confirm_programs(folder.path, [opponent], args.yes or folder.started_here)


def _reject_release_options(args: argparse.Namespace) -> None:
    """Raises BadZero for options that have no meaning without --release."""
    for name in (*_RELEASE_OPTIONS, "processes", "yes"):
        if getattr(args, name):
            hint = "; the number of workers is --set play.workers=N" if name == "processes" else ""
            raise BadZero(f"--{name} needs --release{hint}")


def _absolute(path: str) -> str:
    """A path that is valid when the run is resumed from another folder."""
    return str(Path(path).absolute())


def _make_release(
    args: argparse.Namespace,
    folder: ZeroFolder,
    config: ReleaseConfig,
    out: str | None,
    stop: StopSignal,
) -> ReleaseResult:
    from tengen.zero.release.release import make_release

    return make_release(
        folder,
        config,
        out=Path(out) if out else None,
        device=args.device,
        processes=args.processes or 0,
        stop=stop,
        progress=MatchDisplay,
    )


def _show_release(args: argparse.Namespace, result: ReleaseResult, again: str) -> int:
    """Print the verdict, or how to resume; the exit code."""
    from tengen.zero.run_log import print_message

    if result.is_done and not args.json:
        print(one_line(str(result.table["summary"])))
    if not result.is_done:
        print_message(f"stopped during stage {result.stage}: resume with {again}")
    print_message(f"nets, games and verdict are in {result.path}")
    return 0 if result.is_sound else 1


def _release_table(result: ReleaseResult) -> dict[str, Any]:
    return {
        "folder": str(result.path),
        "done": result.is_done,
        "stage": result.stage,
        **result.table,
    }
