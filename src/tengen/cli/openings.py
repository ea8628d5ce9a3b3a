# SPDX-License-Identifier: MIT
"""`tengen openings`: make balanced openings, list those of the package, check and draw files."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tengen.arena.errors import BadArena
from tengen.arena.make_openings import (
    EVALUATOR,
    STONES,
    Opening,
    OpeningProgress,
    Recipe,
    evaluate_openings,
    make_openings,
)
from tengen.arena.openings import bundled_openings, even_openings, listed_openings
from tengen.arena.player import Player
from tengen.cli.common import StopSignal, add_rule, at_least, count, one_line
from tengen.cluster import LocalCluster, cores
from tengen.game import records
from tengen.game.move import Move
from tengen.game.render.text import board_text
from tengen.game.renju_openings import RENJU_OPENINGS
from tengen.game.rule import Colour, Rule
from tengen.util.config import config_folder
from tengen.util.deprecation import add_deprecated_option
from tengen.util.files import write_text
from tengen.util.progress import Progress

__all__ = ["configure", "run"]

_NUMBER = 100
_NODES = 200_000
_BALANCE = 0.1
_GAME_NODES = 4000
_EPILOG = """\
A match is fair only from positions in which neither side is much better. `make` draws stones near
the centre, has the engine evaluate the position, and keeps it if the win rate is close to one half.

examples:
  tengen openings list                            those of the package
  tengen openings make --rule renju --out my.txt  make your own
  tengen openings check my.txt --rule renju       are they legal, distinct, balanced?
  tengen openings show renju15 3                  the third of those that come with the package
  tengen openings show hogetsu                    one of the 26 classical openings
"""
_MAKE = """\
examples:
  tengen openings make --rule standard --number 50 --out standard.txt
  tengen openings make --size 20 --stones 5-9 --nodes 1000000 --out long.txt
  tengen openings make --seed 2 > others.txt      the same seed gives the same openings
  tengen openings make --games 6 --out open.txt   both colours win them

The openings depend on these options alone, not on the number of processes.
Ctrl-C writes what there is.
"""
_CHECK = """\
examples:
  tengen openings check standard15                those that come with the package
  tengen openings check games.sgf --moves 6       the first six moves of each game
  tengen openings check my.txt --nodes 0          without evaluation

Any record file will do. The exit code is 1 if some opening cannot be used or is not balanced.
"""
_SHOW = """\
examples:
  tengen openings show my.txt                     all of them
  tengen openings show renju26                    the 26 classical openings
  tengen openings show 4D                         one of these, by its code or name
