# SPDX-License-Identifier: MIT
"""`tengen play`: starts the server and opens the page, or runs a `TerminalGame` on the terminal.
`tengen.web` is imported only for the server.
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

from tengen.cli.common import add_options, add_rule
from tengen.cli.engine_common import add_engine, add_limits, engine_options, limit_of, make_engine
from tengen.cli.terminal_common import EnginePlayer, Reply
from tengen.cli.terminal_game import TerminalGame
from tengen.engine import LEVELS
from tengen.engine.options import check_options
from tengen.game import records
from tengen.game.errors import BadRecord, TengenError
from tengen.game.recorded_game import RecordedGame
from tengen.game.rule import SIZES, Colour, Rule

_DEFAULT_RULE = Rule.RENJU
_DEFAULT_SIZE = 15
_DEFAULT_TIME = 1.0  # seconds per move of the engine
_EXAMPLES = """\
examples:
  tengen play                                  open the board in the browser
  tengen play --level 5                        the same, with level 5 selected for a new game
  tengen play --no-browser --port 8400         only serve the page
  tengen play --terminal --colour white        play white in the terminal
  tengen play --terminal --level 3 --save game.sgf
  tengen play --human --rule freestyle         two people at one keyboard, in the terminal
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_options(parser, ("--terminal", "play in the terminal, not in the browser"))
    for name, values, help in (
        ("--level", list(LEVELS), "playing strength of the engine, {} to {} (default: full)"),
        ("--size", SIZES, f"lines of the board, {{}} to {{}} (default: {_DEFAULT_SIZE})"),
    ):
        help = help.format(min(values), max(values))
        parser.add_argument(name, type=int, choices=values, metavar="N", help=help)
    parser.add_argument(
        "--colour", "--color", choices=["black", "white"], help="your side (default: black)"
    )
    add_rule(parser, f"the rule (default: {_DEFAULT_RULE}; for a file: its rule, else freestyle)")
    add_limits(parser, _DEFAULT_TIME, "a move of the engine")
    add_engine(parser)
    group = parser.add_argument_group("in the terminal (these, --nodes and --depth imply it)")
    opponent = group.add_mutually_exclusive_group()
    add_options(opponent, ("--engine", "play the engine (the default)"))
    add_options(opponent, ("--human", "two people at one keyboard"))
    save = "save the game to this file after every move; continue its game if it exists"
    add_options(
        group,
        ("--load FILE", "continue the game of a file", Path),
        ("--save FILE", save, Path),
    )
    signs = group.add_mutually_exclusive_group()
    signs.add_argument(
        "--unicode",
        action="store_true",
        default=None,
        help="show stones and lines (default: if the terminal supports it)",
    )
    signs.add_argument("--ascii", dest="unicode", action="store_false", help="show X, O and dots")
    group.add_argument("--no-colour", "--no-color", action="store_true", help="print no colours")
    host = "address to listen on; other machines can reach it only with a token"
    add_options(
        parser.add_argument_group("in the browser"),
        ("--host ADDRESS", host, str, "127.0.0.1"),
        ("--port N", "port; 0: any (default: 8361, or the next free one)", int),
        ("--no-browser", "do not open a browser"),
        ("--token SECRET", "secret that a page must send (default: made if needed)"),
        ("--data FOLDER", "folder for saved games (see docs/web.md)", Path),
    )


def run(args: argparse.Namespace) -> int:
    terminal_only = (args.human, args.engine, args.load, args.save, args.nodes, args.depth)
    if not (args.terminal or any(terminal_only) or args.unicode is not None or args.no_colour):
        return _run_server(args)
    if isinstance(sys.stdin, io.TextIOWrapper):
        # Undecodable bytes do not end the game, and may be part of file names.
        sys.stdin.reconfigure(errors="surrogateescape")
    with contextlib.ExitStack() as stack:
        game = _terminal_game(args, stack)
        try:
            if _session(game):
                return 0
        except KeyboardInterrupt:
            print()
        _print(game.farewell())
    return 0


def _run_server(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    try:
        from tengen.web.serve import Address, serve
    except ImportError as error:
        message = f"the board in the browser needs the package {error.name}, which is not installed"
        raise TengenError(f"{message}; `tengen play --terminal` does without") from None

    options = engine_options(args)
    check_options(options)  # now, not when the first game starts
    del options["memory"]  # the server's limits set the memory of each engine
    address = Address(args.host, args.port, args.token)
    form = {"level": args.level, "rule": args.rule, "size": args.size, "you": args.colour}
    form["seconds"] = args.time if isinstance(args.time, float) else None
    serve(address, browser=not args.no_browser, data=args.data, new_game=form, **options)
    return 0


def _session(game: TerminalGame) -> bool:
    """Answer line by line. Whether a command ended it, not the end of the input."""
    _print(game.greet())
    _print(game.engine_move())
    for line in _lines(game):
        reply = game.handle(line)
        _print(reply)
        if reply.quit:
            return True
        _print(game.engine_move())
    return False


def _terminal_game(args: argparse.Namespace, stack: contextlib.ExitStack) -> TerminalGame:
    """The game that the options describe; the stack closes its engine."""
    game = _recorded_game(args)
    opponent = None
    if not args.human:
        level = {} if args.level is None else {"level": args.level, "seed": randbelow(2**31)}
        opponent = EnginePlayer(stack.enter_context(make_engine(args, **level)), limit_of(args))
    return TerminalGame(
        game,
        opponent,
        Colour.parse(args.colour or "black"),
        autosave=args.save,
        unicode=_can_unicode() if args.unicode is None else bool(args.unicode),
        colour=not args.no_colour and _can_colour(),
    )


def _recorded_game(args: argparse.Namespace) -> RecordedGame:
    """The game of `--load` or `--save`, or a new one."""
    source, rule = args.load, Rule(args.rule) if args.rule else None
    if args.save is not None:
        _check_writable(args.save)
    continued = args.save is not None and args.save.exists()
    if source is None and not continued:
        return RecordedGame.new(rule or _DEFAULT_RULE, args.size or _DEFAULT_SIZE)
    source = source or args.save
    game = RecordedGame.load(source, rule)
    if continued and not args.save.samefile(source):
        raise FileExistsError(f"{args.save} exists already: choose another name for --save")
    if continued and game.games > 1:
        fault = f"holds {game.games} games, and --save would keep only one: choose another name"
        raise BadRecord(fault, str(source))
    if rule is not None and game.file_rule not in (None, rule):
        raise BadRecord(f"a game of {game.file_rule}, not {rule}", str(source))
    if args.size not in (None, game.board.size):
        raise BadRecord(f"a game on {game.board.size} lines, not {args.size}", str(source))
    return game


def _check_writable(path: Path) -> None:
    """Reject a bad file name before the first move."""
    records.format_of(str(path))
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")


def _lines(game: TerminalGame) -> Iterator[str]:
    """Lines of input until its end; with a prompt and line editing on a terminal."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with contextlib.suppress(ImportError):  # absent on Windows
        importlib.import_module("readline")  # gives `input` line editing
    while True:
        try:
            yield input(game.prompt)
        except EOFError:
            print()
            return


def _print(reply: Reply) -> None:
    if reply.lines:
        print("\n".join(reply.lines), flush=True)


def _can_unicode() -> bool:
    return sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")


def _can_colour() -> bool:
    """Whether to print colours: NO_COLOR (no-color.org) and TERM=dumb ask for plain text."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") == "dumb"
    return sys.stdout.isatty() and not plain
