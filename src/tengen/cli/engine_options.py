# SPDX-License-Identifier: MIT
"""What the commands that use the engine share: options for its limits and settings, and the engine
and the limit that they mean. Relies on the engine.
"""

from __future__ import annotations

import argparse
from typing import Any

from tengen.cli.common import at_least, seconds
from tengen.engine import DEFAULT_PRESET, OPTIONS, PRESETS, BadOption, Engine, Limit
from tengen.engine.options import AUTO, SEARCHES, Value, option

__all__ = ["add_engine", "add_limits", "engine_options", "limit_of", "make_engine"]

_NOT_GIVEN = object()


def add_limits(parser: argparse.ArgumentParser, time: float, what: str) -> None:
    """`--time`, `--nodes`, `--depth`; the time is a default only if nothing else limits."""
    parser.set_defaults(default_time=time)
    parser.add_argument(
        "--time",
        type=seconds,
        default=_NOT_GIVEN,
        metavar="S",
        help=f"seconds for {what}; 0: no limit (default: {time:g}, or none with --nodes, --depth)",
    )
    parser.add_argument("--nodes", type=at_least(1), metavar="N", help="visit so many positions")
    parser.add_argument("--depth", type=at_least(1), metavar="N", help="look so many moves ahead")


def limit_of(args: argparse.Namespace) -> Limit:
    """The limit that `add_limits` read."""
    time = args.time
    if time is _NOT_GIVEN:
        time = None if args.nodes or args.depth else args.default_time
    return Limit(time, args.nodes, args.depth)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """`--preset`, `--net`, `--search`, `--threads`, `--memory`, `--option`."""
    parser.add_argument(
        "--preset",
        type=str.lower,
        choices=PRESETS,
        help=f"how the engine plays (default: {DEFAULT_PRESET}; alphabeta with --net)",
    )
    parser.add_argument("--net", metavar="NAME|FILE", help=OPTIONS["net"].help)
    parser.add_argument(
        "--search",
        type=str.lower,
        choices=OPTIONS["search"].choices,
        help=f"{OPTIONS['search'].help} (default: {AUTO}; {SEARCHES[0]} with --preset)",
    )
    for name, unit in (("threads", "N"), ("memory", "MIB")):
        entry = OPTIONS[name]
        parser.add_argument(
            f"--{name}",
            type=at_least(entry.low),
            default=entry.default,
            metavar=unit,
            help=f"{entry.help} (default: {entry.default})",
        )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set another option of the engine, as null_move=off; may be repeated",
    )


def engine_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options that `add_engine` read. Raises BadOption."""
    more: dict[str, Value] = {}
    for text in args.option:
        name, sign, value = text.partition("=")
        if not sign:
            raise BadOption(f"--option {text}: give NAME=VALUE, as null_move=off")
        more[option(name).name] = option(name).parse(value)
    given: dict[str, Any] = {"threads": args.threads, "memory": args.memory}
    if args.net is not None:
        given["net"] = args.net
    if args.search is not None:
        given["search"] = args.search
    if args.preset is not None:
        given["preset"] = args.preset
    return given | more


def make_engine(args: argparse.Namespace, **options: Value) -> Engine:
    """The engine that `add_engine` read, with some options of the caller. Raises BadOption."""
    return Engine(**engine_options(args) | options)
