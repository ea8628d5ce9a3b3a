# SPDX-License-Identifier: MIT
"""`tengen tournament PLAYER...`: a round robin or a gauntlet, with ratings."""

from __future__ import annotations

import argparse
from dataclasses import replace

from tengen.arena.definition import Definition
from tengen.cli.arena_common import (
    PLAYERS,
    add_match_options,
    add_run_options,
    make_definition,
    play,
)

__all__ = ["configure", "run"]

_EPILOG = f"""\
{PLAYERS}
examples:
  tengen tournament classical classical-paper policy random --games 20 --time 0.05
  tengen tournament ./new ./old ./other --kind gauntlet --config short
  tengen tournament --config my-tournament.toml --out results/big
  tengen tournament --resume results/big

A gauntlet is the first player against each of the others. The folder gets games.sgf, psq/,
result.json and report.html; games.jsonl is the state, and safe at any moment.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="two or more, see below")
    parser.add_argument("--kind", choices=["round-robin", "gauntlet"], help="default: round-robin")
    add_match_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    def define() -> Definition:
        definition = make_definition(args, args.players, {"kind": "round-robin"})
        return definition if args.kind is None else replace(definition, kind=args.kind)

    return play(args, define, "tournament")
