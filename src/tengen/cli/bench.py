# SPDX-License-Identifier: MIT
"""`tengen bench`: searches a fixed set of positions to a fixed depth, or with a fixed number of
playouts. The signature shows whether the search is unchanged, the speed how fast it is.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from tengen import _core
from tengen.cli.common import add_options, at_least, choices, error_text, log
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

_EPILOG = """\
examples:
  tengen bench                                       all rules
  tengen bench --rule renju --depth 12               one rule, deeper
  tengen bench --net my.net                          with a net, for the rules that it supports
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
        help="a rule; may be repeated (default: all)",
    )
    which = parser.add_mutually_exclusive_group()
    preset = f"how the engine plays (default: {DEFAULT_PRESET})"
    add_options(which, (f"--preset {choices(BENCH_PRESETS)}", preset))
    net = "preset alphabeta with this bundled net, .net or .onnx file, or classical"
    add_options(which, ("--net NAME|FILE", net))
    depth = f"search depth (default: of the bench; {ONNX_DEPTH} with an ONNX file, which is slow)"
    playouts = "playouts of mcts per position (default: of the bench;"
    threads = "search threads; with more than one there is no signature"
    memory = OPTIONS["memory"]
    add_options(
        parser,
        ("--depth N", depth, at_least(1)),
        (f"--search {choices(SEARCHES)}", "the kind of search", str.lower, SEARCHES[0]),
        ("--playouts N", f"{playouts} {ONNX_PLAYOUTS} with an ONNX file)", at_least(1)),
        ("--threads N", threads, at_least(1), 1),
        ("--memory MIB", memory.help, at_least(memory.low), BENCH_MEMORY),
        ("--json", "print one JSON object"),
        ("--params", "print the tunable parameters of the search as JSON"),
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
            "preset": args.preset or DEFAULT_PRESET,
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
    supports none.
    """
    results: list[BenchResult] = []
    faults: list[BadNet] = []
    names = ("depth", "threads", "memory", "search", "playouts")
    options = {name: getattr(args, name) for name in names}
    for rule in [Rule.parse(name) for name in args.rule or Rule]:
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
        log("tengen bench", f"skipped: {error_text(fault)}")
    return results


def _hex(one: BenchResult) -> str | None:
    return None if one.signature is None else f"{one.signature:08x}"


def _lines(one: BenchResult) -> list[str]:
    signature = [f"signature {one.name} {_hex(one)}"] if one.signature is not None else []
    evaluation = [f"  evaluation: {one.evaluation}"] if one.evaluation is not None else []
    is_mcts = one.search == "mcts"
    kind = "playouts" if is_mcts else "nodes"
    fours = "" if is_mcts else f" ({one.vcf_nodes:,} of VCF)"
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
