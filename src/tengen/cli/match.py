# SPDX-License-Identifier: MIT
"""`tengen match A B`: two players, paired openings, Elo with its error; and `tengen tournament
PLAYER...`: a round robin or a gauntlet, with ratings.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from tengen.arena.definition import Definition
from tengen.cli.arena_common import PLAYERS, add_arena_options, make_definition, play
from tengen.cli.common import add_options

TOURNAMENT = "tournament"
_FOLDER = """\
The folder gets games.sgf, psq/, result.json and report.html; games.jsonl is the state, and safe at
any moment.
"""
_MATCH = f"""\
{PLAYERS}
examples:
  tengen match classical classical,null_move=off --games 200 --time 0.1
  tengen match classical ./pbrain-other --config short --rule renju --out results/other
  tengen match --resume results/other

Each opening is played twice, with colours swapped.
{_FOLDER}"""
_TOURNAMENT = f"""\
{PLAYERS}
examples:
  tengen tournament classical classical-paper policy random --games 20 --time 0.05
  tengen tournament ./new ./old ./other --kind gauntlet --config short
  tengen tournament --config my-tournament.toml --out results/big
  tengen tournament --resume results/big

A gauntlet is the first player against each of the others.
{_FOLDER}"""


def configure(parser: argparse.ArgumentParser) -> None:
    if parser.prog.endswith(TOURNAMENT):
        parser.epilog = _TOURNAMENT
        add_options(parser, ("--kind {round-robin,gauntlet}", "default: round-robin"))
        add_arena_options(parser, "two or more players")
    else:
        parser.epilog = _MATCH
        add_arena_options(parser, "two players")


def run(args: argparse.Namespace) -> int:
    if args.command != TOURNAMENT:
        return play(args, lambda: make_definition(args, {"kind": "match"}), "match")

    def define() -> Definition:
        definition = make_definition(args, {"kind": "round-robin"})
        return definition if args.kind is None else replace(definition, kind=args.kind)

    return play(args, define, TOURNAMENT)
