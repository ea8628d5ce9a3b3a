# SPDX-License-Identifier: MIT
"""`tengen play`: the board in the browser (`play_web`), or in the terminal: then this is the loop
around a `Table`, between a keyboard (or a pipe) and a screen.

Everything that can be decided without a terminal is in `terminal` (for two people) and `versus`
(against the engine); here are only the options, the reading of lines and the printing.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from secrets import randbelow

from tengen.cli.common import add_rule
from tengen.cli.engine_options import add_engine, add_limits, limit_of, make_engine
from tengen.cli.game import Game
from tengen.cli.play_web import add_server, run_server, wants_terminal
from tengen.cli.terminal import Reply, Table
from tengen.cli.versus import Opponent, Versus
from tengen.engine import LEVELS
from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

__all__ = ["configure", "run"]

_DEFAULT_RULE = Rule.RENJU
_DEFAULT_SIZE = 15
_DEFAULT_TIME = 1.0  # seconds for a move of the engine


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tengen play`."""
    parser.add_argument(
        "--terminal",
        action="store_true",
        help="play in the terminal, not in the browser; options of the terminal mean it too",
    )
    add_server(parser)
    _add_opponent(parser)
    add_rule(parser, f"the rule (default: {_DEFAULT_RULE}; of a file its own, else freestyle)")
    parser.add_argument(
        "--size",
        type=int,
        choices=range(MIN_SIZE, MAX_SIZE + 1),
        metavar="N",
        help=f"lines of the board, {MIN_SIZE} to {MAX_SIZE} (default: {_DEFAULT_SIZE})",
    )
    parser.add_argument("--load", type=Path, metavar="FILE", help="go on with the game of a file")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="keep the game in this file after every move; if it holds a game, go on with it",
    )
    signs = parser.add_mutually_exclusive_group()
    signs.add_argument(
        "--unicode",
        action="store_true",
        default=None,
        help="draw stones and lines (default: on a terminal that can)",
    )
    signs.add_argument(
        "--ascii", dest="unicode", action="store_false", help="draw with X, O and dots"
    )
    parser.add_argument(
        "--no-colour", "--no-color", action="store_true", help="no colours, even on a terminal"
    )


def _add_opponent(parser: argparse.ArgumentParser) -> None:
    """Who sits on the other side."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--engine", action="store_true", help="play against the engine (the default)")
    who.add_argument("--human", action="store_true", help="two people at one keyboard")
    parser.add_argument(
        "--colour",
        "--color",
        choices=["black", "white"],
        help="the side that you play against the engine (default: black)",
    )
    parser.add_argument(
        "--level",
        type=int,
        choices=list(LEVELS),
        metavar="N",
        help=f"how well the engine plays, 1 to {max(LEVELS)} (default: as well as it can)",
    )
    add_limits(parser, _DEFAULT_TIME, "a move of the engine")
    add_engine(parser)


def run(args: argparse.Namespace) -> int:
    """Play until the input ends; always 0, for an interrupt is the usual way to leave."""
    if not wants_terminal(args):
        return run_server(args)
    if isinstance(sys.stdin, io.TextIOWrapper):
        # A stray byte must not end the game, and file names may have bytes that are no letters.
        sys.stdin.reconfigure(errors="surrogateescape")
    with contextlib.ExitStack() as stack:
        table = _table(args, stack)
        try:
            return _session(table)
        except KeyboardInterrupt:
            print()
        _print(table.farewell())
    return 0


def _session(table: Table) -> int:
    """Answer line by line, until one says that it is enough or there are no more."""
    _print(table.greet())
    _think(table)
    for line in _lines(table):
        reply = table.handle(line)
        _print(reply)
        if reply.quit:
            return 0
        _think(table)
    _print(table.farewell())
    return 0


def _think(table: Table) -> None:
    if isinstance(table, Versus) and table.thinks:
        _print(table.think())


def _table(args: argparse.Namespace, stack: contextlib.ExitStack) -> Table:
    """The table that the options ask for; an engine at it is closed with the stack."""
    game = _game(args)
    unicode = _can_unicode() if args.unicode is None else bool(args.unicode)
    colour = not args.no_colour and _can_colour()
    if args.human:
        return Table(game, autosave=args.save, unicode=unicode, colour=colour)
    level = {} if args.level is None else {"level": args.level, "seed": randbelow(2**31)}
    opponent = Opponent(stack.enter_context(make_engine(args, **level)), limit_of(args))
    person = Colour.parse(args.colour or "black")
    return Versus(game, opponent, person, autosave=args.save, unicode=unicode, colour=colour)


def _game(args: argparse.Namespace) -> Game:
    """The game to begin with: from a file, or a new one."""
    source, rule = args.load, Rule(args.rule) if args.rule else None
    if args.save is not None:
        _check_writable(args.save)
    going_on = args.save is not None and args.save.exists()
    if source is None and not going_on:
        return Game.new(rule or _DEFAULT_RULE, args.size or _DEFAULT_SIZE)
    source = source or args.save
    game = Game.load(source, rule)
    if going_on and not args.save.samefile(source):
        raise FileExistsError(f"{args.save} exists already: choose another name for --save")
    if going_on and game.games > 1:
        words = f"holds {game.games} games, and --save would keep only one: choose another name"
        raise BadRecord(words, str(source))
    if rule is not None and game.file_rule not in (None, rule):
        raise BadRecord(f"a game of {game.file_rule}, not {rule}", str(source))
    if args.size not in (None, game.board.size):
        raise BadRecord(f"a game on {game.board.size} lines, not {args.size}", str(source))
    return game


def _check_writable(path: Path) -> None:
    """Better told now than after the first move."""
    records.format_of(str(path))
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")


def _lines(table: Table) -> Iterator[str]:
    """Lines of input until its end, with a prompt and a history where a person types them."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with contextlib.suppress(ImportError):  # absent on Windows
        importlib.import_module("readline")  # being imported gives `input` its line editing
    while True:
        try:
            yield input(table.prompt)
        except EOFError:
            print()
            return


def _print(reply: Reply) -> None:
    if reply.lines:
        print("\n".join(reply.lines), flush=True)


def _can_unicode() -> bool:
    return sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")


def _can_colour() -> bool:
    """NO_COLOR (no-color.org) and TERM are the ways in which people ask for plain text."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") == "dumb"
    return sys.stdout.isatty() and not plain
