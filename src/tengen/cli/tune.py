# SPDX-License-Identifier: MIT
"""`tengen tune`: tunes parameters of the search by SPSA, in games of the engine against itself."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from tengen import _core
from tengen.arena.openings import bundled_openings, openings_for
from tengen.cli.arena_common import make_cluster
from tengen.cli.common import (
    INTERRUPTED,
    StopSignal,
    add_options,
    add_rule,
    at_least,
    duration,
    log,
    seconds,
)
from tengen.cluster import Cluster
from tengen.tune.parameters import BadTuning, Parameter, core_parameters, parse_choice, select
from tengen.tune.plan import Opening, TuneConfig, TuneIteration, TunePlan
from tengen.tune.tune_folder import TuneFolder
from tengen.tune.tune_report import tunables_toml, write_report
from tengen.tune.tune_runner import PlayTrial, run_tuning
from tengen.util.config import read_toml
from tengen.util.errors import BadRun
from tengen.util.files import locked
from tengen.util.progress import Progress

_SAVE_SECONDS = 10.0  # between two writes of values.json
_MADE_OPENINGS = 200  # made where none are bundled
_MAX_OPENINGS = 4000  # stored with a run
_warn = partial(log, "tengen tune")
_LIMITS = ("time", "nodes")
_RUN_KEYS = ("params", "iterations", "r_end", "seed")
_GAME_KEYS = ("rule", "size", "openings")
_EPILOG = """\
examples:
  tengen tune --list --params 'LMR_*'                   what there is: range, step, meaning
  tengen tune --params 'LMR_*,NULL_*' --iterations 20000 --nodes 5000 --rule renju --out runs/lmr
  tengen tune --params 'LMR_*,!LMR_PV,NULL_BASE=4:1' --iterations 5000 --time 0.05 --out runs/x
  tengen tune --resume runs/lmr                         resume, however it ended
  tengen tune --config tune.toml --out runs/lmr         all settings from a file
  tengen tune --report runs/lmr                         write the report again

params: names and patterns with * and ?; a ! before one takes it out again; NAME=start:step changes
where a number starts and how far from it games are played.

An iteration is one opening, played twice with colours swapped, between the values plus and minus a
random step; the values move towards the winner. Stop it at any time (Ctrl-C, kill): what was
played is kept. DIR gets values.json and report.html with the values to be tested by an SPRT.

Values can only be set in the tuning build: `make tuning`, then `.venv-tuning/bin/tengen tune`.

a config:
  params = ["LMR_*", "!LMR_PV"]
  iterations = 20000
  [overrides.LMR_BASE]
  start = 350
  [games]                       # as for `tengen match`, and preset, options of the player
  rule = "renju"
  limit = { nodes = 5000 }

exit code: 0 the run is complete, or its time is over; 130 interrupted; 1 an error; 2 wrong usage
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    add_rule(parser, "of the games (default: freestyle)")
    resume_help = "resume the run of DIR, or of --out"
    parser.add_argument("--resume", nargs="?", const="", metavar="DIR", help=resume_help)
    limits = parser.add_mutually_exclusive_group()
    add_options(limits, ("--nodes N", "nodes per move", at_least(1)))
    add_options(limits, ("--time S", "seconds per move (default: 0.1)", seconds))
    add_options(
        parser,
        ("--params NAMES", "what to tune, see below"),
        ("--iterations N", "of the whole run", at_least(1)),
        ("--size N", "lines of the board (default: 15)", int),
        ("--openings WHICH", "as for `tengen match` (default: balanced)"),
        ("--pairs-per-iteration N", "pairs of games per iteration (default: 1)", at_least(1)),
        ("--r-end R", "learning rate (default: 0.002)", float),
        ("--seed N", "random seed (default: 1)", at_least(0)),
        ("--config FILE", "a TOML file; options override it"),
        ("--out DIR", "folder of the run"),
        ("--processes N", "games in parallel (default: one per core)", at_least(1)),
        ("--max-seconds S", "stop after S seconds; --resume continues", duration("seconds")),
        ("--report DIR", "write the report of a run, and exit"),
        ("--list", "list what can be tuned, and exit"),
        ("--json", "print the result as JSON"),
    )


def run(args: argparse.Namespace) -> int:
    if args.list:
        return _list(args)
    if args.report:
        return _report(args)
    where = args.resume or args.out
    if not where:
        raise BadTuning("no folder: use --out, or --resume")
    if not _core.is_tuning():
        raise BadTuning(
            "the numbers of the search are constants in this build: `make tuning`, then use"
            " `.venv-tuning/bin/tengen tune`"
        )
    values = _values(args)
    config = TuneConfig.from_dict(values, core_parameters()) if values else None
    path = Path(where)
    if args.resume is not None and TuneFolder.has_run(path):
        return _resume(args, path, config)
    if config is None:
        if args.resume is not None:
            raise BadRun(f"{path} has no run to resume")
        raise BadTuning("nothing to tune: use --params or --config")
    return _start(args, path, config)


def _values(args: argparse.Namespace) -> dict[str, Any]:
    """The tables of the config, overridden by the options."""

    def given(names: Iterable[str]) -> dict[str, Any]:
        return {name: value for name in names if (value := getattr(args, name)) is not None}

    values = read_toml(Path(args.config)) if args.config else {}
    values |= given(_RUN_KEYS)
    if args.pairs_per_iteration is not None:
        values["pairs"] = args.pairs_per_iteration
    games, limit = given(_GAME_KEYS), given(_LIMITS)
    if limit:
        games["limit"] = limit
    if games:
        table = values.get("games", {})
        values["games"] = (table if isinstance(table, dict) else {}) | games
    return values


