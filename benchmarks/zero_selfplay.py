# SPDX-License-Identifier: MIT
"""Speed of self-play: rows, leaves and games per second, the load of the GPU and of the cores, and
which of them waits for the other.

    python benchmarks/zero_selfplay.py --playouts 32 --games 12288 --seconds 30
    python benchmarks/zero_selfplay.py --rule renju --no-net     # the cores alone
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import threading
import time
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from bench_common import machine, make_parser
from tengen import _core
from tengen.cluster import cores
from tengen.data.packing import bytes_of
from tengen.zero.play.selfplay import SelfPlaySettings

Numbers = dict[str, Any]


def cpu_seconds() -> float:
    """Of all threads of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class GpuWatch:
    """The load of the GPU by nvidia-smi, twice per second, while this is open."""

    def __init__(self) -> None:
        self.percents: list[int] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> GpuWatch:
        if shutil.which("nvidia-smi"):
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()

    def _sample(self) -> None:
        command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
        while not self._end.wait(0.5):
            output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            self.percents += [int(line) for line in output.split()[:1] if line.isdigit()]

    @property
    def percent(self) -> float | None:
        return round(float(np.mean(self.percents)), 1) if self.percents else None


def measure_cores(settings: SelfPlaySettings, seconds: float) -> Numbers:
    """The cores alone, with constant random evaluations instead of a net."""
    games = _core.SelfPlay(settings.native())
    rng = np.random.default_rng(1)
    lanes = []
    for group in range(settings.groups):
        n, points = games.group_size(group), settings.size**2
        values = rng.dirichlet([1.5, 1.5, 0.3], n).astype(np.float32)
        policies = rng.normal(0, 256, (n, points)).astype(np.int16)
        lanes.append((values, policies, np.zeros((n, bytes_of(settings.size)), np.uint8)))

    def advance(until: float) -> None:
        while time.perf_counter() < until:
            for group, lane in enumerate(lanes):
                games.advance(group, *lane)

    advance(time.perf_counter() + seconds / 4)
    games.take()
    before, cpu, start = games.counters(), cpu_seconds(), time.perf_counter()
    advance(start + seconds)
    wall, used = time.perf_counter() - start, cpu_seconds() - cpu
    found = games.take()
    work = {name: count - before[name] for name, count in games.counters().items()}
    numbers = rates(len(found["winner"]), work, wall)
    numbers |= {"core us per leaf": round(used / work["leaves"] * 1e6, 2)}
    return numbers | {"cores %": round(100 * used / wall / cores(), 1)}


def measure(settings: SelfPlaySettings, options: argparse.Namespace) -> Numbers:
    """With a net."""
    import torch

    from tengen.nets import make_net
    from tengen.zero.play.selfplay import SelfPlay, SelfPlayTiming

    torch.manual_seed(settings.seed)
    torch.backends.cudnn.benchmark = True
    net = make_net(options.net)
    if options.weights:
        net.load_state_dict(torch.load(options.weights, map_location="cpu", weights_only=True))
    with SelfPlay(settings, options.device) as games:
        games.set_nets(*[net] * (2 if options.two_nets else 1))
        start = time.perf_counter()
        games.play(1)  # compiles and records
        numbers: Numbers = {"start s": round(time.perf_counter() - start, 1)}
        play_for(games, options.warm_up)
        before, games.timing = games.work(), SelfPlayTiming()
        cpu, start = cpu_seconds(), time.perf_counter()
        with GpuWatch() as gpu:
            ended = play_for(games, options.seconds)
        wall, used = time.perf_counter() - start, cpu_seconds() - cpu
        work = {name: count - before[name] for name, count in games.work().items()}
        spent, threads = games.timing, games.threads
        busy = net_seconds(games) * spent.batches
    numbers |= rates(ended, work, wall)
    return numbers | {
        "mean batch": round(spent.leaves / max(1, spent.batches)),
        "waiting for the net %": round(100 * spent.waiting / wall, 1),
        "advancing games %": round(100 * spent.advancing / wall, 1),
        "starting batches %": round(100 * spent.starting / wall, 1),
        "net busy %": round(100 * busy / wall, 1),
        "nvidia-smi %": gpu.percent,
        "cores %": round(100 * used / wall / cores(), 1),
        "core us per leaf": round(spent.advancing * threads / max(1, work["leaves"]) * 1e6, 2),
        "threads": threads,
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
    }


def play_for(games: Any, seconds: float) -> int:
    """Play for about so many seconds; returns the number of finished games."""
    start, ended = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        ended += games.play(max(1, games.settings.games // 8)).count
    return ended


def net_seconds(games: Any) -> float:
    """Seconds per batch on an idle device, by its own clock; on a CPU by the clock of the host."""
    import torch

    lane, inference = games._lanes[0], games._net
    lane.wait()
    if inference.device.type == "cpu":
        start = time.perf_counter()
        inference.start(lane, len(lane.boards), len(lane.boards) // 2)
        return time.perf_counter() - start
    make_event: Any = torch.cuda.Event
    times = []
    for _ in range(10):
        first, last = (make_event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(inference._stream):
            first.record()
            inference.start(lane, len(lane.boards), len(lane.boards) // 2)
            last.record()
        last.synchronize()
        times.append(first.elapsed_time(last) / 1000)
    return float(np.median(times))


def rates(ended: int, work: dict[str, int], wall: float) -> Numbers:
    return {
        "positions/s": round(work["rows"] / wall, 1),
        "leaves/s": round(work["leaves"] / wall),
        "leaves per playout": round(work["leaves"] / max(1, work["playouts"]), 3),
        "playouts/s": round(work["playouts"] / wall),
        "games/s": round(ended / wall, 1),
        "moves per game": round(work["moves"] / max(1, ended), 1),
        "VCF nodes per leaf": round(work["solver_nodes"] / max(1, work["leaves"]), 2),
        "seconds": round(wall, 1),
    }


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--net", default="resnet-6b128f", help="name of the net")
    parser.add_argument("--weights", default="", help="a state dict (default: random weights)")
    parser.add_argument("--two-nets", action="store_true", help="one for each colour")
    parser.add_argument("--device", default=None, help="cpu or cuda")
    parser.add_argument(
        "--no-net", action="store_true", help="a constant evaluation: the cores alone"
    )
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--warm-up", type=float, default=10)
    parser.add_argument("--json", action="store_true", help="print JSON")
    for entry in fields(SelfPlaySettings):
        kind = type(entry.default)
        parser.add_argument(
            f"--{entry.name.replace('_', '-')}",
            type=(lambda text: text in ("1", "true", "on")) if kind is bool else kind,
            default=1.0 if entry.name == "full_share" else entry.default,
            help=entry.metadata["help"].replace("%", "%%"),
        )
    return parser.parse_args()


def main() -> None:
    options = parse()
    chosen = {entry.name: getattr(options, entry.name) for entry in fields(SelfPlaySettings)}
    settings = replace(SelfPlaySettings(), **chosen)
    if options.no_net:
        numbers = measure_cores(settings, options.seconds)
    else:
        numbers = measure(settings, options)
    if options.json:
        print(json.dumps({"machine": machine(), "settings": asdict(settings), **numbers}))
        return
    title = f"{settings.rule} {settings.size}x{settings.size}, {settings.playouts} playouts"
    print(f"{title}, {settings.games} games in {settings.groups} groups; {machine()}")
    for name, number in numbers.items():
        print(f"  {name:24} {number}")


if __name__ == "__main__":
    main()
