# SPDX-License-Identifier: MIT
"""`tengen bench`: searches a fixed set of positions to a fixed depth, or with a fixed number of
playouts. The signature shows whether the search is unchanged, the speed how fast it is.
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
  tengen bench --net my.net                          with a net, for the rules that it serves
  tengen bench --net my.onnx                         with a net that ONNX Runtime runs
  tengen bench --search mcts --net my.net            Monte-Carlo tree search
  tengen bench --json                                for a program
  tengen bench --params                              the tunable parameters of the search

The signature depends only on search, preset, net, rule, depth or playouts, and memory, not on the
machine (with an ONNX file, also on ONNX Runtime). Cached answers of an ONNX file are not counted as
evaluations; of mcts the playouts that ended in one are, and the roots.
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
        help=f"search depth (default: of the bench; {ONNX_DEPTH} with an ONNX file, which is slow)",
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
        help="playouts of mcts per position"
        f" (default: of the bench; {ONNX_PLAYOUTS} with an ONNX file)",
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
        "--params", action="store_true", help="print the tunable parameters of the search as JSON"
    )


def run(args: argparse.Namespace) -> int:
    if args.params:
        names = ("name", "value", "min", "max", "step", "meaning")
        params = [dict(zip(names, entry, strict=True)) for entry in sorted(_core.tunables())]
        print(json.dumps(params, indent=2))
        return 0
    results = _bench_rules(args)
    whole = total(results)
    if args.json:
        summary = {
            "preset": args.preset or ("alphabeta" if args.net else DEFAULT_PRESET),
            "search": args.search,
            "rules": [_to_json(one) for one in results],
            "total": _to_json(whole),
        }
        print(json.dumps(summary))
    elif len(results) > 1:
        print(*_lines(whole), sep="\n")
    return 0


def _bench_rules(args: argparse.Namespace) -> list[BenchResult]:
    """One result per rule. Without `--rule`, skips rules that the net does not serve, unless it
    serves none.
    """
    results: list[BenchResult] = []
    faults: list[BadNet] = []
    names = ("depth", "threads", "memory", "search", "playouts")
    options = {name: getattr(args, name) for name in names}
    for rule in (rule for rule in Rule if not args.rule or rule in args.rule):
        try:
            results.append(bench(rule, args.preset, net=args.net or "", **options))
        except BadNet as error:
            if args.rule:
                raise
            faults.append(error)
            continue
        if not args.json:
            print(*_lines(results[-1]), sep="\n", flush=True)
    if faults and not results:
        raise faults[0]
    for fault in faults:
        print(f"tengen bench: skipped: {error_text(fault)}", file=sys.stderr)
    return results


def _hex(one: BenchResult) -> str | None:
    return None if one.signature is None else f"{one.signature:08x}"


def _lines(one: BenchResult) -> list[str]:
    signature = [f"signature {one.name} {_hex(one)}"] if one.signature is not None else []
    evaluation = [f"  evaluation: {one.evaluation}"] if one.evaluation is not None else []
    by_tree = one.search == "mcts"
    kind = "playouts" if by_tree else "nodes"
    fours = "" if by_tree else f" ({one.vcf_nodes:,} of fours)"
    return [
        *signature,
        f"{kind}/s {one.speed}",
        f"evaluations/s {one.evaluation_speed}",
        f"  {one.positions} positions, {one.nodes:,} {kind}{fours},"
        f" {one.solver_nodes:,} of solvers, {one.evaluations:,} evaluations, {one.seconds:.2f} s",
        *evaluation,
    ]


def _to_json(one: BenchResult) -> dict[str, Any]:
    more = {"speed": one.speed, "evaluation_speed": one.evaluation_speed, "signature": _hex(one)}
    return asdict(one) | more
