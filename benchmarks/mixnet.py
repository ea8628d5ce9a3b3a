# SPDX-License-Identifier: MIT
"""Table 1 of the Mixnet paper, measured here: the size of Mixnets and residual nets, and the speed
of the same alpha-beta search with them, on one thread, freestyle 15x15.

    python benchmarks/mixnet.py                                  all nets, random weights
    python benchmarks/mixnet.py mixnet-m=my.net resnet-4b64f     these; one from a file
    python benchmarks/mixnet.py --rounds 5 --markdown table.md --json table.json

Nets without a file get random weights. Figures are medians over the rounds; each round measures all
nets, `classical` first, and ratios are within one round. Residual nets run in ONNX Runtime with a
smaller depth. build/release/benchmarks/bench_mixnet, if it is built, measures the incremental
update. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench_common import make_parser, print_machine, table_lines
from run import NATIVE
from tengen.engine.bench import BenchResult, bench
from tengen.game.rule import Rule

NAMES = (
    "mixnet-s", "mixnet-m", "mixnet-l",
    "resnet-4b64f", "resnet-6b96f", "resnet-6b128f", "resnet-10b128f",
)  # fmt: skip
SIZE = 15
POSITIONS = 8  # of the bench, those on 15x15
RATIO = ("mixnet-s", "resnet-4b64f")  # the two nets whose speeds are divided
_LOAD = """
import sys, time
from pathlib import Path
from tengen.engine.native_net import NetLoader
start = time.perf_counter()
load = NetLoader(Path(sys.argv[1]))
load.wait()
print(time.perf_counter() - start, int(load.from_cache))
"""


@dataclass(frozen=True, slots=True)
class Paper:
    """A row of Table 1; None: missing or illegible."""

    parameters: int  # thousands, without the codebook
    operations: int | None  # thousands
    storage: float  # MiB
    speed: int  # nodes per second in alpha-beta


PAPER = {
    "mixnet-s": Paper(37, None, 28.4, 428_000),
    "mixnet-m": Paper(146, 131, 54.7, 257_000),
    "mixnet-l": Paper(580, 381, 111, 104_000),
    "resnet-4b64f": Paper(298, 67_089, 1.13, 1758),
    "resnet-6b96f": Paper(1001, 225_396, 3.81, 484),
    "resnet-10b128f": Paper(2960, 666_403, 11.2, 163),
}


@dataclass(slots=True)
class Speed:
    """Speed of the search with a net, one number per round."""

    nodes: list[float] = field(default_factory=list)  # per second
    evaluations: list[float] = field(default_factory=list)  # per second, without cached ones
    of_classical: list[float] = field(default_factory=list)  # nodes/s relative to classical

    def add(self, found: BenchResult, classical: BenchResult) -> None:
        self.nodes.append(found.nodes / found.seconds)
        self.evaluations.append(found.evaluations / found.seconds)
        self.of_classical.append(self.nodes[-1] * classical.seconds / classical.nodes)


@dataclass(slots=True)
class Row:
    """A net and its measurements."""

    name: str
    path: Path
    random: bool  # weights
    mapping: int  # parameters
    feed_forward: int
    operations: int  # counted as in the paper, without the mapping nets
    bytes: int  # of the file
    played: Speed = field(default_factory=Speed)  # with lazy evaluation, as the engine plays
    everywhere: Speed = field(default_factory=Speed)  # without lazy evaluation
    bake: float | None = None  # seconds
    load: float | None = None  # seconds
    update: dict[str, Any] = field(default_factory=dict)  # of bench_mixnet

    @property
    def is_mixnet(self) -> bool:
        return self.name.startswith("mixnet")


def random_net(name: str, folder: Path) -> Path:
    """Write a net of that name with random weights; returns its path."""
    import torch

    from tengen.export.onnx import export_onnx
    from tengen.export.quantise import net_file, write_net
    from tengen.nets import make_net
    from tengen.nets.mixnet import Mixnet

    torch.manual_seed(1)
    net = make_net(name)
    if isinstance(net, Mixnet):
        path = folder / f"{name}.net"
        write_net(net_file(net, (Rule.FREESTYLE,), (SIZE,), name=name), path)
    else:
        path = folder / f"{name}.onnx"
        export_onnx(net, path, SIZE, rules=(Rule.FREESTYLE,), name=name)
    return path


def row_of(text: str, folder: Path) -> Row:
    """The row of an argument `NAME` or `NAME=FILE`."""
    from tengen.nets.count import count_operations, count_parameters

    name, _, file = text.partition("=")
    if name not in NAMES:
        raise SystemExit(f"mixnet.py: no net {name!r}: use {', '.join(NAMES)}")
    path = Path(file) if file else random_net(name, folder)
    if not path.is_file():
        raise SystemExit(f"mixnet.py: there is no file {str(path)!r}")
    parameters, work = count_parameters(name), count_operations(name, SIZE)
    return Row(
        name,
        path,
        not file,
        parameters.mapping,
        parameters.feed_forward,
        work.feed_forward + 4 * work.normalised,
        path.stat().st_size,
    )


def measure_search(rows: Sequence[Row], args: argparse.Namespace) -> Speed:
    """Measure all nets, round by round; returns the speed of classical."""
    plain = Speed()
    for number in range(args.rounds):
        classical = bench(Rule.FREESTYLE, "classical", depth=args.depth, positions=POSITIONS)
        plain.add(classical, classical)
        for row in rows:
            if not row.is_mixnet and number >= args.slow_rounds:
                continue
            depth = args.depth if row.is_mixnet else args.slow_depth
            common: dict[str, Any] = {"net": str(row.path), "depth": depth, "positions": POSITIONS}
            row.played.add(bench(Rule.FREESTYLE, **common), classical)
            row.everywhere.add(bench(Rule.FREESTYLE, lazy=False, **common), classical)
        print(f"round {number + 1} of {args.rounds} done", flush=True)
    return plain


def load_seconds(net: Path, cache: Path, cached: bool) -> float:
    """Time to load a net in a new process, from the cache or by baking."""
    line = [sys.executable, "-c", _LOAD, str(net)]
    env = {**os.environ, "TENGEN_CACHE": str(cache)}
    result = subprocess.run(line, capture_output=True, text=True, check=True, env=env)
    seconds, from_cache = result.stdout.split()
    assert bool(int(from_cache)) == cached
    return float(seconds)


def measure_loading(row: Row, folder: Path, rounds: int) -> None:
    if row.is_mixnet:
        caches = [folder / f"{row.path.stem}-{n}" for n in range(min(3, rounds))]
        row.bake = statistics.median(load_seconds(row.path, cache, False) for cache in caches)
        row.load = statistics.median(load_seconds(row.path, caches[0], True) for _ in range(rounds))
        return
    from tengen.engine.onnx_net import OnnxNet

    OnnxNet(row.path)  # loads ONNX Runtime
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        OnnxNet(row.path)
        times.append(time.perf_counter() - start)
    row.load = statistics.median(times)


def measure_update(row: Row) -> None:
    program = NATIVE / "bench_mixnet"
    if not row.is_mixnet or not program.exists():
        return
    command = [str(program), "--json", str(row.path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    row.update = json.loads(result.stdout)


# --- Tables ---


def rounded(number: float) -> str:
    """A number with three significant digits."""
    if number >= 1e6:
        return f"{number / 1e6:.2f} million"
    if number >= 1000:
        return f"{round(number, 3 - len(str(int(number)))):,.0f}"
    return f"{number:.3g}"


def middle(numbers: Sequence[float]) -> str:
    return rounded(statistics.median(numbers)) if numbers else "-"


def main_table(rows: Sequence[Row], classical: Speed) -> list[str]:
    heads = (
        "net", "parameters: mapping", "all else (paper)", "k operations (paper)",
        "file, MB (paper, MiB)", "nodes/s (paper)", "of classical", "evaluations/s",
        "without lazy evaluation: nodes/s", "of classical", "evaluations/s",
    )  # fmt: skip
    lines = [
        ["classical", *["-"] * 4, middle(classical.nodes), "1", middle(classical.evaluations)]
        + ["-"] * 3
    ]
    for row in rows:
        paper, every = PAPER.get(row.name), row.everywhere
        beside = [""] * 4
        if paper is not None:
            operations = "" if paper.operations is None else f" ({paper.operations:,})"
            beside = [f" ({paper.parameters:,} k)", operations]
            beside += [f" ({paper.storage:g})", f" ({paper.speed:,})"]
        lines.append(
            [
                row.name + (" (random)" if row.random else ""),
                f"{row.mapping:,}",
                f"{row.feed_forward:,}{beside[0]}",
                f"{row.operations // 1000:,}{beside[1]}",
                f"{row.bytes / 1e6:.2f}{beside[2]}",
                middle(row.played.nodes) + beside[3],
                *map(middle, (row.played.of_classical, row.played.evaluations)),
                *map(middle, (every.nodes, every.of_classical, every.evaluations)),
            ]
        )
    return list(table_lines(heads, lines))


def more_table(rows: Sequence[Row]) -> list[str]:
    heads = (
        "net", "bake, s", "load, ms", "move and undo, us", "full refresh, us",
        "refresh / move", "value, us", "policy of 40 points, us",
    )  # fmt: skip
    keys = ("move_us", "refresh_us", "refresh_per_move", "value_us", "policy_us")
    lines = [
        [
            row.name,
            "-" if row.bake is None else f"{row.bake:.2f}",
            "-" if row.load is None else f"{1000 * row.load:.0f}",
            *(f"{row.update[key]:.1f}" if row.update else "-" for key in keys),
        ]
        for row in rows
    ]
    return list(table_lines(heads, lines))


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """Speeds of the first net of RATIO over the second, if both were measured."""
    found = {row.name: row for row in rows}
    if any(name not in found for name in RATIO):
        return {}
    over, under = (found[name] for name in RATIO)
    halves = {"as played": (over.played, under.played)}
    halves["without lazy evaluation"] = over.everywhere, under.everywhere
    return {
        f"{what}, {way}": statistics.median(getattr(a, what)) / statistics.median(getattr(b, what))
        for way, (a, b) in halves.items()
        for what in ("evaluations", "nodes")
    }


def report(rows: Sequence[Row], classical: Speed) -> str:
    found = ratios(rows)
    listed = ", ".join(f"{name} {ratio:.0f}" for name, ratio in found.items())
    theirs = PAPER[RATIO[0]].speed / PAPER[RATIO[1]].speed
    last = f"{RATIO[0]} / {RATIO[1]}, per second: {listed} (paper, nodes: {theirs:.0f})"
    parts = [main_table(rows, classical), more_table(rows), [last] if found else []]
    return "\n".join("\n".join([*part, ""]) for part in parts if part)


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("nets", nargs="*", metavar="NAME[=FILE]", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, default=3, help="(default: 3)")
    parser.add_argument("--slow-rounds", type=int, default=1, help="of residual nets (1)")
    parser.add_argument("--depth", type=int, default=14, help="of the search (14)")
    parser.add_argument("--slow-depth", type=int, default=3, help="with residual nets (3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables")
    args = parser.parse_args()
    args.slow_rounds = max(1, min(args.slow_rounds, args.rounds))
    return args


def main() -> None:
    args = parse()
    print_machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [row_of(text, folder) for text in args.nets or NAMES]
        classical = measure_search(rows, args)
        for row in rows:
            measure_loading(row, folder, args.rounds)
            measure_update(row)
    text = report(rows, classical)
    print(text)
    if args.markdown:
        args.markdown.write_text(text)
    if args.json:
        nets = [asdict(row) | {"path": row.path.name} for row in rows]
        found = {"classical": asdict(classical), "nets": nets, "ratios": ratios(rows)}
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
