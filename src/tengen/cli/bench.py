# SPDX-License-Identifier: MIT
"""`tengen bench`: a fixed set of positions searched to a fixed depth, or with a fixed number of
playouts. The signature tells whether the search still does the same, the speed how fast.

Relies on the engine's bench.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from tengen import _core
from tengen.cli.common import at_least, error_text
from tengen.engine.bench import (
    BENCH_MEMORY,
    BENCH_PRESETS,
    ONNX_DEPTH,
    ONNX_PLAYOUTS,
    BenchResult,
    bench,
    total,
)
from tengen.engine.errors import BadNet
from tengen.engine.options import DEFAULT_PRESET, OPTIONS, SEARCHES
from tengen.game.rule import Rule

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  tengen bench                                       all rules
  tengen bench --rule renju --depth 12               one rule, deeper
  tengen bench --net my.net                          with a net, under the rules that it is for
  tengen bench --net my.onnx                         with a net that ONNX Runtime runs
  tengen bench --search mcts --net my.net            Monte-Carlo tree search
  tengen bench --json                                for a program
  tengen bench --params                              the numbers of the search that can be tuned

The signature depends on search, preset, net, rule, depth or playouts, and memory alone, not on the
machine (with an ONNX file on ONNX Runtime, too). Evaluations are those worked out: answers of an
ONNX file that were remembered do not count. Those of mcts are the playouts that ended in one, and
the roots.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--rule",
        type=str.lower,
        action="append",
        choices=[str(rule) for rule in Rule],
        help="only this rule; may be repeated (default: all)",
    )
    parser.add_argument(
        "--depth",
        type=at_least(1),
        metavar="N",
        help=f"of the search (default: the bench's own; {ONNX_DEPTH} with an ONNX file, which is"
        " slow)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--preset", choices=BENCH_PRESETS, help=f"how the engine plays (default: {DEFAULT_PRESET})"
    )
    which.add_argument(
        "--net",
        metavar="NAME|FILE",
        help="preset alphabeta with this net of the package, .net or .onnx file, or classical",
    )
    parser.add_argument(
        "--search", choices=SEARCHES, default=SEARCHES[0], help="the kind of search"
    )
    parser.add_argument(
        "--playouts",
        type=at_least(1),
        metavar="N",
        help=f"of mcts in each position (default: the bench's own; {ONNX_PLAYOUTS} with an ONNX"
        " file)",
    )
    parser.add_argument(
        "--threads",
        type=at_least(1),
        default=1,
        metavar="N",
        help="threads that search; with more than one there is no signature (default: 1)",
    )
    parser.add_argument(
        "--memory",
        type=at_least(OPTIONS["memory"].low),
        default=BENCH_MEMORY,
        metavar="MIB",
        help=f"{OPTIONS['memory'].help} (default: {BENCH_MEMORY})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--params", action="store_true", help="print the tunable numbers of the search as JSON"
    )


def run(args: argparse.Namespace) -> int:
    if args.params:
        print(json.dumps(_params(), indent=2))
        return 0
    done = _measure_all(args)
    whole = total(done)
    if args.json:
        preset = args.preset or ("alphabeta" if args.net else DEFAULT_PRESET)
        objects = [_as_json(one) for one in (*done, whole)]
        print(
            json.dumps(
                {
                    "preset": preset,
                    "search": args.search,
                    "rules": objects[:-1],
                    "total": objects[-1],
                }
            )
        )
    elif len(done) > 1:
        print(*_lines(whole), sep="\n")
    return 0


def _measure_all(args: argparse.Namespace) -> list[BenchResult]:
    """Rule by rule. Rules that were not asked for by name are left out if the net is not for them,
    unless it is for none.
    """
    rules = [rule for rule in Rule if not args.rule or rule in args.rule]
    done: list[BenchResult] = []
    faults: list[BadNet] = []
    for rule in rules:
        try:
            done.append(
                bench(
                    rule,
                    args.preset,
                    net=args.net or "",
                    depth=args.depth,
                    threads=args.threads,
                    memory=args.memory,
                    search=args.search,
                    playouts=args.playouts,
                )
            )
        except BadNet as error:
            if args.rule:
                raise
            faults.append(error)
            continue
        if not args.json:
            print(*_lines(done[-1]), sep="\n", flush=True)
    if faults and not done:
        raise faults[0]
    for fault in faults:
        print(f"tengen bench: left out: {error_text(fault)}", file=sys.stderr)
    return done


def _hex(one: BenchResult) -> str | None:
    return None if one.signature is None else f"{one.signature:08x}"


def _lines(one: BenchResult) -> list[str]:
    signature = [f"signature {one.name} {_hex(one)}"] if one.signature is not None else []
    told = [f"  evaluation: {one.evaluation}"] if one.evaluation is not None else []
    by_tree = one.search == "mcts"
    kind = "playouts" if by_tree else "nodes"
    fours = "" if by_tree else f" ({one.vcf_nodes:,} of fours)"
    return [
        *signature,
        f"{kind}/s {one.speed}",
        f"evaluations/s {one.evaluation_speed}",
        f"  {one.positions} positions, {one.nodes:,} {kind}{fours},"
        f" {one.solver_nodes:,} of solvers, {one.evaluations:,} evaluations, {one.seconds:.2f} s",
        *told,
    ]


def _as_json(one: BenchResult) -> dict[str, Any]:
    more = {"speed": one.speed, "evaluation_speed": one.evaluation_speed, "signature": _hex(one)}
    return asdict(one) | more


def _params() -> list[dict[str, Any]]:
    names = ("name", "value", "min", "max", "step", "meaning")
    return [dict(zip(names, entry, strict=True)) for entry in sorted(_core.tunables())]
