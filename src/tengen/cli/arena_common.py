# SPDX-License-Identifier: MIT
"""What `match`, `tournament` and `sprt` share: options, the definition they make, and the run with
its folder, workers, live display, and final files. Options override the config file.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from tengen.arena.definition import Definition, total_games
from tengen.arena.errors import BadArena
from tengen.arena.game import MatchGame
from tengen.arena.make_openings import OpeningProgress
from tengen.arena.match_folder import MatchFolder, result, write_games, write_result
from tengen.arena.match_runner import run_match
from tengen.arena.openings import openings_for
from tengen.arena.player import Player, check_player
from tengen.arena.report import report_html
from tengen.arena.standings import MatchProgress, Standings, counted, sprt_state, standings
from tengen.cli.arena_text import detail_lines, result_lines, status_line
from tengen.cli.common import (
    INTERRUPTED,
    OptionRow,
    StopSignal,
    add_options,
    add_rule,
    at_least,
    duration,
    log,
    plural,
    seconds,
)
from tengen.cluster import Cluster, LocalCluster, cores
from tengen.util.config import find_config, read_toml
from tengen.util.deprecation import add_deprecated_option
from tengen.util.files import locked, write_text
from tengen.util.progress import Progress

_GRACE = 60.0  # seconds beyond all limits until a worker counts as hung

PLAYERS = """\
players:
  classical                                  a built-in preset
  classical,null_move=off,threads=2          with options
  classical,depth=4,name=shallow             with limits and a name
  search=mcts,net=my.net,nodes=800           options alone: Monte-Carlo tree search with a net
  ./pbrain-other                             any program that speaks the Gomocup protocol
  "cmd[memory=350,time=0.2]:./pbrain-other --quiet"     with options and arguments
