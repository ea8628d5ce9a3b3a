# SPDX-License-Identifier: MIT
"""Options that several commands share, each in one place: how a file is read, the rule, numbers
that have a least value.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from tengen.game import records
from tengen.game.records.record import DEFAULT_SIZE
from tengen.game.rule import Rule

__all__ = ["a_path", "add_reading", "add_rule", "at_least", "at_most", "seconds"]


def add_reading(parser: argparse.ArgumentParser) -> None:
    """`--from` and `--size`: what a file does not tell itself. Read as `source_format`, `size`."""
    parser.add_argument(
        "--from",
        dest="source_format",
        choices=list(records.FORMATS),
        help="format of the file, if its ending and its text do not tell",
    )
    parser.add_argument(
        "--size",
        type=int,
        default=DEFAULT_SIZE,
        metavar="N",
        help=f"board size, if the file does not tell it (default: {DEFAULT_SIZE})",
    )


def add_rule(parser: argparse.ArgumentParser, told: str) -> None:
    """`--rule`, by its name in any case."""
    parser.add_argument("--rule", type=str.lower, choices=[str(rule) for rule in Rule], help=told)


def a_path(text: str) -> Path:
    """The type of a file or folder. An empty one, as a script makes of a name that is not set,
    would be the folder that the command runs in.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name: name a file or folder, `.` for this one")
    return Path(text)


def at_least(least: int) -> Callable[[str], int]:
    """The type of an option that is a whole number, so much or more."""

    def whole(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number of {least} or more")
        return number

    return whole


def seconds(text: str) -> float | None:
    """The type of an option that is a time limit: 0 is none, which its help says."""
    number = _number(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds, 0 or more")
    return number or None


def at_most(unit: str) -> Callable[[str], float]:
    """The type of an option that says how long a command may take, in `seconds` or `minutes`."""

    def some(text: str) -> float:
        number = _number(text)
        if not 0 < number < math.inf:
            words = "leave the option out for no limit"
            raise argparse.ArgumentTypeError(f"{text!r} is no number of {unit} above 0: {words}")
        return number

    return some


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
