# SPDX-License-Identifier: MIT
"""The `tengen` command: a table of sub-commands, each a module of this folder, imported only when
it is used.

A command module has `configure(parser)`, which adds its arguments, and `run(args) -> int`, the
exit code. Errors of the package are one line on stderr and exit code 1; wrong usage is 2, an
interrupt 130.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

from tengen.cli.common import (
    discard_stdout,
    error_text,
    open_missing_streams,
    tolerate_output_errors,
)
from tengen.game.errors import TengenError

__all__ = ["main"]

# name: (module, one line of help). Listed in the order of `tengen --help`.
COMMANDS: dict[str, tuple[str, str]] = {
    "play": (
        "tengen.cli.play",
        "play, analyse, review and learn in the browser; or in the terminal",
    ),
    "analyze": ("tengen.cli.analyze", "what the engine thinks of positions and games"),
    "review": ("tengen.cli.review", "walk through a game: mistakes, missed wins, accuracy"),
    "show": ("tengen.cli.show", "show a game record: board, moves, comments"),
    "solve": ("tengen.cli.solve", "find forced wins and prove them: fours, threats, defences"),
    "bench": ("tengen.cli.bench", "search a fixed set of positions: signature and speed"),
    "match": ("tengen.cli.match", "two players against each other: Elo with its error"),
    "tournament": ("tengen.cli.tournament", "a round robin or a gauntlet, with ratings"),
    "sprt": ("tengen.cli.sprt", "a match that stops when it has decided who is better"),
    "elo": ("tengen.cli.elo", "ratings from finished games"),
    "openings": ("tengen.cli.openings", "make, list and check openings for matches"),
    "tune": ("tengen.cli.tune", "tune the numbers of the search by SPSA"),
    "train": ("tengen.cli.train", "train a net on data sets, from a config"),
    "zero": ("tengen.cli.zero", "learn from games against itself: play, learn, match, repeat"),
    "net": ("tengen.cli.net", "tell about nets, bake, verify and export them"),
    "gomocup": ("tengen.cli.gomocup", "play for a Gomocup manager, over stdin and stdout"),
    "data": ("tengen.cli.data", "game records and data sets: tell, convert, import, verify"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    chosen = next((a for a in arguments if not a.startswith("-")), None)
    name = f"tengen {chosen}" if chosen in COMMANDS else "tengen"
    open_missing_streams()
    tolerate_output_errors()
    try:
        try:
            return _run(arguments, chosen)
        finally:  # here, where a failure can be told, and not when Python exits
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output (head, less) went away: not an error
        discard_stdout()
        return 0
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        print(f'{name}: this needs torch: pip install "tengen[nets]"', file=sys.stderr)
        return 1
    except (TengenError, OSError) as error:
        discard_stdout()
        print(f"{name}: {error_text(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted", file=sys.stderr)
        return 130


def _run(arguments: list[str], chosen: str | None) -> int:
    parser = _parser(chosen)
    args = parser.parse_args(arguments)
    if args.command is None:
        parser.print_help()
        return 2
    return int(importlib.import_module(COMMANDS[args.command][0]).run(args))


class _Version(argparse.Action):
    """`--version`, looked up only when asked for: that takes longer than most commands."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from tengen._version import version

        print(f"tengen {version()}")
        parser.exit()


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """The whole parser; only the chosen command's module is imported to fill in its arguments."""
    parser = argparse.ArgumentParser(
        prog="tengen", description="Gomoku and Renju: play, study, and the tools around them."
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show program's version number and exit"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, (module_name, help_line) in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=help_line,
            description=help_line[0].upper() + help_line[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            importlib.import_module(module_name).configure(command)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
