# SPDX-License-Identifier: MIT
"""The options of `tengen openings`, and what its help says. `openings` relies on it."""

from __future__ import annotations

import argparse
import re

from tengen.arena.drawn_openings import STONES
from tengen.cli.common import add_rule, at_least
from tengen.cluster import cores

__all__ = ["configure"]

_NUMBER = 100
_NODES = 200_000
_BALANCE = 0.1
_GAME_NODES = 4000
_EPILOG = """\
A match is fair only from positions in which neither side is much better. `make` draws stones near
the centre, has the engine judge the position, and keeps it if the win rate is close to one half.

examples:
  tengen openings list                            what comes with the package
  tengen openings make --rule renju --out my.txt  openings of one's own
  tengen openings check my.txt --rule renju       are they legal, distinct, balanced?
  tengen openings show renju15 3                  the third of those that come with the package
  tengen openings show hogetsu                    one of the 26 classical openings
"""
_MAKE = """\
examples:
  tengen openings make --rule standard --number 50 --out standard.txt
  tengen openings make --size 20 --stones 5-9 --nodes 1000000 --out long.txt
  tengen openings make --seed 2 > others.txt      the same seed gives the same openings
  tengen openings make --games 6 --out open.txt   neither colour wins them again and again

The openings depend on these options alone, not on the number of processes.
Ctrl-C writes what there is.
"""
_CHECK = """\
examples:
  tengen openings check standard15                those that come with the package
  tengen openings check games.sgf --moves 6       the first six moves of each game
  tengen openings check my.txt --nodes 0          without the judge

Any record file will do. The exit code is 1 if some opening cannot be used or is not balanced.
"""
_SHOW = """\
examples:
  tengen openings show my.txt                     all of them
  tengen openings show renju26                    the 26 classical openings
  tengen openings show 4D                         one of these, by its code or name
"""


def configure(parser: argparse.ArgumentParser) -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.set_defaults(print_help=parser.print_help)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")

    make = actions.add_parser("make", help="make balanced openings", formatter_class=raw)
    make.epilog = _MAKE
    _add_board(make, "freestyle", "15")
    make.add_argument("--number", type=at_least(1), default=_NUMBER, metavar="N", help="how many")
    make.add_argument(
        "--stones",
        type=_stones,
        default=STONES,
        metavar="A-B",
        help="stones of an opening (default: {}-{})".format(*STONES),
    )
    _add_judge(make, least=1)
    make.add_argument(
        "--games",
        type=at_least(0),
        default=0,
        metavar="N",
        help="quick games of the judge against itself, of which each colour must win a third"
        " (default: none)",
    )
    make.add_argument(
        "--game-nodes",
        type=at_least(1),
        default=_GAME_NODES,
        metavar="N",
        help=f"positions for a move of these games (default: {_GAME_NODES})",
    )
    make.add_argument("--seed", type=at_least(0), default=1, help="which openings (default: 1)")
    make.add_argument("--out", metavar="FILE", help="an opening file (default: stdout)")
    make.add_argument("--overwrite", action="store_true", help="replace a file that exists")

    listing = actions.add_parser("list", help="what comes with the package", formatter_class=raw)
    listing.add_argument("--json", action="store_true", help="print one JSON object")

    check = actions.add_parser("check", help="legal, distinct, balanced?", formatter_class=raw)
    check.epilog = _CHECK
    _add_file(check)
    _add_judge(check, least=0)
    check.add_argument("--json", action="store_true", help="print one JSON object")

    show = actions.add_parser("show", help="draw the boards", formatter_class=raw)
    show.epilog = _SHOW
    _add_file(show)
    show.add_argument("number", nargs="?", type=at_least(1), metavar="N", help="only this one")


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


def _add_judge(parser: argparse.ArgumentParser, least: int) -> None:
    off = "; 0: no judge" if least == 0 else ""
    parser.add_argument(
        "--nodes",
        type=at_least(least),
        default=_NODES,
        metavar="N",
        help=f"positions that the judge visits for an opening{off} (default: {_NODES})",
    )
    parser.add_argument(
        "--balance",
        type=float,
        default=_BALANCE,
        metavar="X",
        help=f"how far the win rate may be from one half (default: {_BALANCE})",
    )
    parser.add_argument(
        "--judge",
        default="classical",
        metavar="PLAYER",
        help="a preset of ours, with options: alphabeta,net=my.net (default: classical)",
    )
    parser.add_argument(
        "--processes", type=at_least(1), default=cores(), metavar="N", help="default: all cores"
    )


def _stones(text: str) -> tuple[int, int]:
    """The type of `--stones`: `3-7`, or one number."""
    found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip(), re.ASCII)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no range like 3-7")
    return int(found[1]), int(found[2] or found[1])
