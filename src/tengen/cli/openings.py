# SPDX-License-Identifier: MIT
"""`tengen openings`: makes balanced openings, lists the bundled ones, checks and shows files."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
from tengen.cli.common import (
    INTERRUPTED,
    StopSignal,
    Subcommands,
    add_options,
    add_rule,
    at_least,
    check_new,
    log,
    plural,
    run_subcommand,
)
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

_EPILOG = """\
A match is fair only from positions in which neither side is much better. `make` draws stones near
the centre, evaluates the position by a search, and keeps it if the win rate is close to one half.

examples:
  tengen openings list                            the bundled openings
  tengen openings make --rule renju --out my.txt  make your own
  tengen openings check my.txt --rule renju       are they legal, distinct, balanced?
  tengen openings show renju15 3                  the third of the bundled ones for renju on 15x15
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
  tengen openings check standard15                bundled openings
  tengen openings check games.sgf --moves 6       the first six moves of each game
  tengen openings check my.txt --nodes 0          without an evaluation

Reads any record file. The exit code is 1 if some opening cannot be used or is not balanced.
"""
_SHOW = """\
examples:
  tengen openings show my.txt                     all of them
  tengen openings show renju26                    the 26 classical openings
  tengen openings show 4D                         one of these, by its code or name
"""
_BUNDLED_NAME = re.compile(r"(freestyle|standard|renju|caro6|caro)[-_ ]?(\d{1,2})", re.ASCII)
_log = partial(log, "tengen openings")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    actions = Subcommands(parser)
    make = actions.add("make", _make, "make balanced openings", _MAKE)
    _add_board(make, "freestyle", "15")
    stones = "stones of an opening (default: {}-{})".format(*STONES)
    make.add_argument("--stones", type=_stones, default=STONES, metavar="A-B", help=stones)
    _add_evaluation(make, minimum=1)
    games = "quick games of the evaluator against itself; each colour must win a third"
    add_options(
        make,
        ("--number N", "number of openings", at_least(1), 100),
        ("--games N", games, at_least(0), 0),
        ("--game-nodes N", "nodes per move of these games", at_least(1), 4000),
        ("--seed N", "random seed", at_least(0), 1),
        ("--out FILE", "an opening file (default: stdout)"),
        ("--overwrite", "replace a file that exists"),
    )
    listing = actions.add("list", _list, "list the bundled openings")
    check = actions.add("check", _check, "are openings legal, distinct, balanced?", _CHECK)
    _add_file(check)
    _add_evaluation(check, minimum=0)
    for command in (listing, check):
        add_options(command, ("--json", "print one JSON object"))
    show = actions.add("show", _show, "show the boards", _SHOW)
    _add_file(show)
    show.add_argument("number", nargs="?", type=at_least(1), metavar="N", help="only this one")


run = run_subcommand


def _add_board(parser: argparse.ArgumentParser, rule: str, size: str) -> None:
    add_rule(parser, f"the rule (default: {rule})")
    add_options(parser, ("--size N", f"lines of the board (default: {size})", at_least(5)))


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="a record file, or a name of `tengen openings list`"
    )
    by_name = "by the file's name, as renju15.txt, else"
    _add_board(parser, f"{by_name} freestyle", f"{by_name} 15")
    parser.add_argument(
        "--moves", type=at_least(0), default=0, metavar="N", help="the first N moves of each record"
    )


def _add_evaluation(parser: argparse.ArgumentParser, minimum: int) -> None:
    off = "; 0: no evaluation" if minimum == 0 else ""
    add_options(
        parser,
        ("--nodes N", f"nodes of the search of an opening{off}", at_least(minimum), 200_000),
        ("--balance X", "largest distance of the win rate from one half", float, 0.1),
        ("--processes N", "searches in parallel; by default one per core", at_least(1), cores()),
    )
    evaluator = parser.add_argument(
        "--evaluator",
        default="classical",
        metavar="PLAYER",
        help="a preset with options, as alphabeta,net=my.net (default: classical)",
    )
    add_deprecated_option(parser, evaluator, "--judge")


def _stones(text: str) -> tuple[int, int]:
    """The type of `--stones`: `3-7`, or one number."""
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip(), re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no range like 3-7")
    return int(match[1]), int(match[2] or match[1])


def _names(moves: Sequence[Move]) -> str:
    return " ".join(move.name for move in moves)


# --- make ---


def _make(args: argparse.Namespace) -> int:
    if args.out is not None:
        check_new(args.out, args.overwrite)
    recipe = Recipe(
        Rule.parse(args.rule or Rule.FREESTYLE),
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
        Progress("making openings", args.number, line_seconds=None) as progress,
    ):

        def show(making: OpeningProgress) -> None:
            nonlocal evaluated
            evaluated = making.evaluated
            progress.update(making.found, f"{evaluated:,} evaluated")

        openings = make_openings(recipe, args.number, cluster, stop=stop, progress=show)
    if openings:
        text = "".join(f"# {line}\n" for line in _header(recipe, len(openings), args.number))
        text += records.write_openings(openings, recipe.size)
        if args.out is None:
            print(text, end="")
        else:
            write_text(text, args.out)
    _log(f"{len(openings)} balanced openings of {evaluated} evaluated, to {args.out or 'stdout'}")
    if len(openings) == args.number:
        return 0
    why = "interrupted" if stop.requested else "there are no more"
    _log(f"{len(openings)} of {args.number} openings: {why}")
    return INTERRUPTED if stop.requested else 1


def _evaluator(text: str) -> Player:
    """The player of `--evaluator`, by default with small tables. Raises BadArena."""
    player = Player.parse(text)
    if not player.is_builtin or "memory" in text:
        return player
    return replace(player, options={**player.options, "memory": EVALUATOR.options["memory"]})


def _header(recipe: Recipe, found: int, wanted: int) -> Iterator[str]:
    """How the file was made: a description and the command."""
    from tengen._version import version

    low, high = recipe.stones
    yield f"Balanced openings for {recipe.rule}, {recipe.size}x{recipe.size}: neither side is"
    yield f"much better by an evaluation of tengen {version()}. Made with"
    yield f"  tengen openings make --rule {recipe.rule} --size {recipe.size} --number {wanted} \\"
    by_games = bool(recipe.games) or recipe.evaluator.name != EVALUATOR.name
    more = " \\" if by_games else ""
    yield (
        f"    --stones {low}-{high} --nodes {recipe.nodes} --balance {recipe.balance:g}"
        f" --seed {recipe.seed}{more}"
    )
    if by_games:
        games = f"--games {recipe.games} --game-nodes {recipe.game_nodes}"
        yield f"    --evaluator {recipe.evaluator.name} {games}"
    if found < wanted:
        yield f"It ended before all were found: {found} of {wanted}."
    yield "One opening per line: offsets from the centre, black first."


# --- list ---


def _list(args: argparse.Namespace) -> int:
    bundled = {}
    for folder, openings in (("", bundled_openings), ("even/", even_openings)):
        for path in sorted((config_folder() / "openings" / folder).glob("*.txt")):
            if name := _BUNDLED_NAME.fullmatch(path.stem):
                rule, size = Rule(name[1]), int(name[2])
                bundled[folder + path.stem] = (rule, size, len(openings(rule, size)))
    if not args.json:
        print(*_list_lines(bundled), sep="\n")
        return 0
    files = [
        {"name": name, "rule": rule, "size": size, "openings": number}
        for name, (rule, size, number) in bundled.items()
    ]
    classical = [
        {"code": one.code, "name": one.name, "kanji": one.kanji, "moves": _names(one.moves())}
        for one in RENJU_OPENINGS
    ]
    print(json.dumps({"files": files, "renju26": classical}, ensure_ascii=False))
    return 0


def _list_lines(bundled: Mapping[str, tuple[Rule, int, int]]) -> Iterator[str]:
    yield "Bundled balanced openings (even/: both colours win them):"
    for name, (rule, size, number) in bundled.items():
        yield f"  {name:<17} {number:>5}  {rule}, {size}x{size}"
    if not bundled:
        yield "  none"
    yield ""
    yield "The 26 classical openings of renju (renju26), with white's and black's second move:"
    for one in RENJU_OPENINGS:
        yield f"  {one.code:>3}  {one.name:<10} {one.kanji}  {_names(one.moves())}"


# --- check and show ---


class CheckedOpening(NamedTuple):
    """An opening of a file, and the result of its check."""

    opening: Sequence[Move]
    fault: str  # why no game can start from it; empty: none
    rate: float | None  # black's win rate; None: not evaluated
    balance: float  # maximum distance of the win rate from one half

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
        rate = None if self.rate is None else round(self.rate, 4)
        return {"moves": _names(self.opening), "verdict": self.verdict, "black_wins": rate}


def _source(args: argparse.Namespace) -> tuple[Path, Rule, int]:
    """The file, the rule and the size. Raises BadArena."""
    path = Path(args.file)
    if not path.exists() and path.name == args.file.removeprefix("even/"):
        folder = config_folder() / "openings"
        path = folder / f"{args.file}.txt"
        if not path.is_file():
            files = [*folder.glob("*.txt"), *folder.glob("even/*.txt")]
            names = sorted(str(file.relative_to(folder).with_suffix("")) for file in files)
            known = ", ".join(names) or "none"
            raise BadArena(f"no file and no bundled openings {args.file!r}: bundled are {known}")
    name = _BUNDLED_NAME.fullmatch(path.stem.lower())
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
                Progress("evaluating openings", len(good), line_seconds=None) as progress,
            ):

                def show(making: OpeningProgress) -> None:
                    progress.update(making.found)

                values = evaluate_openings(recipe, good, cluster, stop=stop, progress=show)
            rates = dict(zip(good, values, strict=True))
    checked = [CheckedOpening(*one, rates.get(one.opening), args.balance) for one in listed]
    if args.json:
        print(json.dumps({"rule": rule, "size": size, "openings": [c.as_json() for c in checked]}))
    else:
        print(*_check_lines(checked), sep="\n")
    if stop.requested:
        _log("interrupted: not all were evaluated")
        return INTERRUPTED
    return 1 if any(one.is_bad for one in checked) else 0


def _check_lines(checked: Sequence[CheckedOpening]) -> Iterator[str]:
    """A row for each opening, and the counts."""
    yield "   no  stones  black wins  verdict, moves"
    for number, one in enumerate(checked, 1):
        rate = "-" if one.rate is None else f"{one.rate:.1%}"
        text = f"{one.verdict}: {_names(one.opening)}".rstrip(": ")
        yield f"{number:>5}  {len(one.opening):>6}  {rate:>10}  {text}"
    counts = Counter(one.verdict for one in checked).most_common()
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in counts)
    yield from ("", f"{plural(len(checked), 'opening')}: {verdicts}")


def _show(args: argparse.Namespace) -> int:
    boards = [] if Path(args.file).exists() else _classical_boards(args)
    if not boards:
        path, rule, size = _source(args)
        listed = list(listed_openings(path, size, rule, args.moves))
        boards = [
            _board(f"opening {number} of {len(listed)}", one.opening, size, one.fault)
            for number, one in enumerate(listed, 1)
        ]
    if args.number is not None and args.number > len(boards):
        raise BadArena(f"no opening {args.number}: {args.file} has {len(boards)}")
    print("\n\n".join(boards if args.number is None else [boards[args.number - 1]]))
    return 0


def _classical_boards(args: argparse.Namespace) -> list[str]:
    """The boards of those of the 26 openings that have the code or name; empty: none."""
    wanted, size = args.file.lower(), args.size or 15
    return [
        _board(f"{one.code} {one.name} {one.kanji}", one.moves(size), size)
        for one in RENJU_OPENINGS
        if wanted in ("renju26", one.code.lower(), one.name.lower(), one.kanji)
    ]


def _board(title: str, opening: Opening, size: int, fault: str = "") -> str:
    """A line with the moves, and the board."""
    sides = (Colour.BLACK, Colour.WHITE)
    turn = sides[len(opening) % 2]
    head = f"{title}: {_names(opening)} ({fault or f'{turn} to move'})"
    if not opening:
        return head
    stones = {move: sides[n % 2] for n, move in enumerate(opening)}
    return f"{head}\n{board_text(size, stones, last=opening[-1])}"
