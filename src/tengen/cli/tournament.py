# SPDX-License-Identifier: MIT
"""`tengen tournament PLAYER...`: a round robin or a gauntlet, with ratings. Relies on the arena."""

from __future__ import annotations

import argparse

from tengen.arena.definition import Definition
from tengen.cli.arena_options import PLAYERS, add_arena, add_run, definition_of
from tengen.cli.arena_run import play

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
    add_arena(parser)
    add_run(parser)


def run(args: argparse.Namespace) -> int:
    def define() -> Definition:
        found = definition_of(args, args.players, {"kind": "round-robin"})
        return found if args.kind is None else found.of_kind(args.kind)

    return play(args, define, "tournament")