"""


def configure(parser: argparse.ArgumentParser) -> None:
    def show_help(args: argparse.Namespace) -> int:
        parser.print_help()
        return 2

    def add(
        name: str, handler: Callable[[argparse.Namespace], int], help: str, epilog: str = ""
    ) -> argparse.ArgumentParser:
        command = actions.add_parser(name, help=help, epilog=epilog, formatter_class=raw)
        command.set_defaults(handler=handler)
        return command

    raw = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.set_defaults(handler=show_help)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")

    make = add("make", _make, "make balanced openings", _MAKE)
    _add_board(make, "freestyle", "15")
    make.add_argument("--number", type=at_least(1), default=_NUMBER, metavar="N", help="how many")
    stones = "stones of an opening (default: {}-{})".format(*STONES)
    make.add_argument("--stones", type=_stones, default=STONES, metavar="A-B", help=stones)
    _add_evaluator(make, minimum=1)
    make.add_argument(
        "--games",
        type=at_least(0),
        default=0,
        metavar="N",
        help="quick games of the evaluator; each colour must win a third (default: 0)",
    )
    _add_nodes(make, "--game-nodes", 1, _GAME_NODES, "nodes per move of these games")
    make.add_argument("--seed", type=at_least(0), default=1, help="of the drawing (default: 1)")
    make.add_argument("--out", metavar="FILE", help="an opening file (default: stdout)")
    make.add_argument("--overwrite", action="store_true", help="replace a file that exists")

    listing = add("list", _list, "list the openings of the package")
    check = add("check", _check, "check that openings are legal, distinct, balanced", _CHECK)
    _add_file(check)
    _add_evaluator(check, minimum=0)
    for command in (listing, check):
        command.add_argument("--json", action="store_true", help="print one JSON object")

    show = add("show", _show, "draw the boards", _SHOW)
    _add_file(show)
    show.add_argument("number", nargs="?", type=at_least(1), metavar="N", help="only this one")


def _add_nodes(
    parser: argparse.ArgumentParser, name: str, minimum: int, default: int, help: str
) -> None:
    help = f"{help} (default: {default})"
    parser.add_argument(name, type=at_least(minimum), default=default, metavar="N", help=help)


def _add_board(parser: argparse.ArgumentParser, rule: str, size: str) -> None:
    add_rule(parser, f"the rule (default: {rule})")
    parser.add_argument(
        "--size", type=at_least(5), metavar="N", help=f"of the board (default: {size})"
    )


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="a record file, or a name of `tengen openings list`"
    )
    by_name = "by the file's name, as renju15.txt, else"
    _add_board(parser, f"{by_name} freestyle", f"{by_name} 15")
    parser.add_argument(
        "--moves", type=at_least(0), default=0, metavar="N", help="the first N moves of each record"
    )


def _add_evaluator(parser: argparse.ArgumentParser, minimum: int) -> None:
    off = "; 0: no evaluation" if minimum == 0 else ""
    _add_nodes(parser, "--nodes", minimum, _NODES, f"nodes of the evaluator per opening{off}")
    parser.add_argument(
        "--balance",
        type=float,
        default=_BALANCE,
        metavar="X",
        help=f"largest distance of the win rate from one half (default: {_BALANCE})",
    )
    evaluator = parser.add_argument(
        "--evaluator",
        default="classical",
        metavar="PLAYER",
        help="a preset of ours, with options: alphabeta,net=my.net (default: classical)",
    )
    add_deprecated_option(parser, evaluator, "--judge")
    parser.add_argument(
        "--processes", type=at_least(1), default=cores(), metavar="N", help="default: all cores"
    )


def _stones(text: str) -> tuple[int, int]:
    """The type of `--stones`: `3-7`, or one number."""
    found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip(), re.ASCII)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no range like 3-7")
    return int(found[1]), int(found[2] or found[1])


class CheckedOpening(NamedTuple):
    """An opening of a file, and the result of its check."""

    opening: Sequence[Move]
    fault: str  # why no game can begin with it, or nothing
    rate: float | None  # black's win rate by the evaluator; None: not evaluated
    balance: float  # how far it may be from one half

    @property
    def verdict(self) -> str:
        if self.fault:
            return self.fault
        if self.rate is None:
            return "good"
        if abs(self.rate - 0.5) < self.balance:
            return "balanced"
        return "better for black" if self.rate > 0.5 else "better for white"

    @property
    def is_bad(self) -> bool:
        return self.verdict not in ("good", "balanced")

    def as_json(self) -> dict[str, Any]:
        moves = " ".join(move.name for move in self.opening)
        rate = None if self.rate is None else round(self.rate, 4)
        return {"moves": moves, "verdict": self.verdict, "black_wins": rate}


def _check_lines(checked: Sequence[CheckedOpening]) -> Iterator[str]:
    """A row for each opening, and the counts."""
    yield "   no  stones  black wins  verdict, moves"
    for number, one in enumerate(checked, 1):
        rate = "-" if one.rate is None else f"{one.rate:.1%}"
        moves = " ".join(move.name for move in one.opening)
        yield f"{number:>5}  {len(one.opening):>6}  {rate:>10}  {one.verdict}: {moves}".rstrip(": ")
    counts = Counter(one.verdict for one in checked).most_common()
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in counts)
    yield ""
    yield f"{count(len(checked), 'opening')}: {verdicts}"


def _list_lines(bundled: Mapping[str, tuple[Rule, int, int]]) -> Iterator[str]:
    """The files of the package by name, and the classical openings."""
    yield "Balanced openings that come with the package (even/: both colours win them):"
    for name, (rule, size, number) in bundled.items():
        yield f"  {name:<17} {number:>5}  {rule}, {size}x{size}"
    if not bundled:
        yield "  none"
    yield ""
    yield "The 26 classical openings of renju (renju26), with white's and black's second move:"
    for one in RENJU_OPENINGS:
        moves = " ".join(move.name for move in one.moves())
        yield f"  {one.code:>3}  {one.name:<10} {one.kanji}  {moves}"


def _draw(title: str, opening: Opening, size: int, fault: str = "") -> str:
    """The board, under a line with the moves."""
    moves = " ".join(move.name for move in opening)
    turn = Colour.WHITE if len(opening) % 2 else Colour.BLACK
    head = f"{title}: {moves} ({fault or f'{turn} to move'})"
    if not opening:
        return head
    sides = (Colour.BLACK, Colour.WHITE)
    stones = {move: sides[n % 2] for n, move in enumerate(opening)}
    return f"{head}\n{board_text(size, stones, last=opening[-1])}"


_NAME = re.compile(r"(freestyle|standard|renju|caro6|caro)[-_ ]?(\d{1,2})", re.ASCII)


def run(args: argparse.Namespace) -> int:
    return int(args.handler(args))


def _warn(message: str) -> None:
    print(f"tengen openings: {one_line(message)}", file=sys.stderr)


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
        evaluator=_evaluator(args.evaluator),
        games=args.games,
        game_nodes=args.game_nodes,
    )
    evaluated = 0
    with (
        StopSignal() as stop,
        LocalCluster(args.processes) as cluster,
        _progress("making openings", args.number) as progress,
    ):

        def show(making: OpeningProgress) -> None:
            nonlocal evaluated
            evaluated = making.evaluated
            progress.update(making.found, f"{evaluated:,} evaluated")

        found = make_openings(recipe, args.number, cluster, stop=stop, progress=show)
    _write(out, found, recipe, args.number)
    where = "stdout" if out is None else str(out)
    _warn(f"{len(found)} balanced openings of {evaluated} evaluated, to {where}")
    if len(found) == args.number:
        return 0
    why = "interrupted" if stop.requested else "there are no more to be found"
    _warn(f"{len(found)} of {args.number} openings: {why}")
    return 130 if stop.requested else 1


def _progress(title: str, total: int) -> Progress:
    return Progress(title, total, line_seconds=None)


def _evaluator(text: str) -> Player:
    """The player of `--evaluator`, with little memory by default. Raises BadArena."""
    player = Player.parse(text)
    if not player.is_ours or "memory" in text:
        return player
    return replace(player, options={**player.options, "memory": EVALUATOR.options["memory"]})


def _write(out: Path | None, found: list[Opening], recipe: Recipe, wanted: int) -> None:
    """The file, if there is something to write."""
    if not found:
        return
    text = "".join(f"# {line}\n" for line in _head(recipe, len(found), wanted))
    text += records.write_openings(found, recipe.size)
    if out is None:
        print(text, end="")
    else:
        write_text(text, out)


def _head(recipe: Recipe, found: int, wanted: int) -> Iterator[str]:
    """How it was made, in words and as a command."""
    from tengen._version import version

    least, most = recipe.stones
    yield f"Balanced openings for {recipe.rule}, {recipe.size}x{recipe.size}. By the evaluation"
    yield f"of tengen {version()} neither side is much better. Made with"
    yield f"  tengen openings make --rule {recipe.rule} --size {recipe.size} --number {wanted} \\"
    by_games = bool(recipe.games) or recipe.evaluator.name != EVALUATOR.name
    more = " \\" if by_games else ""
    yield (
        f"    --stones {least}-{most} --nodes {recipe.nodes} --balance {recipe.balance:g}"
        f" --seed {recipe.seed}{more}"
    )
    if by_games:
        yield (
            f"    --evaluator {recipe.evaluator.name} --games {recipe.games}"
            f" --game-nodes {recipe.game_nodes}"
        )
    if found < wanted:
        yield f"It ended before all were found: {found} of {wanted}."
    yield "One opening per line: offsets from the centre, black first."


# --- list ---


def _list(args: argparse.Namespace) -> int:
    bundled = {}
    places = (("", bundled_openings), ("even/", even_openings))
    for folder, openings in places:
        for path in sorted((config_folder() / "openings" / folder).glob("*.txt")):
            if found := _NAME.fullmatch(path.stem):
                rule, size = Rule(found[1]), int(found[2])
                bundled[folder + path.stem] = (rule, size, len(openings(rule, size)))
    if not args.json:
        print(*_list_lines(bundled), sep="\n")
        return 0
    files = [
        {"name": name, "rule": rule, "size": size, "openings": number}
        for name, (rule, size, number) in bundled.items()
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
        bundled = config_folder() / "openings"
        path = bundled / f"{args.file}.txt"
        if not path.is_file():
            files = [*bundled.glob("*.txt"), *bundled.glob("even/*.txt")]
            names = sorted(str(file.relative_to(bundled).with_suffix("")) for file in files)
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
            evaluator = _evaluator(args.evaluator)
            recipe = Recipe(rule, size, nodes=args.nodes, balance=args.balance, evaluator=evaluator)
            with (
                LocalCluster(args.processes) as cluster,
                _progress("judging openings", len(good)) as progress,
            ):
                found = evaluate_openings(
                    recipe,
                    good,
                    cluster,
                    stop=stop,
                    progress=lambda making: progress.update(making.found),
                )
            rates = dict(zip(good, found, strict=True))
    checked = [CheckedOpening(*one, rates.get(one.opening), args.balance) for one in listed]
    if args.json:
        print(json.dumps({"rule": rule, "size": size, "openings": [c.as_json() for c in checked]}))
    else:
        print(*_check_lines(checked), sep="\n")
    if stop.requested:
        _warn("interrupted: not all were evaluated")
        return 130
    return 1 if any(one.is_bad for one in checked) else 0


def _show(args: argparse.Namespace) -> int:
    boards = _classical(args) or _from_file(args)
    if args.number is not None and args.number > len(boards):
        raise BadArena(f"no opening {args.number}: {args.file} has {len(boards)}")
    chosen = boards if args.number is None else boards[args.number - 1 : args.number]
    print("\n\n".join(chosen))
    return 0


def _classical(args: argparse.Namespace) -> list[str]:
    """The boards of those of the 26 openings that a name means; none if it is a file."""
    wanted, size = args.file.lower(), args.size or 15
    if Path(args.file).exists():
        return []
    return [
        _draw(f"{one.code} {one.name} {one.kanji}", one.moves(size), size)
        for one in RENJU_OPENINGS
        if wanted in ("renju26", one.code.lower(), one.name.lower(), one.kanji)
    ]


def _from_file(args: argparse.Namespace) -> list[str]:
    path, rule, size = _source(args)
    listed = list(listed_openings(path, size, rule, args.moves))
    return [
        _draw(f"opening {number} of {len(listed)}", one.opening, size, one.fault)
        for number, one in enumerate(listed, 1)
    ]
