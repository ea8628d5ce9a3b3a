# SPDX-License-Identifier: MIT
"""Runs a match or a tournament for the command line: the folder, the workers, the live view, and at
the end the files and the table. Relies on the arena.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from tengen.arena.check_players import check_player
from tengen.arena.definition import Definition
from tengen.arena.errors import BadArena
from tengen.arena.export import result, write_games, write_result
from tengen.arena.game import Game
from tengen.arena.make_openings import Making
from tengen.arena.match_folder import MatchFolder
from tengen.arena.openings import openings_for
from tengen.arena.progress import Progress, counted
from tengen.arena.report import report_html
from tengen.arena.runner import run
from tengen.arena.schedule import games_in_all
from tengen.cli.arena_view import ArenaView, summary
from tengen.cli.common import one_line
from tengen.cli.signals import StopSignal
from tengen.cluster import Cluster, LocalCluster, cores
from tengen.game import records
from tengen.util.files import locked
from tengen.util.progress import Progress as ProgressBar

__all__ = ["play", "write_report"]

_INTERRUPTED = 130
_GRACE = 60.0  # seconds beyond all limits until a worker counts as hung


def play(args: argparse.Namespace, define: Callable[[], Definition], kind: str) -> int:
    """Begin a run, or go on with one; the exit code."""
    if args.resume:
        path = Path(args.resume)
        with locked(_existing(path)):
            return _play(args, MatchFolder.read(path))
    definition = define()
    for player in definition.players:
        check_player(player, definition)
    path = Path(args.out) if args.out else Path(datetime.now().strftime(f"{kind}-%Y%m%d-%H%M%S"))
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        MatchFolder.check_free(path)
        return _play(args, definition, path)


def _existing(path: Path) -> Path:
    if not path.is_dir():
        raise BadArena(f"no folder {path} to go on with")
    return path


def _play(
    args: argparse.Namespace, what: MatchFolder | Definition, path: Path | None = None
) -> int:
    definition = what.definition if isinstance(what, MatchFolder) else what
    with StopSignal(args.max_seconds) as stop, _cluster(args, definition) as cluster:
        if isinstance(what, MatchFolder):
            folder = what
        else:
            assert path is not None
            openings = _openings(definition, cluster, stop)
            if stop():
                tell("stopped before the first game; nothing was kept")
                return _INTERRUPTED if stop.requested else 0
            folder = MatchFolder.create(path, definition, openings)
        progress = _run(folder, cluster, stop)
    return _finish(args, folder, progress, stop.requested)


def _cluster(args: argparse.Namespace, definition: Definition) -> Cluster:
    """Workers, each with as many cores as a game can keep busy."""
    ponders = any(player.options.get("ponder") for player in definition.players)
    needed = max(player.threads for player in definition.players) * (2 if ponders else 1)
    processes = args.processes or max(1, cores() // needed)
    slowest = [definition.slowest]
    for place in range(len(definition.players)):
        control = definition.control(place)
        slowest += [control.time or 0.0, control.clock or 0.0]
    patience = max(slowest) + definition.patience + _GRACE
    pin = [range(n * needed, (n + 1) * needed) for n in range(cores() // needed)]
    return LocalCluster(processes, patience, pin if args.pin else ())


def _openings(definition: Definition, cluster: Cluster, stop: StopSignal) -> list[tuple[str, ...]]:
    with ProgressBar("openings", line_seconds=None) as bar:

        def show(making: Making) -> None:
            bar.update(text=f"{making.found} of {making.wanted}, {making.judged} judged")

        found = openings_for(definition, cluster, stop=stop, progress=show, tell=tell)
    longest = max(map(len, found), default=0)
    if 0 < definition.max_moves <= longest:
        words = f"an opening of {longest} moves leaves no game"
        raise BadArena(f"no limit of {definition.max_moves} moves: {words}")
    return found


def _run(folder: MatchFolder, cluster: Cluster, stop: StopSignal) -> Progress:
    total = games_in_all(folder.definition)
    with folder.open_journal() as journal:
        if cut := journal.torn_bytes:
            tell(f"{cut} bytes of a broken last line were cut off: that game is played again")
        with ArenaView(folder.definition, total, folder.games) as view:

            def on_game(game: Game | None) -> None:
                view.update(folder.games)

            return run(folder, cluster, stop=stop, on_game=on_game)


def _finish(args: argparse.Namespace, folder: MatchFolder, progress: Progress, asked: bool) -> int:
    """Write what is made of the games, and tell the result."""
    write_result(folder)
    write_games(folder, psq=not args.no_psq)
    if not args.no_report:
        write_report(folder, folder.path / "report.html")
    definition, games = folder.definition, counted(folder.definition, folder.games)
    if args.json:
        print(result(definition, folder.openings, folder.games), end="")
    else:
        print(summary(definition, games))
    whole = len(folder.games) == games_in_all(definition) or progress.is_decided
    if not whole:
        left = games_in_all(definition) - len(folder.games)
        tell(f"{left} games are left: go on with --resume {shlex.quote(str(folder.path))}")
    tell(f"results are in {folder.path}")
    return _INTERRUPTED if asked else 0


def write_report(folder: MatchFolder, path: Path) -> None:
    made = datetime.now().strftime("%Y-%m-%d %H:%M")
    games = counted(folder.definition, folder.games)
    records.write_text(report_html(folder.definition, folder.openings, games, made=made), path)


def tell(words: str) -> None:
    """A line beside the result."""
    print(f"tengen: {one_line(words)}", file=sys.stderr, flush=True)
