# SPDX-License-Identifier: MIT
"""`tengen openings`: make balanced openings, list those that come with the package, check a file,
show its boards.

All talk goes to stderr; stdout is for the answer. Relies on the arena's openings; what `check` and
`show` tell is in `openings_words`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tengen.arena.configs import config_folder
from tengen.arena.drawn_openings import Opening
from tengen.arena.errors import BadArena
from tengen.arena.make_openings import JUDGE, Making, Recipe, judge_openings, make_openings
from tengen.arena.openings import even_openings, listed_openings, shipped_openings
from tengen.arena.player import Player
from tengen.cli.common import one_line
from tengen.cli.openings_options import configure
from tengen.cli.openings_words import Checked, Drawn, board_lines, check_lines, list_lines
from tengen.cli.signals import StopSignal
from tengen.cluster import LocalCluster
from tengen.game import records
from tengen.game.renju_openings import RENJU_OPENINGS
from tengen.game.rule import Rule

__all__ = ["configure", "run"]

_NAME = re.compile(r"(freestyle|standard|renju|caro6|caro)[-_ ]?(\d{1,2})", re.ASCII)


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        args.print_help()
        return 2
    actions = {"make": _make, "list": _list, "check": _check, "show": _show}
    return actions[args.action](args)


def _tell(words: str) -> None:
    print(f"tengen openings: {one_line(words)}", file=sys.stderr)


# --- make ---


def _make(args: argparse.Namespace) -> int:
    out = None if args.out is None else Path(args.out)
    if out is not None and out.exists() and not args.overwrite:
        raise FileExistsError(17, "the file exists: --overwrite replaces it", os.fspath(out))
    rule = Rule.parse(args.rule or Rule.FREESTYLE)
    recipe = Recipe(
        rule,
        args.size or 15,
        args.stones,
        nodes=args.nodes,
        balance=args.balance,
        seed=args.seed,
        judge=_judge(args.judge),
        games=args.games,
        game_nodes=args.game_nodes,
    )
    with (
        StopSignal() as stop,
        LocalCluster(args.processes) as cluster,
        _bar(args.number, "found") as bar,
    ):
        found = make_openings(recipe, args.number, cluster, stop=stop, progress=bar)
    _write(out, found, recipe, args.number)
    where = "stdout" if out is None else str(out)
    _tell(f"{len(found)} balanced openings of {bar.last.judged} judged, to {where}")
    if len(found) == args.number:
        return 0
    why = "interrupted" if stop.requested else "there are no more to be found"
    _tell(f"{len(found)} of {args.number} openings: {why}")
    return 130 if stop.requested else 1


def _judge(text: str) -> Player:
    """The player of `--judge`, with little memory unless told otherwise. Raises BadArena."""
    player = Player.parse(text)
    if not player.is_ours or "memory" in text:
        return player
    return replace(player, options={**player.options, "memory": JUDGE.options["memory"]})


def _write(out: Path | None, found: list[Opening], recipe: Recipe, wanted: int) -> None:
    """The file, if there is something to write."""
    if not found:
        return
    text = "".join(f"# {line}\n" for line in _head(recipe, len(found), wanted))
    text += records.write_openings(found, recipe.size)
    if out is None:
        print(text, end="")
    else:
        records.write_text(text, out)


def _head(recipe: Recipe, found: int, wanted: int) -> Iterator[str]:
    """How it was made, in words and as a command."""
    from tengen._version import version

    least, most = recipe.stones
    yield f"Balanced openings for {recipe.rule}, {recipe.size}x{recipe.size}: by the judgement of"
    yield f"tengen {version()} neither side is much better. Made with"
    yield f"  tengen openings make --rule {recipe.rule} --size {recipe.size} --number {wanted} \\"
    by_games = bool(recipe.games) or recipe.judge.name != JUDGE.name
    goes_on = " \\" if by_games else ""
    yield (
        f"    --stones {least}-{most} --nodes {recipe.nodes} --balance {recipe.balance:g}"
        f" --seed {recipe.seed}{goes_on}"
    )
    if by_games:
        yield (
            f"    --judge {recipe.judge.name} --games {recipe.games}"
            f" --game-nodes {recipe.game_nodes}"
        )
    if found < wanted:
        yield f"It ended before all were found: {found} of {wanted}."
    yield "An opening a line: offsets from the centre, black first."


class _Bar:
    """Takes word of how far it has come."""

    def __init__(self) -> None:
        self.last = Making(0, 0, 0)

    def __call__(self, making: Making) -> None:
        self.last = making


@contextmanager
def _bar(total: int, what: str) -> Iterator[_Bar]:
    """A bar on stderr while someone is looking."""
    if not sys.stderr.isatty():
        yield _Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        Remaining(),
        TextColumn("{task.fields[judged]} judged"),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        task = bars.add_task(what, total=total, judged=0)

        class Shown(_Bar):
            def __call__(self, making: Making) -> None:
                super().__call__(making)
                bars.update(task, completed=making.found, judged=making.judged)

        yield Shown()


# --- list ---


def _list(args: argparse.Namespace) -> int:
    shipped = {}
    places = (("", shipped_openings), ("even/", even_openings))
    for folder, openings in places:
        for path in sorted((config_folder() / "openings" / folder).glob("*.txt")):
            if found := _NAME.fullmatch(path.stem):
                rule, size = Rule(found[1]), int(found[2])
                shipped[folder + path.stem] = (rule, size, len(openings(rule, size)))
    if not args.json:
        print(*list_lines(shipped), sep="\n")
        return 0
    files = [
        {"name": name, "rule": rule, "size": size, "openings": number}
        for name, (rule, size, number) in shipped.items()
    ]
    classical = [
        {
            "code": opening.code,
            "name": opening.name,
            "kanji": opening.kanji,
            "moves": " ".join(move.name for move in opening.moves()),
        }
        for opening in RENJU_OPENINGS
    ]
    print(json.dumps({"files": files, "renju26": classical}, ensure_ascii=False))
    return 0


# --- check and show ---


def _source(args: argparse.Namespace) -> tuple[Path, Rule, int]:
    """The file that is meant, the rule and the size. Raises BadArena."""
    path = Path(args.file)
    if not path.exists() and path.name == args.file.removeprefix("even/"):
        shipped = config_folder() / "openings"
        path = shipped / f"{args.file}.txt"
        if not path.is_file():
            files = [*shipped.glob("*.txt"), *shipped.glob("even/*.txt")]
            names = sorted(str(file.relative_to(shipped).with_suffix("")) for file in files)
            known = ", ".join(names) or "none"
            raise BadArena(
                f"no file {args.file!r}, and no openings of that name: there are {known}"
            )
    name = _NAME.fullmatch(path.stem.lower())
    rule = args.rule or (name[1] if name else Rule.FREESTYLE)
    return path, Rule.parse(rule), args.size or (int(name[2]) if name else 15)


def _check(args: argparse.Namespace) -> int:
    path, rule, size = _source(args)
    listed = list(listed_openings(path, size, rule, args.moves))
    good = [one.opening for one in listed if not one.fault]
    rates: dict[Opening, float | None] = {}
    with StopSignal() as stop:
        if args.nodes and good:
            judge = _judge(args.judge)
            recipe = Recipe(rule, size, nodes=args.nodes, balance=args.balance, judge=judge)
            with LocalCluster(args.processes) as cluster, _bar(len(good), "judging") as bar:
                found = judge_openings(recipe, good, cluster, stop=stop, progress=bar)
            rates = dict(zip(good, found, strict=True))
    checked = [Checked(*one, rates.get(one.opening), args.balance) for one in listed]
    if args.json:
        print(json.dumps({"rule": rule, "size": size, "openings": [c.as_json() for c in checked]}))
    else:
        print(*check_lines(checked), sep="\n")
    if stop.requested:
        _tell("interrupted: not all were judged")
        return 130
    return 1 if any(one.is_bad for one in checked) else 0


def _show(args: argparse.Namespace) -> int:
    shown = _classical(args) or _of_file(args)
    if args.number is not None and args.number > len(shown):
        raise BadArena(f"no opening {args.number}: {args.file} has {len(shown)}")
    chosen = shown if args.number is None else shown[args.number - 1 : args.number]
    for place, one in enumerate(chosen):
        print(*([""] if place else []), *board_lines(one), sep="\n")
    return 0


def _classical(args: argparse.Namespace) -> list[Drawn]:
    """Those of the 26 that are meant by a name; none if it means something else."""
    wanted = args.file.lower()
    if Path(args.file).exists():
        return []
    return [
        Drawn(f"{one.code} {one.name} {one.kanji}", one.moves(args.size or 15), args.size or 15)
        for one in RENJU_OPENINGS
        if wanted in ("renju26", one.code.lower(), one.name.lower(), one.kanji)
    ]


def _of_file(args: argparse.Namespace) -> list[Drawn]:
    path, rule, size = _source(args)
    listed = list(listed_openings(path, size, rule, args.moves))
    return [
        Drawn(f"opening {number} of {len(listed)}", one.opening, size, one.fault)
        for number, one in enumerate(listed, 1)
    ]
