# SPDX-License-Identifier: MIT
"""Shared by the benchmarks: arguments, tables, the machine, openings, and matches that resume."""

from __future__ import annotations

import argparse
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tengen import Board, Rule, __version__, _core
from tengen.arena import Definition, MatchFolder, openings_for, run_match
from tengen.arena.elo import expected_share
from tengen.arena.make_openings import Opening, draw_openings
from tengen.arena.standings import Encounter
from tengen.cluster import Cluster, cores
from tengen.util.files import locked
from tengen.util.progress import Progress

__all__ = [
    "Every", "add_run_options", "draw_opening", "limited_board", "machine", "make_parser",
    "play_match", "print_machine", "print_table", "random_board", "say", "score_range",
]  # fmt: skip


def make_parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the docstring of the benchmark."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_run_options(parser: argparse.ArgumentParser, games: int) -> None:
    """Options of benchmarks that play games on a cluster."""
    parser.add_argument("--games", type=int, default=games, help=f"(default: {games})")
    parser.add_argument("--processes", type=int, default=cores(), help="games at a time")
    parser.add_argument("--max-seconds", "--seconds", type=float, dest="seconds", help="stop then")


class Every:
    """True at most once in `seconds`, and not at first."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = time.monotonic()

    def __call__(self) -> bool:
        due = time.monotonic() - self._last >= self._seconds
        if due:
            self._last = time.monotonic()
        return due


def say(message: str) -> None:
    """Print a message to stderr."""
    print(message, file=sys.stderr, flush=True)


def table_lines(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A table in Markdown, line by line."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table in Markdown, each row as soon as it is known."""
    for line in table_lines(heads, rows):
        print(line, flush=True)


def machine() -> str:
    """Architecture, cores, processor and load of this machine."""
    try:
        lines = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    except OSError:
        lines = ""
    names = [line.split(":", 1)[1] for line in lines.splitlines() if line.startswith("Model name")]
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    processor = names[0].strip() if names else platform.processor() or "unknown"
    return f"{platform.machine()}, {cores()} cores, {processor}, load {load}"


def print_machine() -> None:
    print(f"machine   {machine()}")
    print(f"build     tengen {__version__}, instruction set {_core.simd_name()}")
    print(f"python    {platform.python_version()}")


def draw_opening(rng: random.Random, size: int, rule: Rule) -> Opening:
    return next(draw_openings(rng.getrandbits(31), size, rule))


def limited_board(opening: Opening, size: int, rule: Rule) -> Board:
    """A board with an opening, and a draw after four fifths of its points."""
    board = Board(size, rule, move_limit=size * size * 4 // 5)
    for move in opening:
        board.push(move)
    return board


def random_board(rng: random.Random, size: int, rule: Rule) -> Board:
    return limited_board(draw_opening(rng, size, rule), size, rule)


def play_match(
    path: Path, definition: Definition, cluster: Cluster, stop: Callable[[], bool]
) -> MatchFolder:
    """Play the games that the folder lacks, and return it. Raises SystemExit if the folder has
    another definition.
    """
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        if MatchFolder.has_run(path):
            folder = MatchFolder.read(path)
            if folder.definition != definition:
                raise SystemExit(f"{path} has other options: use another --out")
        else:
            folder = MatchFolder.create(path, definition, openings_for(definition, cluster))
        shown = Progress(definition.event, unit="games", initial=len(folder.games))
        with shown as progress, folder.open_event_log():
            run_match(
                folder, cluster, stop=stop, on_game=lambda _: progress.update(len(folder.games))
            )
    return folder


def score_range(met: Encounter) -> tuple[float, float, float]:
    """Score of the first player, 0 to 1, and the bounds of its 95% interval."""
    return met.share, expected_share(met.elo.low), expected_share(met.elo.high)
