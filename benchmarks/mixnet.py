# SPDX-License-Identifier: MIT
"""The paper's Table 1, ours and theirs: how large Mixnets and residual nets are, and how fast the
same alpha-beta search is with them, on one thread, freestyle 15x15.

    python benchmarks/mixnet.py                                  all nets, random weights
    python benchmarks/mixnet.py mixnet-m=my.net resnet-4b64f     these; one from a file
    python benchmarks/mixnet.py --rounds 5 --markdown table.md --json table.json

Nets without a file get random weights, in a folder for the time of the run. Figures are medians of
the rounds; in each round all nets take their turn, `classical` first, and ratios are those of one
round. Residual nets run in ONNX Runtime and are searched less deep. The incremental update is
measured by build/release/benchmarks/bench_mixnet, where that is built. Nothing here passes or
fails. Relies on tengen.nets, tengen.export, and the engine's bench.
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

from run import NATIVE, print_machine
from tengen.engine.bench import BenchResult, bench
from tengen.game.rule import Rule

NAMES = (
    "mixnet-s", "mixnet-m", "mixnet-l",
    "resnet-4b64f", "resnet-6b96f", "resnet-6b128f", "resnet-10b128f",
)  # fmt: skip
SIZE = 15
POSITIONS = 8  # of the bench: those on 15x15
RATIO = ("mixnet-s", "resnet-4b64f")  # evaluations of the one over the other


_LOAD = """
import sys, time
from pathlib import Path
from tengen.engine.native_net import NetLoad
start = time.perf_counter()
load = NetLoad(Path(sys.argv[1]))
load.wait()
print(time.perf_counter() - start, int(load.from_cache))
"""


@dataclass(frozen=True, slots=True)
class Paper:
    """A row of Table 1; None: not in it, or not to be read in our copy."""

    parameters: int  # thousands, without the codebook
    operations: int | None  # thousands
    storage: float  # MiB
    speed: int  # nodes a second in alpha-beta


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
    """Of one way to search with a net, a number a round."""

    nodes: list[float] = field(default_factory=list)  # a second
    evaluations: list[float] = field(default_factory=list)  # a second, worked out
    of_classical: list[float] = field(default_factory=list)  # nodes/s over those of classical

    def add(self, found: BenchResult, classical: BenchResult) -> None:
        self.nodes.append(found.nodes / found.seconds)
        self.evaluations.append(found.evaluations / found.seconds)
        self.of_classical.append(self.nodes[-1] * classical.seconds / classical.nodes)


@dataclass(slots=True)
class Row:
    """A net and what was measured of it."""

    name: str
    path: Path
    random: bool  # weights
    mapping: int  # parameters
    feed_forward: int
    operations: int  # as the paper counts them, the mapping nets left out
    bytes: int  # of the file
    played: Speed = field(default_factory=Speed)  # as the engine plays it
    everywhere: Speed = field(default_factory=Speed)  # without classical guesses
    bake: float | None = None  # seconds
    load: float | None = None  # seconds
    update: dict[str, Any] = field(default_factory=dict)  # of bench_mixnet

    @property
    def is_mixnet(self) -> bool:
        return self.name.startswith("mixnet")


def random_net(name: str, folder: Path) -> Path:
    """A file with a net of that name."""
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
    """Of `NAME`, or `NAME=FILE`."""
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
    """All nets in turn, round by round. The speed of classical."""
    plain = Speed()
    for number in range(args.rounds):
        classical = bench(Rule.FREESTYLE, "classical", depth=args.depth, positions=POSITIONS)
        plain.add(classical, classical)
        for row in rows:
            if not row.is_mixnet and number >= args.slow_rounds:
                continue
            depth = args.depth if row.is_mixnet else args.slow_depth
            for speed, guesses in ((row.played, True), (row.everywhere, False)):
                found = bench(
                    Rule.FREESTYLE,
                    net=str(row.path),
                    depth=depth,
                    positions=POSITIONS,
                    lazy=guesses,
                )
                speed.add(found, classical)
        print(f"round {number + 1} of {args.rounds} is done", flush=True)
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

    OnnxNet(row.path)  # the library is loaded, too
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
    told = subprocess.run(
        [str(program), "--json", str(row.path)], capture_output=True, text=True, check=True
    )
    row.update = json.loads(told.stdout)


# --- Tables ---


def rounded(number: float) -> str:
    """To three digits, in thousands or whole."""
    if number >= 1e6:
        return f"{number / 1e6:.2f} million"
    if number >= 1000:
        return f"{round(number, 3 - len(str(int(number)))):,.0f}"
    return f"{number:.3g}"


def middle(numbers: Sequence[float]) -> str:
    return rounded(statistics.median(numbers)) if numbers else "-"


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    rows = [heads, ["---"] * len(heads), *lines]
    return [f"| {' | '.join(cells)} |" for cells in rows]


def main_table(rows: Sequence[Row], classical: Speed) -> list[str]:
    heads = (
        "net", "parameters: mapping", "all else (paper)", "k operations (paper)",
        "file, MB (paper, MiB)", "nodes/s (paper)", "of classical", "evaluations/s",
        "asked everywhere: nodes/s", "of classical", "evaluations/s",
    )  # fmt: skip
    lines = [
        ["classical", *["-"] * 4, middle(classical.nodes), "1", middle(classical.evaluations)]
        + ["-"] * 3
    ]
    for row in rows:
        paper = PAPER.get(row.name)
        beside = (
            ("", "", "", "")
            if paper is None
            else (
                f" ({paper.parameters:,} k)",
                "" if paper.operations is None else f" ({paper.operations:,})",
                f" ({paper.storage:g})",
                f" ({paper.speed:,})",
            )
        )
        lines.append(
            [
                row.name + (" (random)" if row.random else ""),
                f"{row.mapping:,}",
                f"{row.feed_forward:,}{beside[0]}",
                f"{row.operations // 1000:,}{beside[1]}",
                f"{row.bytes / 1e6:.2f}{beside[2]}",
                middle(row.played.nodes) + beside[3],
                middle(row.played.of_classical),
                middle(row.played.evaluations),
                middle(row.everywhere.nodes),
                middle(row.everywhere.of_classical),
                middle(row.everywhere.evaluations),
            ]
        )
    return table(heads, lines)


def more_table(rows: Sequence[Row]) -> list[str]:
    heads = (
        "net", "bake, s", "load, ms", "a stone and back, us", "the board from nothing, us",
        "times as long", "value, us", "policy of 40 points, us",
    )  # fmt: skip
    keys = ("move_us", "refresh_us", "refresh_per_move", "value_us", "policy_us")
    return table(
        heads,
        [
            [
                row.name,
                "-" if row.bake is None else f"{row.bake:.2f}",
                "-" if row.load is None else f"{1000 * row.load:.0f}",
                *(f"{row.update[key]:.1f}" if row.update else "-" for key in keys),
            ]
            for row in rows
        ],
    )


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """Of S over 4b64f, if both were measured."""
    found = {row.name: row for row in rows}
    if any(name not in found for name in RATIO):
        return {}
    over, under = (found[name] for name in RATIO)
    halves = {"as played": (over.played, under.played)}
    halves["asked everywhere"] = over.everywhere, under.everywhere
    return {
        f"{what}, {way}": statistics.median(getattr(a, what)) / statistics.median(getattr(b, what))
        for way, (a, b) in halves.items()
        for what in ("evaluations", "nodes")
    }


def report(rows: Sequence[Row], classical: Speed) -> str:
    found = ratios(rows)
    told = ", ".join(f"{name} {ratio:.0f}" for name, ratio in found.items())
    theirs = PAPER[RATIO[0]].speed / PAPER[RATIO[1]].speed
    last = f"{RATIO[0]} over {RATIO[1]}, a second: {told} (paper, nodes: {theirs:.0f})"
    parts = [main_table(rows, classical), more_table(rows), [last] if found else []]
    return "\n".join("\n".join([*part, ""]) for part in parts if part)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "nets", nargs="*", metavar="NAME[=FILE]", help=f"of {', '.join(NAMES)} (default: all)"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="(default: 3)")
    parser.add_argument(
        "--slow-rounds", type=int, default=1, metavar="N", help="of residual nets (default: 1)"
    )
    parser.add_argument(
        "--depth", type=int, default=14, metavar="N", help="of the search (default: 14)"
    )
    parser.add_argument(
        "--slow-depth", type=int, default=3, metavar="N", help="with residual nets (default: 3)"
    )
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
    told = report(rows, classical)
    print(told)
    if args.markdown:
        args.markdown.write_text(told)
    if args.json:
        nets = [asdict(row) | {"path": row.path.name} for row in rows]
        found = {"classical": asdict(classical), "nets": nets, "ratios": ratios(rows)}
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
