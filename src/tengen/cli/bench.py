# SPDX-License-Identifier: MIT
"""`tengen bench`: a fixed set of positions searched to a fixed depth. The signature tells whether
the search still does the same, the speed how fast.

Relies on the native core and on the tables of the package.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tengen import _core
from tengen.cli.options import at_least
from tengen.engine.errors import BadOption, BadTables
from tengen.engine.options import OPTIONS, PRESETS
from tengen.engine.tables import read_tables, tables_name
from tengen.game.rule import Rule

__all__ = ["Measured", "configure", "run"]

_RULES = list(Rule)
_MEASURED = ("classical", "classical-paper")
_MEMORY = 16  # MiB: enough for the bench, and getting more from the system would be measured, too
_EPILOG = """\
examples:
  tengen bench                                       all rules
  tengen bench --rule renju --depth 12               one rule, deeper
  tengen bench --json                                for a program
  tengen bench --params                              the numbers of the search that can be tuned

The signature depends on preset, rule, depth and memory alone, not on the machine.
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of the positions of one rule, or of all."""

    name: str  # of the rule, or `total`
    positions: int
    nodes: int
    vcf_nodes: int  # of the nodes
    solver_nodes: int
    evaluations: int
    seconds: float
    signature: int | None  # None: of more than one thread, which is not repeatable

    @property
    def speed(self) -> int:
        return round(self.nodes / self.seconds) if self.seconds > 0 else 0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--rule",
        type=str.lower,
        action="append",
        choices=[str(rule) for rule in Rule],
        help="only this rule; may be repeated (default: all)",
    )
    parser.add_argument("--depth", type=at_least(1), metavar="N", help="of the search")
    _add_preset(parser)
    parser.add_argument(
        "--search", choices=["alphabeta"], default="alphabeta", help="the kind of search"
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
        default=_MEMORY,
        metavar="MIB",
        help=f"{OPTIONS['memory'].help} (default: {_MEMORY})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--params", action="store_true", help="print the tunable numbers of the search as JSON"
    )


def _add_preset(parser: argparse.ArgumentParser) -> None:
    """`--preset`, and the name that it has for scripts."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--preset", choices=_MEASURED, help=f"how the engine plays (default: {PRESETS[0]})"
    )
    which.add_argument(
        "--net",
        dest="preset",
        choices=_MEASURED[:1],
        help="the same as --preset, for scripts that name a net",
    )


def run(args: argparse.Namespace) -> int:
    if args.params:
        print(json.dumps(_params(), indent=2))
        return 0
    preset = args.preset or PRESETS[0]
    rules = [rule for rule in Rule if not args.rule or rule in args.rule]

    done: list[Measured] = []
    for rule in rules:
        done.append(_measure(rule, preset, args))
        if not args.json:
            print(*_lines(done[-1]), sep="\n", flush=True)
    whole = _total(done)
    if args.json:
        objects = [_as_json(one) for one in (*done, whole)]
        print(json.dumps({"preset": preset, "rules": objects[:-1], "total": objects[-1]}))
    elif len(done) > 1:
        print(*_lines(whole), sep="\n")
    return 0


def _measure(rule: Rule, preset: str, args: argparse.Namespace) -> Measured:
    data = read_tables(rule) if preset == PRESETS[0] else b""
    room = args.memory << 20
    try:
        done = _core.bench(
            _RULES.index(rule), data, args.depth or 0, PRESETS.index(preset), args.threads, room
        )
    except ValueError as error:
        raise BadTables(f"{tables_name(rule)}: {error}") from None
    except MemoryError:
        raise BadOption(f"there is no room for {args.memory:,} MiB of memory") from None
    return Measured(
        str(rule),
        done.positions,
        done.nodes,
        done.vcf_nodes,
        done.solver_nodes,
        done.evaluations,
        done.seconds,
        _folded(done.signature) if args.threads == 1 else None,
    )


def _folded(signature: int) -> int:
    """The 64 bits of the core in 32, which people can compare by eye."""
    return (signature ^ signature >> 32) & 0xFFFFFFFF


def _total(found: Sequence[Measured]) -> Measured:
    """All rules together; the signature is the CRC-32 of theirs, as text."""
    text = " ".join(f"{one.name} {_hex(one)}" for one in found)
    repeatable = all(one.signature is not None for one in found)
    return Measured(
        "total",
        sum(one.positions for one in found),
        sum(one.nodes for one in found),
        sum(one.vcf_nodes for one in found),
        sum(one.solver_nodes for one in found),
        sum(one.evaluations for one in found),
        sum(one.seconds for one in found),
        zlib.crc32(text.encode()) if repeatable else None,
    )


def _hex(one: Measured) -> str | None:
    return None if one.signature is None else f"{one.signature:08x}"


def _lines(one: Measured) -> list[str]:
    signature = [f"signature {one.name} {_hex(one)}"] if one.signature is not None else []
    return [
        *signature,
        f"nodes/s {one.speed}",
        f"  {one.positions} positions, {one.nodes:,} nodes ({one.vcf_nodes:,} of fours),"
        f" {one.solver_nodes:,} of solvers, {one.evaluations:,} evaluations, {one.seconds:.2f} s",
    ]


def _as_json(one: Measured) -> dict[str, Any]:
    return asdict(one) | {"speed": one.speed, "signature": _hex(one)}


def _params() -> list[dict[str, Any]]:
    names = ("name", "value", "min", "max", "step", "meaning")
    return [dict(zip(names, entry, strict=True)) for entry in sorted(_core.tunables())]
