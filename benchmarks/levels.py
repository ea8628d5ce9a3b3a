# SPDX-License-Identifier: MIT
"""Neighbouring levels against each other: each should win 60% to 90% against the one below.

    python benchmarks/levels.py --rules freestyle,renju --levels 7-10 --games 200 --out results
    python benchmarks/levels.py --levels 7-9 --override "8:nodes=60000|120000,lines=2" --out results

An override changes a level for this run; values separated by a bar are alternatives, and each plays
against each of the neighbours'. A match folder belongs to the numbers of both levels, not to the
run: the same command resumes a stopped run, `--games` may grow, and runs with other overrides may
share the folder. Prints a table and writes it to OUT/levels.json. Level 10 has no limit; here it
has `--full`. In a bundle: `./tengen --script benchmarks/levels.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product, takewhile
from pathlib import Path
from typing import Any, TypeVar

from bench_common import add_run_options, make_parser, play_match, print_table, say, score_range
from tengen.arena import Definition, MatchFolder, Player, TimeControl, standings
from tengen.arena.game_task import GameTask
from tengen.cli.common import StopSignal
from tengen.cluster import LocalCluster, ProgressRecord, TaskOutcome
from tengen.cluster.base import Work
from tengen.engine.levels import FULL, LEVELS, Level
from tengen.game import records
from tengen.game.errors import TengenError
from tengen.game.rule import Rule

RULES = "freestyle,standard,renju,caro"
MIN_SCORE, MAX_SCORE = 0.6, 0.9  # of the higher of two neighbours
MAX_GAMES = 600  # per match: the package has openings for so many, for every rule and size
MEMORY = 32  # MiB, as on the page
HANG_TIMEOUT = 600.0  # seconds without a heartbeat
KINDS: Mapping[str, type[int] | type[float]] = {
    "nodes": int, "depth": int, "time": float, "lines": int, "spread": float,
}  # fmt: skip
T = TypeVar("T")
R = TypeVar("R")


class BadLevel(TengenError, ValueError):
    """An option that makes no sense."""


# --- what is played ---


@dataclass(frozen=True)
class Match:
    """A level against the one below, in one rule."""

    rule: Rule
    upper: Level
    lower: Level
    full: TimeControl  # of level 10
    size: int = 15

    @property
    def definition(self) -> Definition:
        players = tuple(player_of(level, self.full) for level in (self.upper, self.lower))
        pairs = MAX_GAMES // 2
        return Definition(players, rule=self.rule, size=self.size, pairs=pairs, event=self.title)

    @property
    def title(self) -> str:
        return f"{self.rule}: {level_text(self.upper)} - {level_text(self.lower)}"

    @property
    def name(self) -> str:
        """The name of its folder, which depends only on the numbers."""
        full = self.full.to_dict() if FULL in self.levels else None
        numbers = [asdict(self.upper), asdict(self.lower), full, self.size]
        digest = hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:8]
        return f"{self.rule}-{self.upper.number:02}-{self.lower.number:02}-{digest}"

    @property
    def levels(self) -> dict[int, Level]:
        return {level.number: level for level in (self.upper, self.lower)}


def player_of(level: Level, full: TimeControl) -> Player:
    control = full
    if level.number != FULL:
        control = TimeControl(nodes=level.nodes, depth=level.depth)
    options = {"level": level.number, "memory": MEMORY}
    return Player(f"level {level.number}", "alphabeta", options=options, limit=control)


def level_text(level: Level) -> str:
    """A level in short: `8 (nodes=80000, lines=2, spread=0.015)`."""
    if level.number == FULL:
        return str(level.number)
    values = {key: getattr(level, key) for key in KINDS if key != "time"}
    listed = ", ".join(f"{k}={v:g}" for k, v in values.items() if v is not None)
    return f"{level.number} ({listed})"


def level_range(text: str) -> range:
    """`7-10` as the levels 7, 8, 9, 10. Raises BadLevel."""
    low, _, high = text.partition("-")
    if low.isdecimal() and high.isdecimal() and 1 <= int(low) < int(high) <= FULL:
        return range(int(low), int(high) + 1)
    raise BadLevel(f"no levels {text!r}: use two of 1 to {FULL}, like 7-10")


def overridden(text: str, table: Mapping[int, Sequence[Level]]) -> dict[int, list[Level]]:
    """The variants of the level that an override names: `8:nodes=20000|40000,lines=2`."""
    number, _, rest = text.partition(":")
    if not (number.isdecimal() and 1 <= int(number) < FULL) or not rest:
        message = f"use a level of 1 to {FULL - 1} and its numbers, like 8:nodes=20000,lines=2"
        raise BadLevel(f"no override {text!r}: {message}")
    choices = [values_of(part.strip()) for part in rest.split(",")]
    made = [dict(one) for one in product(*choices)]
    variants = [changed(level, one) for level in table[int(number)] for one in made]
    return {int(number): list(dict.fromkeys(variants))}


def values_of(part: str) -> list[tuple[str, float | None]]:
    """The alternatives of `nodes=20000|40000`."""
    key, _, values = part.partition("=")
    if key not in KINDS or not values:
        raise BadLevel(f"no number {part!r} of a level: known are {', '.join(KINDS)}")
    try:
        return [(key, None if v == "none" else KINDS[key](v)) for v in values.split("|")]
    except ValueError:
        raise BadLevel(f"no {key} of {values!r}: use numbers, or none") from None


def changed(level: Level, values: Mapping[str, Any]) -> Level:
    made = replace(level, **values)
    limits = [limit for limit in (made.nodes, made.depth, made.time) if limit is not None]
    good = made.lines is not None and made.spread is not None and bool(made.nodes or made.depth)
    if not good or min(limits) <= 0 or not 1 <= made.lines <= 100 or not 0 <= made.spread <= 10:
        message = "nodes or a depth, lines from 1 to 100, a spread from 0 to 10 are needed"
        raise BadLevel(f"no level {level.number} with {dict(values)}: {message}")
    return made


def limit_of(text: str) -> TimeControl:
    """`nodes=1500000` or `time=2`. Raises BadLevel."""
    key, _, value = text.partition("=")
    try:
        if key == "nodes":
            return TimeControl(nodes=int(value))
        if key == "time":
            return TimeControl(time=float(value))
    except ValueError:
        pass
    raise BadLevel(f"no limit {text!r}: use nodes=N or time=SECONDS")


def matches(args: argparse.Namespace) -> list[Match]:
    """The matches of the options. Raises BadLevel, BadRule."""
    table: dict[int, list[Level]] = {number: [level] for number, level in LEVELS.items()}
    for text in args.override:
        table |= overridden(text, table)
    numbers, full = level_range(args.levels), limit_of(args.full)
    return [
        Match(Rule.parse(rule), upper, lower, full, args.size)
        for rule in args.rules.split(",")
        for number in numbers[:-1]
        for lower in table[number]
        for upper in table[number + 1]
    ]


# --- playing ---


def with_levels(
    levels: Mapping[int, Level], work: Work[T, R], task: T, progress: ProgressRecord
) -> R:
    """Do a task in a worker whose table of levels is this one."""
    LEVELS.update(levels)
    return work(task, progress)


class LevelCluster(LocalCluster):
    """Workers that play the levels of `match`, and only the first `games` of its schedule."""

    match: Match
    games: int

    def run(
        self, work: Work[T, R], tasks: Iterable[T | None], stop: Callable[[], bool] = lambda: False
    ) -> Iterator[TaskOutcome[T, R] | None]:
        wanted = takewhile(self._is_wanted, tasks)
        yield from super().run(partial(with_levels, self.match.levels, work), wanted, stop)

    def _is_wanted(self, task: object) -> bool:
        return not isinstance(task, GameTask) or task.scheduled.number < self.games


# --- the table ---


def row_of(match: Match, path: Path) -> dict[str, Any] | None:
    """The result of a match; None before its first game."""
    if not MatchFolder.has_run(path) or not (folder := MatchFolder.read(path)).games:
        return None
    counted = standings(folder.definition, folder.games)
    met = counted.encounters[0]
    score, low, high = score_range(met)
    whole = sum(met.pairs)
    return {
        "rule": str(match.rule),
        "upper": asdict(match.upper),
        "lower": asdict(match.lower),
        "full": match.full.to_dict(),
        "games": met.games,
        "wins": met.wins,
        "draws": met.draws,
        "losses": met.losses,
        "score": round(score, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "pairs": met.pairs,
        "split": round(met.pairs[2] / whole, 3) if whole else None,  # a point for each
        "fits": MIN_SCORE <= score <= MAX_SCORE,
        "faults": sum(sum(one.faults.values()) for one in counted.players),
        "folder": path.name,
    }


HEADS = ("rule", "match", "games", "score of the higher", "W/D/L", "split pairs", "")


def cells_of(row: Mapping[str, Any]) -> list[object]:
    """A row of the table. `split`: pairs in which each player won a game."""
    upper, lower = (level_text(Level(**row[key])) for key in ("upper", "lower"))
    share = f"{row['score']:.1%} ({row['low']:.1%} to {row['high']:.1%})"
    counts = f"{row['wins']}/{row['draws']}/{row['losses']}"
    split = "" if row["split"] is None else f"{row['split']:.0%}"
    mark = ("" if row["fits"] else "outside") + (" faults!" if row["faults"] else "")
    return [row["rule"], f"{upper} - {lower}", row["games"], share, counts, split, mark]


def report(listed: Sequence[Match], out: Path) -> list[dict[str, Any]]:
    """Write the results of all matches, and return them."""
    rows = [row for match in listed if (row := row_of(match, out / match.name)) is not None]
    records.write_text(
        json.dumps({"format": 1, "rows": rows}, indent=1) + "\n", out / "levels.json"
    )
    return rows


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--rules", default=RULES, metavar="A,B", help=f"default: {RULES}")
    parser.add_argument("--size", type=int, default=15, metavar="N", help="lines of the board")
    parser.add_argument("--levels", default=f"1-{FULL}", metavar="A-B", help="default: all")
    parser.add_argument("--out", type=Path, default=Path("levels"), metavar="DIR")
    add_run_options(parser, games=200)
    parser.add_argument(
        "--full", default="nodes=1500000", metavar="LIMIT", help="of level 10: nodes=N or time=S"
    )
    parser.add_argument(
        "--override", action="append", default=[], metavar="K:NAME=V", help="see above; repeatable"
    )
    args = parser.parse_args(arguments)
    if not (2 <= args.games <= MAX_GAMES and args.games % 2 == 0 and args.processes >= 1):
        parser.error(f"games are an even number from 2 to {MAX_GAMES}, processes 1 or more")
    return args


def main(arguments: Sequence[str] | None = None) -> int:
    args = options(arguments)
    try:
        listed = matches(args)
        args.out.mkdir(parents=True, exist_ok=True)
        with (
            StopSignal(args.seconds) as stop,
            LevelCluster(args.processes, HANG_TIMEOUT) as cluster,
        ):
            cluster.games = args.games
            for match in listed:
                if not stop():
                    cluster.match = match
                    play_match(args.out / match.name, match.definition, cluster, stop)
                    report(listed, args.out)
        rows = report(listed, args.out)
    except (TengenError, OSError) as error:
        say(f"levels: {error}")
        return 1
    print_table(HEADS, map(cells_of, rows))
    missing = sum(max(0, args.games - row["games"]) for row in rows)
    missing += args.games * (len(listed) - len(rows))
    if missing:
        say(f"{missing} games are left: the same command resumes")
    return 130 if stop.requested else 0


if __name__ == "__main__":
    sys.exit(main())