def _list(args: argparse.Namespace) -> int:
    known = core_parameters()
    chosen: tuple[Parameter, ...] = tuple(known.values())
    if args.params:
        chosen = select(known, *parse_choice(args.params))
    if args.json:
        print(json.dumps([entry.to_dict() for entry in chosen], indent=1))
        return 0
    wide = max(len(entry.name) for entry in chosen)
    print(f"{'name':{wide}} {'start':>8} {'low':>7} {'high':>8} {'step':>7}  meaning")
    for entry in chosen:
        numbers = f"{entry.start:>8g} {entry.low:>7} {entry.high:>8} {entry.step:>7g}"
        print(f"{entry.name:{wide}} {numbers}  {entry.meaning}")
    return 0


def _report(args: argparse.Namespace) -> int:
    folder = TuneFolder.read(Path(args.report))
    write_report(folder)
    folder.write_values()
    if args.json:
        print(json.dumps(folder.values(), indent=1))
    else:
        _warn(f"the report is in {folder.path}")
    return 0


def _start(args: argparse.Namespace, path: Path, config: TuneConfig) -> int:
    path.mkdir(parents=True, exist_ok=True)
    with (
        locked(path),
        StopSignal(args.max_seconds) as stop,
        make_cluster(config.definition, args.processes) as cluster,
    ):
        TuneFolder.check_unused(path)
        openings = _openings(config, cluster, stop)
        if stop() or not openings:
            _warn("stopped before the first game; nothing was written")
            return INTERRUPTED if stop.requested else 0
        return _play(args, TuneFolder.create(path, config.plan(openings)), cluster, stop)


def _resume(args: argparse.Namespace, path: Path, config: TuneConfig | None) -> int:
    """Resume the run of a folder. Options that were given must be those of the run."""
    with locked(path):
        folder = TuneFolder.read(path)
        _check_parameters(folder.plan)
        if config is not None and (key := config.difference(folder.plan)):
            problem = f"the run of {path} has another {key}"
            raise BadRun(f"{problem}: leave the option out, or use another folder")
        with (
            StopSignal(args.max_seconds) as stop,
            make_cluster(folder.plan.definition, args.processes) as cluster,
        ):
            return _play(args, folder, cluster, stop)


def _check_parameters(plan: TunePlan) -> None:
    """Check that this build still has the parameters of a run. Raises BadRun."""
    known = core_parameters()
    for entry in plan.spsa.parameters:
        now = known.get(_core.tunable_name(entry.name))
        if now is None or (now.low, now.high) != (entry.low, entry.high):
            raise BadRun(f"{entry.name} is gone or has another range now: start a new run")


def _openings(config: TuneConfig, cluster: Cluster, stop: StopSignal) -> tuple[Opening, ...]:
    """Distinct openings: one for each pair of the run, or all if there are fewer."""
    definition = config.definition
    wanted = min(config.spsa.iterations * config.pairs, _MAX_OPENINGS)
    if definition.openings == "balanced":
        bundled = len(bundled_openings(definition.rule, definition.size))
        wanted = min(wanted, max(bundled, _MADE_OPENINGS))
    openings = openings_for(replace(definition, pairs=wanted), cluster, stop=stop, warn=_warn)
    return tuple(dict.fromkeys(openings))


def _play(args: argparse.Namespace, folder: TuneFolder, cluster: Cluster, stop: StopSignal) -> int:
    saved = monotonic()

    def on_step(entry: TuneIteration | None) -> None:
        nonlocal saved
        progress.update(folder.state.iterations, text=lambda: _games_text(folder))
        if monotonic() - saved >= _SAVE_SECONDS:
            saved = monotonic()
            folder.write_values()

    total, done = folder.plan.spsa.iterations, folder.state.iterations
    try:
        with (
            folder.open_event_log() as event_log,
            Progress("tengen tune", total, "iterations", initial=done) as progress,
        ):
            if event_log.torn_bytes:
                _warn(
                    f"removed {event_log.torn_bytes} bytes of a partial last line of the event log"
                )
            run_tuning(
                folder, cluster, PlayTrial(folder.plan.definition), stop=stop, on_step=on_step
            )
    finally:
        folder.write_values()
    if folder.state.iterations > done:
        _warn(f"{folder.state.iterations:,} of {total:,} iterations, {_games_text(folder)}")
    return _finish(args, folder, stop.requested)


def _games_text(folder: TuneFolder) -> str:
    total = folder.state.total
    errors = f", {total.faults:,} ended by errors" if total.faults else ""
    return f"{total.games:,} games +{total.wins:,} ={total.draws:,} -{total.losses:,}{errors}"


def _finish(args: argparse.Namespace, folder: TuneFolder, interrupted: bool) -> int:
    """Write the report, and print the values."""
    write_report(folder)
    if args.json:
        print(json.dumps(folder.values(), indent=1))
    else:
        print(tunables_toml(folder.state), end="")
    if left := folder.plan.spsa.iterations - folder.state.iterations:
        _warn(f"{left:,} iterations are left: resume with --resume {shlex.quote(str(folder.path))}")
    _warn(f"values and report are in {folder.path}")
    return INTERRUPTED if interrupted else 0
