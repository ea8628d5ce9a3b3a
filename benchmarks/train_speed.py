# SPDX-License-Identifier: MIT
"""Speed of training: samples per second of nets at several batch sizes, the share of the matrix
rate of the device (on a GPU a product of bf16 matrices of 8192 x 8192, timed in the same run), and
the three most expensive operations of a step.

    python benchmarks/train_speed.py --nets resnet-6b128f mixnet-m --batches 1024 4096 --compile
    python benchmarks/train_speed.py --nets '{kind = "resnet", blocks = 4, filters = 256}'
    python benchmarks/train_speed.py --device cpu --nets resnet-4b64f --batches 64 --precision fp32

A step is that of `tengen train` on resident rows: unpacking, symmetries, losses, optimiser and
average; without the metrics of the log, validations and checkpoints.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from bench_common import machine, make_parser, print_table
from tengen.data import Batch, DataWriter, Manifest, Validation, pack
from tengen.game.rule import Rule
from tengen.nets.count import count_operations
from tengen.train.config import TrainConfig
from tengen.train.loop import find_device
from tengen.train.net_trainer import device_name
from tengen.train.train_state import TrainState

_MOVES = 8  # of a policy
_COSTS = 3  # operations that are named
_NAME = 48  # characters of an operation


@dataclass(frozen=True)
class Measured:
    """A net at a batch size; without numbers: out of memory."""

    net: str
    batch: int
    multiply_adds: int | None = None  # of a forward pass of one position
    samples_per_second: float | None = None
    matrix_share: float | None = None
    matrix_rate: float | None = None  # operations per second of the matrix product
    costs: tuple[tuple[str, float], ...] = ()  # operation, share of the time of a step


def random_rows(count: int, size: int) -> Batch:
    """A fifth of the points have stones; each policy has eight moves."""
    random = np.random.default_rng(1)
    cells = random.choice(3, (count, size * size), p=[0.8, 0.1, 0.1]).astype(np.uint8)
    cells[:, :_MOVES] = 0
    random.permuted(cells, axis=1, out=cells)
    move = np.argsort(cells, axis=1, kind="stable")[:, :_MOVES].astype(np.uint16)
    prob = np.full(move.shape, 255 // _MOVES, np.uint8)
    win = random.integers(0, 256, count)
    value = np.stack([win, 255 - win], 1).astype(np.uint8)
    return Batch(pack(cells, size), move, prob, value)


def write_data(folder: Path, rows: int, size: int) -> Path:
    manifest = Manifest("random", Rule.FREESTYLE, size, _MOVES, Validation(every=0))
    with DataWriter.create(folder, manifest) as writer:
        writer.add(random_rows(rows, size))
    return folder


def configs(data: Path, options: argparse.Namespace) -> Iterator[TrainConfig]:
    """One run for each net and batch size."""
    for name in options.nets:
        net = tomllib.loads(f"net = {name}")["net"] if name.startswith("{") else name
        for batch in options.batches:
            yield TrainConfig.from_dict(
                {
                    "net": net,
                    "data": {"path": str(data), "feed": "resident"},
                    "batch": batch,
                    "steps": 1_000_000,
                    "precision": options.precision,
                    "compile": options.compile,
                    "optimiser": {"name": options.optimiser},
                }
            )


def measure(
    config: TrainConfig, device: torch.device, seconds: float, warm_up: int, profiled: int
) -> Measured:
    """Train for about so many seconds after `warm_up` steps, then profile some more. Raises
    torch.OutOfMemoryError.
    """
    state = TrainState(config, device, None)
    try:
        for _ in range(warm_up):
            state.learn()
        state.speed.peek()  # waits for the device
        state.speed.restart()
        steps, rate = 0, 0.0
        while steps == 0 or steps * config.batch < rate * seconds:
            for _ in range(max(1, steps)):  # twice as many each time: few waits
                state.learn()
            steps += max(1, steps)
            rate = state.speed.peek()
        speed = state.speed.read()
        costs = top_costs(state, profiled)
    finally:
        state.close()
    macs = count_operations(config.spec, state.data.size).multiply_adds
    net, batch = config.spec.name, config.batch
    return Measured(net, batch, macs, **speed, matrix_rate=state.speed.rate, costs=costs)


def top_costs(state: TrainState, steps: int) -> tuple[tuple[str, float], ...]:
    """The operations with the largest shares of the time of the device: kernels of a GPU, functions
    of torch on a CPU.
    """
    on_gpu = state.device.type == "cuda"
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    with profile(activities=activities) as profiler:
        for _ in range(steps):
            state.learn()
        state.speed.peek()  # waits for the device
    times: dict[str, float] = {}
    for event in profiler.key_averages():
        if (event.device_type.name != "CPU") == on_gpu and not event.is_user_annotation:
            spent = event.self_device_time_total if on_gpu else event.self_cpu_time_total
            times[event.key] = times.get(event.key, 0.0) + spent
    total = sum(times.values()) or 1.0
    top = sorted(times.items(), key=lambda item: -item[1])[:_COSTS]
    return tuple((name[:_NAME], round(spent / total, 4)) for name, spent in top)


def cells(row: Measured) -> tuple[Any, ...]:
    if row.samples_per_second is None or row.matrix_share is None:
        return row.net, row.batch, "", "out of memory", "", ""
    costs = "; ".join(f"{name} {share:.0%}" for name, share in row.costs)
    speed = f"{row.samples_per_second:,.0f}"
    return row.net, row.batch, f"{row.multiply_adds:,}", speed, f"{row.matrix_share:.1%}", costs


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = make_parser(__doc__)
    nets = ["resnet-6b128f", "resnet-10b128f", "resnet-20b256f", "mixnet-m", "mixnet-l"]
    parser.add_argument("--nets", nargs="+", default=nets, help="names, or TOML tables of a spec")
    parser.add_argument("--batches", nargs="+", type=int, default=[1024, 4096])
    parser.add_argument("--size", type=int, default=15, help="of the board")
    parser.add_argument("--device", default="", help="cpu or cuda (default: cuda if available)")
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")
    parser.add_argument("--optimiser", choices=("adam", "adamw", "sgd"), default="adam")
    parser.add_argument("--compile", action="store_true", help="use torch.compile")
    parser.add_argument("--rows", type=int, default=65_536, help="random positions to train on")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement")
    parser.add_argument("--warm-up", type=int, default=10, help="steps before it")
    parser.add_argument("--profile", type=int, default=5, help="steps that are profiled")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    return parser.parse_args(arguments)


def measurements(options: argparse.Namespace) -> Iterator[Measured]:
    device = find_device(options.device)
    with tempfile.TemporaryDirectory() as folder:
        data = write_data(Path(folder) / "data", options.rows, options.size)
        for config in configs(data, options):
            try:
                yield measure(config, device, options.seconds, options.warm_up, options.profile)
            except torch.OutOfMemoryError:
                yield Measured(config.spec.name, config.batch)
            torch._dynamo.reset()  # compiled graphs of the last net
            if device.type == "cuda":
                torch.cuda.empty_cache()


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    rows = measurements(options)
    if options.json:
        for row in rows:
            print(json.dumps(asdict(row)), flush=True)
        return
    print(f"{device_name(find_device(options.device))}, torch {torch.__version__}; {machine()}")
    heads = ("net", "batch", "multiply-adds", "samples/s", "of matrix rate", "most expensive")
    print_table(heads, map(cells, rows))


if __name__ == "__main__":
    main()
