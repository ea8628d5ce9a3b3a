# SPDX-License-Identifier: MIT
"""`tengen sprt A B`: a sequential probability ratio test, by a match that ends with its decision,
or of the counts of another match.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

from tengen.arena.definition import Definition
from tengen.arena.elo import elo_of_games, elo_of_pairs
from tengen.arena.errors import BadArena
from tengen.arena.sprt import Sprt
from tengen.cli.arena_common import PLAYERS, add_arena_options, make_definition, play
from tengen.cli.common import add_options

_MAX_PAIRS = 4000  # the number of bundled openings of the common rules
_EPILOG = f"""\
{PLAYERS}
examples:
  tengen sprt classical,name=new ./old --config short                is A better? [0, 5]
  tengen sprt A B --elo0 -3 --elo1 1 --time 0.05                     is A not worse?
  tengen sprt --counts 10,80,200,110,20 --elo0 0 --elo1 5            of pairs from elsewhere
  tengen sprt --counts 300,400,350 --elo0 0 --elo1 5                 losses, draws, wins

H0 is "A is elo0 better or less", H1 "elo1 or more". It stops at the first pair, in the order of the
schedule, where the log-likelihood ratio leaves its bounds: that does not depend on the number of
processes. Elo is logistic, or normalised (--model), see docs/statistics.md.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    add_options(
        parser,
        ("--elo0 ELO", "of H0 (default: 0)", float),
        ("--elo1 ELO", "of H1 (default: 5)", float),
        ("--alpha P", "rate of false positives (default: 0.05)", float),
        ("--beta P", "rate of false negatives (default: 0.05)", float),
        ("--model {logistic,normalised}", "kind of Elo (default: logistic)"),
        ("--counts N,N,...", "test 5 counts of pairs (0, 1/2, 1, 3/2, 2 points), or 3 of games"),
    )
    add_arena_options(parser, "two players")


def run(args: argparse.Namespace) -> int:
    if args.counts is not None:
        return _test_counts(args)

    def define() -> Definition:
        pairs = {"kind": "match", "pairs": _MAX_PAIRS, "sprt": {"elo0": 0.0, "elo1": 5.0}}
        definition = make_definition(args, pairs)
        return replace(definition, sprt=_test(args, definition.sprt))

    return play(args, define, "sprt")


def _test(args: argparse.Namespace, base: Sprt | None = None) -> Sprt:
    """The test of the options; what they leave out is as in `base`."""
    values: dict[str, Any] = {"elo0": 0.0, "elo1": 5.0} if base is None else base.to_dict()
    for name in ("elo0", "elo1", "alpha", "beta", "model"):
        if (value := getattr(args, name)) is not None:
            values[name] = value
    return Sprt.from_dict(values)


def _test_counts(args: argparse.Namespace) -> int:
    test = _test(args)
    try:
        counts = [int(text) for text in args.counts.replace(",", " ").split()]
        if len(counts) not in (3, 5) or min(counts) < 0 or not sum(counts):
            raise ValueError
    except ValueError:
        raise BadArena(f"no counts {args.counts!r}: give 5 of pairs, or 3 of games") from None
    losses_draws_wins = len(counts) == 3
    elo = elo_of_games(*reversed(counts)) if losses_draws_wins else elo_of_pairs(counts)
    llr, decision = test.llr(counts), test.decide(counts)
    if args.json:
        result = {"llr": llr, "lower": test.lower, "upper": test.upper, "decision": decision}
        print(json.dumps(result | {"elo": elo.elo, "elo_low": elo.low, "elo_high": elo.high}))
        return 0
    state = f"{decision} is accepted" if decision else "not decided"
    print(f"Elo  {elo}  (LOS {elo.los:.1%})")
    print(
        f"LLR  {llr:+.2f} of [{test.lower:.2f}, {test.upper:.2f}] for [{test.elo0:g}, "
        f"{test.elo1:g}] {test.model}: {state}"
    )
    return 0
