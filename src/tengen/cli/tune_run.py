# SPDX-License-Identifier: MIT
"""Runs a tuning session for the command line: the folder, its lock, the workers, the openings, the
progress, and at the end the values. Relies on `tengen.tune`.
"""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path

from tengen.arena.openings import openings_for, shipped_openings
from tengen.cli.common import one_line
from tengen.cli.signals import StopSignal
from tengen.cli.tune_view import TuneView, tell
from tengen.cluster import Cluster, LocalCluster, cores
from tengen.tune.config import Settings
from tengen.tune.games import PlayTrial
from tengen.tune.parameters import core_parameters
from tengen.tune.plan import Plan
from tengen.tune.report import write_report
from tengen.tune.session import run
from tengen.tune.snippets import tunables_toml
from tengen.tune.trial import Entry, Opening
from tengen.tune.tune_folder import TuneFolder
from tengen.util.errors import BadRun
from tengen.util.files import locked

__all__ = ["begin", "resume"]

_INTERRUPTED = 130
_GRACE = 60.0  # seconds beyond the limits of a move until a worker counts as hung
_SLOWEST = 300.0  # seconds for a move that only nodes limit
_MADE = 200  # openings that are made where the package has none
_MOST = 4000  # openings that are kept with a run


def begin(args: argparse.Namespace, path: Path, settings: Settings) -> int:
    """Start a run; the exit code."""
    path.mkdir(parents=True, exist_ok=True)
    with locked(path), StopSignal(args.max_seconds) as stop, _cluster(args, settings) as cluster:
        TuneFolder.check_free(path)
        openings = _openings(settings, cluster, stop)
        if stop() or not openings:
            tell("stopped before the first game; nothing was kept")
            return _INTERRUPTED if stop.requested else 0
        folder = TuneFolder.create(path, settings.plan(openings))
        return _play(args, folder, cluster, stop)


def resume(args: argparse.Namespace, path: Path, settings: Settings | None) -> int:
    """Go on with the run of a folder; `settings`, if any were given, must be its own."""
    with locked(path):
        folder = TuneFolder.read(path)
        _check_parameters(folder.plan)
        if settings is not None and (other := settings.difference(folder.plan)):
            words = f"has another {other} than the options say"
            raise BadRun(f"the run of {path} {words}: leave them out, or use another folder")
        with StopSignal(args.max_seconds) as stop, _cluster(args, folder.plan) as cluster:
            return _play(args, folder, cluster, stop)


def _check_parameters(plan: Plan) -> None:
    """That the core still has what the run tunes."""
    known = core_parameters()
    for entry in plan.spsa.parameters:
        now = known.get(entry.name)
        if now is None or (now.low, now.high) != (entry.low, entry.high):
            raise BadRun(f"{entry.name} is gone or has another range now: begin a new run")


def _cluster(args: argparse.Namespace, what: Settings | Plan) -> Cluster:
    """Workers, each with as many cores as a game can keep busy."""
    definition = what.definition
    needed = max(player.threads for player in definition.players)
    limit = definition.limit
    patience = max(_SLOWEST, limit.time or 0.0, limit.clock or 0.0) + _GRACE
    return LocalCluster(args.processes or max(1, cores() // needed), patience)


def _openings(settings: Settings, cluster: Cluster, stop: StopSignal) -> tuple[Opening, ...]:
    """As many as the run has pairs, if there are so many; none twice."""
    definition = settings.definition
    wanted = min(settings.spsa.iterations * settings.pairs, _MOST)
    if definition.openings == "balanced":
        shipped = len(shipped_openings(definition.rule, definition.size))
        wanted = min(wanted, max(shipped, _MADE))
    found = openings_for(replace(definition, pairs=wanted), cluster, stop=stop, tell=tell)
    return tuple(dict.fromkeys(found))


def _play(args: argparse.Namespace, folder: TuneFolder, cluster: Cluster, stop: StopSignal) -> int:
    if cut := folder.open_journal().torn_bytes:
        tell(f"the last line of the journal was not whole ({cut} bytes): it is played again")
    try:
        with TuneView(folder) as view:

            def on_step(entry: Entry | None) -> None:
                view.update()

            run(folder, cluster, PlayTrial(folder.plan.definition), stop=stop, on_step=on_step)
    finally:
        folder.close_journal()
        folder.write_values()
    return _finish(args, folder, stop.requested)


def _finish(args: argparse.Namespace, folder: TuneFolder, asked: bool) -> int:
    """Write the report, and tell where the values are."""
    write_report(folder)
    if args.json:
        print(json.dumps(folder.values(), indent=1))
    else:
        print(tunables_toml(folder.state), end="")
    left = folder.plan.spsa.iterations - folder.state.iterations
    if left:
        where = shlex.quote(str(folder.path))
        tell(f"{left:,} iterations are left: go on with --resume {one_line(where)}")
    tell(f"values and report are in {folder.path}")
    return _INTERRUPTED if asked else 0
