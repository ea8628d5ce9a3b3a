# SPDX-License-Identifier: MIT
"""Options that several commands share, each in one place: how a file is read, and the rule."""

from __future__ import annotations

import argparse

from tengen.game import records
from tengen.game.records.record import DEFAULT_SIZE
from tengen.game.rule import Rule

__all__ = ["add_reading", "add_rule"]


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
