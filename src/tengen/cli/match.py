# SPDX-License-Identifier: MIT
"""`tengen match A B`: two players, paired openings, Elo with its error."""

from __future__ import annotations

import argparse

from tengen.cli.arena_common import PLAYERS, add_arena_options, make_definition, play

_EPILOG = f"""\
{PLAYERS}
examples:
  tengen match classical classical,null_move=off --games 200 --time 0.1
  tengen match classical ./pbrain-other --config short --rule renju --out results/other
  tengen match --resume results/other

Each opening is played twice, with colours swapped. The folder gets games.sgf, psq/, result.json and
report.html; games.jsonl is the state, and safe at any moment.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    add_arena_options(parser, "two players")


def run(args: argparse.Namespace) -> int:
    return play(args, lambda: make_definition(args, {"kind": "match"}), "match")
