# SPDX-License-Identifier: MIT
"""The `tengen` command: a table of subcommands. A command's module is imported only when used.

A command module has `configure(parser)`, which adds its arguments, and `run(args) -> int`, which
returns the exit code. Errors of the package print one line on stderr and exit with 1; wrong usage
exits with 2, an interrupt with 130.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from tengen.cli.common import (
    discard_stdout,
    error_text,
    one_line,
    open_missing_streams,
    tolerate_output_errors,
)
from tengen.game.errors import TengenError
from tengen.util.deprecation import print_deprecations

# name: (module, one line of help), in the order of `tengen --help`.
COMMANDS: dict[str, tuple[str, str]] = {
    "play": ("tengen.cli.play", "play, analyse and review in the browser or the terminal"),
    "analyse": ("tengen.cli.analyse", "evaluate positions and games with the engine"),
    "review": ("tengen.cli.review", "review a game: mistakes, missed wins, accuracy"),
    "show": ("tengen.cli.show", "show a game record: board, moves, comments"),
    "solve": ("tengen.cli.solve", "find forced wins (VCF, VCT) and prove them; find defences"),
    "bench": ("tengen.cli.bench", "search a fixed set of positions: signature and speed"),
    "match": ("tengen.cli.match", "play two engines against each other: Elo with its error"),
    "tournament": ("tengen.cli.match", "play a round robin or a gauntlet, with ratings"),
    "sprt": ("tengen.cli.sprt", "play a match that stops at a statistical decision (SPRT)"),
    "elo": ("tengen.cli.elo", "compute ratings from finished games"),
    "openings": ("tengen.cli.openings", "make, list and check openings for matches"),
    "tune": ("tengen.cli.tune", "tune search parameters by SPSA"),
    "train": ("tengen.cli.train", "train a net on data sets, from a config"),
    "zero": ("tengen.cli.zero", "learn from self-play: play, train, match, repeat"),
    "experiment": ("tengen.cli.experiment", "reproduce the tables and figures of papers"),
    "net": ("tengen.cli.net", "list, inspect, bake, verify and export nets"),
    "gomocup": ("tengen.cli.gomocup", "run as a Gomocup engine on stdin and stdout"),
    "data": ("tengen.cli.data", "inspect, convert, import and verify records and data sets"),
}
# Other spellings and old names of commands, which `--help` does not list.
ALIASES = {"analyze": "analyse"}

_EXAMPLES = """\
examples:
  tengen play                         open the board in the browser
  tengen play --terminal --level 3    play in the terminal
  tengen analyse game.sgf             evaluate the last position of a game
  tengen solve "h8 i9 h9 i8 h10 f8"   look for a forced win
  tengen COMMAND --help               options and examples of a command
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    index = next((i for i, text in enumerate(arguments) if not text.startswith("-")), None)
    command = None
    if index is not None:
        command = arguments[index] = ALIASES.get(arguments[index], arguments[index])
    name = f"tengen {command}" if command in COMMANDS else "tengen"
    open_missing_streams()
    tolerate_output_errors()
    try:
        try:
            with print_deprecations(name):
                return _run(arguments, command)
        finally:  # flushes here, where a failure can still be reported
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output (head, less) has exited: not an error
        discard_stdout()
        return 0
    except ModuleNotFoundError as error:
        package = {"torch": '"tengen-gomoku[nets]"', "numpy": "numpy"}.get(error.name or "")
        if package is None:
            raise
        print(f"{name}: this needs {error.name}: pip install {package}", file=sys.stderr)
        return 1
    except (TengenError, OSError) as error:
        discard_stdout()
        print(f"{name}: {error_text(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted", file=sys.stderr)
        return 130


def _run(arguments: list[str], command: str | None) -> int:
    parser = make_parser(command)
    if command is not None and command not in COMMANDS:
        near = get_close_matches(command, [*COMMANDS, *ALIASES], n=1)
        hint = f"did you mean `tengen {near[0]}`?" if near else "`tengen --help` lists the commands"
        parser.error(f"no command {one_line(command)!r}: {hint}")
    args = parser.parse_args(arguments)
    if args.command is None:
        parser.print_help()
        return 2
    return int(importlib.import_module(COMMANDS[args.command][0]).run(args))


class _Version(argparse.Action):
    """`--version`. Reading the package metadata takes longer than most commands."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from tengen._version import version

        print(f"tengen {version()}")
        parser.exit()


def make_parser(command: str | None) -> argparse.ArgumentParser:
    """The parser of `tengen`; of the subcommands only `command` has its arguments."""
    parser = argparse.ArgumentParser(
        prog="tengen",
        description="Gomoku and Renju: play, analyse, solve; matches, training, tuning.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show program's version number and exit"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, (module, help_line) in COMMANDS.items():
        subparser = commands.add_parser(
            name,
            help=help_line,
            description=help_line[0].upper() + help_line[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == command:
            importlib.import_module(module).configure(subparser)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
