# SPDX-License-Identifier: MIT
"""Matches between two players on many cores, with paired openings; see docs/journal for results.

    python benchmarks/match.py classical classical,null_move=false --pairs 200 --time 0.02
    python benchmarks/match.py classical-paper,depth=4 "pipe:./other" --time-b 0.1 --out m.json
    python benchmarks/match.py --plan plan.json --processes 16 --max-seconds 570 --out all.json
    python benchmarks/match.py --check all.json

Players are told in `match_games`, openings in `match_openings`, the statistics in `match_stats`.
Each opening is played twice with colours swapped. A plan is a JSON list of objects with the names
of the options below (`a`, `b`, `rule`, `pairs`, `time_a`, ...), which hold for that match only;
its matches run one after another. SIGINT, SIGTERM and `--max-seconds` end it with what there is.
The file is written every 20 seconds; beside it, with the ending .md, the table of all matches.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from itertools import islice
from pathlib import Path
from time import monotonic

import tengen
from match_games import GameTask, JudgeTask, Player, judge_opening, play_game, unfinished
from match_openings import Opening, draw_openings, file_openings
from match_pool import Every, Failure, Pool, Stop, cores, say
from match_result import Tally, check_result, match_json, table
from tengen import Rule
from tengen.game import records

CANDIDATES = 60  # openings that are judged for one that is wanted, at most


@dataclass(frozen=True)
class Definition:
    """One match. Limits are those of both players, unless `_a` or `_b` says otherwise."""

    a: str
    b: str
    name: str = ""
    rule: str = "freestyle"
    size: int = 15
    pairs: int = 100
    time: float | None = None
    nodes: int | None = None
    depth: int | None = None
    time_a: float | None = None
    time_b: float | None = None
    nodes_a: int | None = None
    nodes_b: int | None = None
    depth_a: int | None = None
    depth_b: int | None = None
    memory: int = 16
    tolerance: float = 1.0
    seed: int = 1
    openings: str | None = None
    judge: str = "classical,nodes=2000"
    balance: float = 0.2
    seconds: float | None = None

    def players(self) -> tuple[Player, Player]:
        a, b = (self._player(text, side) for text, side in ((self.a, "a"), (self.b, "b")))
        return a, b

    def _player(self, text: str, side: str) -> Player:
        own = {name: getattr(self, f"{name}_{side}") for name in ("time", "nodes", "depth")}
        both = {"time": self.time, "nodes": self.nodes, "depth": self.depth}
        player = Player.parse(text, self.memory, **(own if any(own.values()) else both))
        if not player.limits:
            raise ValueError(f"player {text!r} has no limit: give --time, --nodes or --depth")
        return player

    @property
    def title(self) -> str:
        return self.name or f"{self.a} - {self.b}"


# --- openings ---


def openings_of(match: Definition, pool: Pool, stop: Stop) -> list[Opening]:
    """As many openings as pairs, if there are so many; those of a file come again and again."""
    rule = Rule.parse(match.rule)
    if match.openings:
        listed = file_openings(Path(match.openings), match.seed, match.size, rule)
        if not listed:
            raise ValueError(f"{match.openings} has no opening that can be played")
        return (listed * -(-match.pairs // len(listed)))[: match.pairs]
    drawn = draw_openings(match.seed, match.size, rule)
    if match.judge == "none":
        return list(islice(drawn, match.pairs))
    judge = Player.parse(match.judge, match.memory)
    tasks = (JudgeTask(judge, rule, match.size, op, n) for n, op in enumerate(drawn))
    return _judged(match, islice(tasks, CANDIDATES * match.pairs), pool, stop)


def _judged(match: Definition, tasks: Iterator[JudgeTask], pool: Pool, stop: Stop) -> list[Opening]:
    """The first balanced ones, in the order in which they were drawn: the same on any number of
    cores.
    """
    found: list[Opening] = []
    tried = 0
    line = Every(5)
    while len(found) < match.pairs and not stop():
        batch = list(islice(tasks, max(2 * (match.pairs - len(found)), 4 * pool.processes)))
        if not batch:
            break
        balanced = {}
        for done in pool.run(judge_opening, batch, stop):
            if line():
                say(f"openings: {len(found)} of {match.pairs} found, {tried} judged")
            if done is None:
                continue
            task, rate = done
            if isinstance(rate, Failure):
                raise RuntimeError(f"the judge failed on {task.opening}: {rate.kind}, {rate.words}")
            if rate is not None and abs(rate - 0.5) < match.balance:
                balanced[task.number] = task.opening
        tried += len(batch)
        found += [balanced[number] for number in sorted(balanced)]
    if len(found) < match.pairs and not stop():
        say(f"openings: only {len(found)} balanced ones among {tried}")
    say(f"openings: {tried} judged, {len(found)} balanced")
    return found[: match.pairs]


# --- matches ---


class Runner:
    """Runs matches on one pool, and keeps the file of results."""

    def __init__(self, pool: Pool, stop: Stop, out: Path | None) -> None:
        self._pool, self._stop, self._out = pool, stop, out
        self._start = monotonic()
        self._done: list[str] = []  # matches as JSON
        self._rows: list[list[str]] = []
        self._openings: dict[tuple[object, ...], list[Opening]] = {}

    def run(self, match: Definition) -> Tally:
        stop = self._stop.within(match.seconds)
        tally = Tally(match.players())
        tasks = self._tasks(match, tally.players, stop)
        line, save = Every(5), Every(20)
        deaths = 0
        for done in self._pool.run(play_game, tasks, stop):
            if done is not None:
                task, game = done
                if isinstance(game, Failure):
                    deaths += not game.notes
                    if game.kind == "error" or deaths > 2:
                        raise RuntimeError(f"{game.kind}, {game.words}")
                    if not game.notes:
                        continue
                    game = unfinished(task, game.kind, game.words, game.notes)
                tally.add(game)
            if line():
                say(f"[{monotonic() - self._start:4.0f} s] {match.title}: {tally.words()}")
            if save():
                self._write(match, tally, "running")
        ended = "complete" if len(tally.games) == 2 * match.pairs else "stopped"
        self._write(match, tally, ended)
        self._done.append(match_json(asdict(match), tally, ended))
        self._rows.append(tally.row(match.title, f"{match.rule} {match.size}"))
        say(f"[{monotonic() - self._start:4.0f} s] {match.title}: {tally.words()} ({ended})")
        return tally

    def _tasks(
        self, match: Definition, players: tuple[Player, Player], stop: Stop
    ) -> list[GameTask]:
        key = tuple(
            getattr(match, name)
            for name in ("rule", "size", "pairs", "seed", "openings", "judge", "balance", "memory")
        )
        if key not in self._openings:
            self._openings[key] = openings_of(match, self._pool, stop)
        return [
            GameTask(
                players, Rule.parse(match.rule), match.size, opening, pair, swapped, match.tolerance
            )
            for pair, opening in enumerate(self._openings[key])
            for swapped in (False, True)
        ]

    def _write(self, match: Definition, tally: Tally, ended: str) -> None:
        if self._out is None:
            return
        machine = {"cores": cores(), "processes": self._pool.processes, "load": os.getloadavg()[0]}
        head = json.dumps({"tengen": tengen.__version__, "machine": machine})[:-1]
        matches = [*self._done, match_json(asdict(match), tally, ended)]
        text = head + ', "matches": [\n' + ",\n".join(matches) + "\n]}\n"
        records.write_text(text, self._out)
        rows = [*self._rows, tally.row(match.title, f"{match.rule} {match.size}")]
        records.write_text(table(rows), self._out.with_suffix(".md"))

    def table(self) -> str:
        return table(self._rows)


# --- the command ---


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("a", nargs="?", help="the first player")
    parser.add_argument("b", nargs="?", help="the second player")
    kinds = {"int": int, "float": float, "str": str}
    for entry in fields(Definition):
        if entry.name not in ("a", "b"):
            kind = kinds[str(entry.type).partition(" ")[0]]
            option = "--" + entry.name.replace("_", "-")
            parser.add_argument(option, type=kind, default=entry.default, metavar=kind.__name__)
    parser.add_argument("--plan", type=Path, help="a list of matches instead of two players")
    parser.add_argument("--check", type=Path, help="replay the games of a result file")
    parser.add_argument("--processes", type=int, default=cores())
    parser.add_argument("--patience", type=float, default=120, help="seconds until a move hangs")
    parser.add_argument("--max-seconds", type=float, help="of all matches together")
    parser.add_argument("--out", type=Path, help="the result with all games, as JSON")
    return parser.parse_args()


def definitions(given: argparse.Namespace) -> list[Definition]:
    """The matches to run: those of the plan, or the one of the command line."""
    common = {entry.name: getattr(given, entry.name) for entry in fields(Definition)}
    plan = json.loads(given.plan.read_text("utf-8")) if given.plan else [{}]
    found = []
    for entry in plan:
        if unknown := set(entry) - set(common):
            raise ValueError(f"the plan has an unknown {', '.join(sorted(unknown))!r}")
        match = Definition(**(common | entry))
        if not match.a or not match.b:
            raise ValueError("a match needs two players")
        match.players()
        Rule.parse(match.rule)
        found.append(match)
    return found


def check(path: Path) -> int:
    wrong = 0
    for match in json.loads(path.read_text("utf-8"))["matches"]:
        faults = check_result(match)
        wrong += len(faults)
        title = f"{match['definition']['a']} - {match['definition']['b']}"
        print(f"{title}: {len(match['games'])} games, {len(faults)} faults", *faults, sep="\n  ")
    return min(wrong, 1)


def main() -> int:
    given = arguments()
    if given.check:
        return check(given.check)
    try:
        matches = definitions(given)
    except ValueError as error:
        return print(f"match.py: {error}", file=sys.stderr) or 2
    stop = Stop(given.max_seconds).listen()
    status = 0
    with Pool(given.processes, given.patience) as pool:
        runner = Runner(pool, stop, given.out)
        for match in matches:
            if stop():
                break
            try:
                runner.run(match)
            except (RuntimeError, ValueError) as error:
                status = 1
                say(f"{match.title}: {error}")
    print(runner.table(), end="")
    return status


if __name__ == "__main__":
    sys.exit(main())
