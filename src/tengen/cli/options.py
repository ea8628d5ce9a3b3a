# SPDX-License-Identifier: MIT
"""Options that several commands share, each in one place: how a file is read, the rule, numbers
that have a least value.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from tengen.game import records
from tengen.game.records.record import DEFAULT_SIZE
from tengen.game.rule import Rule

__all__ = ["add_reading", "add_rule", "at_least", "seconds"]


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
    """The type of an option that is a time limit: 0 is none."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds, 0 or more")
    return number or None