"""
_OPENINGS_HELP = (
    "balanced (the default), even (won by both colours in quick games: more decisive pairs),"
    " renju26, swap2 (played by the players), empty, or a file of records or of Gomocup openings"
)
_LIMITS = ("time", "nodes", "depth", "clock", "increment")
_PLAIN = ["rule", "size", "openings", "opening_moves", "seed", "max_moves", "tolerance"]
_PLAIN += ["response_grace", "untimed_move_timeout", "adjudicate", "event"]
_MATCH_OPTIONS: tuple[OptionRow, ...] = (
    ("--config NAME", "a TOML file, or one of configs/arena: short, long, nodes"),
    ("--games N", "games for each two players; an even number", at_least(2)),
    ("--size N", "lines of the board (default: 15)", int),
    ("--time S", "seconds per move", seconds),
    ("--clock S", "seconds per game", seconds),
    ("--increment S", "seconds added to the clock per move", seconds),
    ("--nodes N", "nodes per move", at_least(1)),
    ("--depth N", "search depth, in plies", at_least(1)),
    ("--tolerance S", "seconds by which a move may be late (default: 0.5)", float),
    ("--response-grace S", "seconds beyond its limit until a program loses (default: 10)", float),
    (
        "--untimed-move-timeout S",
        "seconds for a program's move if only nodes or depth limit it (default: 300)",
        float,
    ),
    ("--openings WHICH", _OPENINGS_HELP),
    ("--opening-moves N", "first moves of each record of the file (default: all)", at_least(0)),
    ("--seed N", "random seed of the order of the openings", at_least(0)),
    ("--max-moves N", "a draw after N moves", at_least(0)),
    ("--event TITLE", "a title for the report and the records"),
    (
        "--adjudicate {auto,always,never}",
        "end proven wins and dead draws early (auto: where both players are presets)",
    ),
)
_OLD_OPTIONS = {"--patience": "--response-grace", "--slowest": "--untimed-move-timeout"}
_RUN_OPTIONS: tuple[OptionRow, ...] = (
    ("--out DIR", "folder of the results (default: a new one)"),
    ("--resume DIR", "resume the run of this folder"),
    ("--processes N", "games in parallel (default: as many as the cores allow)", at_least(1)),
    ("--max-seconds S", "stop after S seconds; --resume continues", duration("seconds")),
    ("--yes", "resume without asking before programs are run"),
    ("--pin", "bind each game to its own core (Linux)"),
    ("--no-psq", "no PSQ file for each game"),
    ("--no-report", "no report.html"),
    ("--json", "print the result as JSON"),
)


def add_arena_options(parser: argparse.ArgumentParser, players: str) -> None:
    """The players, and the options of what is played, how, and what is written."""
    parser.add_argument("players", nargs="*", metavar="PLAYER", help=f"{players}, see below")
    add_rule(parser, "default: freestyle")
    actions = add_options(parser, *_MATCH_OPTIONS, *_RUN_OPTIONS)
    for old, new in _OLD_OPTIONS.items():
        add_deprecated_option(parser, actions[new], old)


def make_definition(args: argparse.Namespace, defaults: Mapping[str, Any]) -> Definition:
    """The definition from the options, the config, and the `defaults` of a command, in this order
    of precedence. Raises BadArena, BadConfig.
    """
    values = dict(defaults)
    if args.config:
        values |= read_toml(find_config(args.config, "arena"))
    if args.players:
        values["players"] = args.players
    values |= {name: value for name in _PLAIN if (value := getattr(args, name)) is not None}
    limits = {name: value for name in _LIMITS if (value := getattr(args, name)) is not None}
    if limits:
        values["limit"] = limits
    if args.games is not None:
        if args.games % 2:
            raise BadArena(f"{args.games} games: each opening is played twice, use an even number")
        values["pairs"] = args.games // 2
    if not values.get("players"):
        raise BadArena("no players: name them, or use a config that does")
    return Definition.from_dict(values)


class MatchDisplay:
    """Shows a running match or tournament on stderr. `done` are the games played before: they count
    for the result, not for the speed.
    """

    def __init__(self, definition: Definition, total: int, done: Sequence[MatchGame] = ()) -> None:
        self._definition = definition
        self._games: Sequence[MatchGame] = done
        self._tested = MatchProgress(definition)
        self._tested_games = 0
        self._progress = Progress("tengen", total, "games", initial=len(done))

    def __enter__(self) -> Self:
        self._progress.__enter__()
        self.update(self._games)
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.__exit__()

    def update(self, games: Sequence[MatchGame]) -> None:
        """Show the games so far, in the order in which they ended."""
        self._games = games
        self._progress.update(len(games), text=self._text, detail=self._detail)

    def _text(self) -> str:
        return "" if self._progress.is_live else status_line(*self._state())

    def _detail(self) -> list[str]:
        return detail_lines(*self._state())

    def _state(self) -> tuple[Standings, Any]:
        """The standings and the state of the SPRT, which is updated by the new games alone."""
        for game in self._games[self._tested_games :]:
            self._tested.add(game)
        self._tested_games = len(self._games)
        test = self._definition.sprt
        state = None if test is None else sprt_state(test, self._tested)
        return standings(self._definition, self._games), state


def summary(definition: Definition, games: Sequence[MatchGame]) -> str:
    """The final result as a table of plain text."""
    return "\n".join(result_lines(standings(definition, games)))


def warn(message: str) -> None:
    log("tengen", message)


def play(args: argparse.Namespace, define: Callable[[], Definition], kind: str) -> int:
    """Start a run, or resume one; returns the exit code."""
    if args.resume:
        path = Path(args.resume)
        if not path.is_dir():
            raise BadArena(f"no folder {path} to resume")
        with locked(path):
            folder = MatchFolder.read(path)
            if any(player.net for player in folder.definition.players):
                raise BadArena(f"{path} has games of nets: `tengen net match` resumes them")
            trusted = args.yes or folder.started_here
            if not confirm_programs(path, folder.definition.players, trusted):
                return 1
            with (
                StopSignal(args.max_seconds) as stop,
                make_cluster(folder.definition, args.processes, pin=args.pin) as cluster,
            ):
                _run(folder, cluster, stop)
                return finish(args, folder, stop.requested)
    definition = define()
    for player in definition.players:
        check_player(player, definition.rule, definition.size)
    path = Path(args.out or datetime.now().strftime(f"{kind}-%Y%m%d-%H%M%S"))
    path.mkdir(parents=True, exist_ok=True)
    with (
        locked(path),
        StopSignal(args.max_seconds) as stop,
        make_cluster(definition, args.processes, pin=args.pin) as cluster,
    ):
        MatchFolder.check_unused(path)
        openings = _openings(definition, cluster, stop)
        if stop():
            warn("stopped before the first game; nothing was written")
            return INTERRUPTED if stop.requested else 0
        folder = MatchFolder.create(path, definition, openings)
        _run(folder, cluster, stop)
        return finish(args, folder, stop.requested)


def confirm_programs(path: Path, players: Iterable[Player], trusted: bool) -> bool:
    """Print the programs that the run of a folder starts, and ask whether to run them. `trusted`:
    do not ask, because this user started the run on this machine or has given --yes. Raises
    BadArena where nobody can answer.
    """
    commands = [_command(player) for player in players if player.command]
    if not commands:
        return True
    warn(f"{path} runs {plural(len(commands), 'program')}:")
    for command in commands:
        warn(f"  {command}")
    if trusted:
        return True
    if not sys.stdin.isatty():
        raise BadArena(f"{path} was not started here: check its programs, then add --yes")
    print("run them? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _command(player: Player) -> str:
    """A program as a shell would run it, with its environment and folder."""
    variables = "".join(f"{name}={shlex.quote(value)} " for name, value in player.env.items())
    folder = f"cd {shlex.quote(player.folder)} && " if player.folder else ""
    return f"{folder}{variables}{player.command}"


def make_cluster(definition: Definition, processes: int | None, *, pin: bool = False) -> Cluster:
    """Workers, each with as many cores as a game can keep busy."""
    ponders = any(player.options.get("ponder") for player in definition.players)
    needed = max(player.threads for player in definition.players) * (2 if ponders else 1)
    controls = [definition.control(player) for player in range(len(definition.players))]
    limits = [limit or 0.0 for control in controls for limit in (control.time, control.clock)]
    longest_move = max(definition.untimed_move_timeout, *limits) + definition.response_grace
    core_sets = [range(n * needed, (n + 1) * needed) for n in range(cores() // needed)]
    workers = processes or max(1, cores() // needed)
    return LocalCluster(workers, longest_move + _GRACE, core_sets if pin else ())


def _openings(definition: Definition, cluster: Cluster, stop: StopSignal) -> list[tuple[str, ...]]:
    with Progress("tengen: openings", unit="openings", line_seconds=None, rate=False) as progress:

        def show(making: OpeningProgress) -> None:
            progress.update(making.found, f"{making.evaluated} evaluated", total=making.wanted)

        openings = openings_for(definition, cluster, stop=stop, progress=show, warn=warn)
    longest = max(map(len, openings), default=0)
    if 0 < definition.max_moves <= longest:
        raise BadArena(f"max_moves {definition.max_moves}: an opening has {longest} moves")
    return openings


def _run(folder: MatchFolder, cluster: Cluster, stop: StopSignal) -> None:
    total = total_games(folder.definition)
    with folder.open_event_log() as event_log:
        if cut := event_log.torn_bytes:
            warn(f"removed {cut} bytes of a partial last line: that game is played again")
        with MatchDisplay(folder.definition, total, folder.games) as display:

            def on_game(game: MatchGame | None) -> None:
                display.update(folder.games)

            run_match(folder, cluster, stop=stop, on_game=on_game)


def finish(
    args: argparse.Namespace, folder: MatchFolder, interrupted: bool, resume: str = "--resume"
) -> int:
    """Write the files of the result, and print it; returns the exit code. `resume`: the options
    before the folder that resume the run.
    """
    write_result(folder)
    write_games(folder, psq=not args.no_psq)
    if not args.no_report:
        write_report(folder, folder.path / "report.html")
    definition, games = folder.definition, counted(folder.definition, folder.games)
    if args.json:
        print(result(definition, folder.openings, folder.games), end="")
    else:
        print(summary(definition, games))
    left = total_games(definition) - len(folder.games)
    if left and not MatchProgress(definition, games).is_decided:
        warn(f"{left} games are left: resume with {resume} {shlex.quote(str(folder.path))}")
    warn(f"results are in {folder.path}")
    return INTERRUPTED if interrupted else 0


def write_report(folder: MatchFolder, path: Path) -> None:
    made = datetime.now().strftime("%Y-%m-%d %H:%M")
    games = counted(folder.definition, folder.games)
    write_text(report_html(folder.definition, folder.openings, games, made=made), path)
