# SPDX-License-Identifier: MIT
"""`tengen tournament PLAYER...`: a round robin or a gauntlet, with ratings."""

from __future__ import annotations

import argparse
from dataclasses import replace

from tengen.arena.definition import Definition
from tengen.cli.arena_common import PLAYERS, add_arena_options, make_definition, play
from tengen.cli.common import add_options

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
    add_options(parser, ("--kind {round-robin,gauntlet}", "default: round-robin"))
    add_arena_options(parser, "two or more players")


def run(args: argparse.Namespace) -> int:
    def define() -> Definition:
        definition = make_definition(args, {"kind": "round-robin"})
        return definition if args.kind is None else replace(definition, kind=args.kind)

    return play(args, define, "tournament")
