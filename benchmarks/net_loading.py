# SPDX-License-Identifier: MIT
"""How long a net takes to be ready, and what it costs: baking and its peak of memory, loading from
the cache, what a further engine of the process needs.

    python benchmarks/net_loading.py                # S, M and L with random weights, a minute
    python benchmarks/net_loading.py my.net

Every measurement is a process of its own. The cache is a folder for the time of the run, so its
files lie in the system's memory when they are read. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from run import ROOT, print_machine

ROUNDS = 5

_LOAD = """
import resource, sys, time
from pathlib import Path
from tengen.engine.native_net import NetLoad
start = time.perf_counter()
load = NetLoad(Path(sys.argv[1]))
load.wait()
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, int(load.from_cache))
"""
_ENGINES = """
import resource, sys
from tengen import Board, Engine, Limit
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
def another():
    engine = Engine(net=sys.argv[1], memory=8)
    engine.play(Board(), Limit(nodes=20_000))
    return engine
engines = [another(), another()]
before = resident()
engines += [another() for _ in range(4)]
print((resident() - before) / 4 / 2**20)
"""


def random_net(path: Path, channels: int) -> None:
    """A net of the size with so many channels."""
    sys.path.append(str(ROOT / "tests" / "py"))
    from mixnet_samples import lively, net_of
    from tengen.engine.net_layout import Architecture
    from tengen.export.net_writer import write_net

    architecture = Architecture(channels, 2 * channels, channels // 2, channels)
    write_net(net_of(architecture, lively(architecture, 1), path.stem), path)


def asked(program: str, net: Path, cache: Path) -> list[float]:
    """The numbers that a program tells."""
    line = [sys.executable, "-c", program, str(net)]
    env = {**os.environ, "TENGEN_CACHE": str(cache)}
    found = subprocess.run(line, capture_output=True, text=True, check=True, env=env)
    return [float(word) for word in found.stdout.split()]


def ready(net: Path, folder: Path, rounds: int = ROUNDS) -> tuple[list[list[float]], ...]:
    """Seconds and MiB of the peak of loads that bake, and of loads that find it in the cache."""
    baked = [asked(_LOAD, net, folder / f"{net.stem}-{i}") for i in range(min(3, rounds))]
    loaded = [asked(_LOAD, net, folder / f"{net.stem}-0") for _ in range(rounds)]
    assert not any(run[2] for run in baked)
    assert all(run[2] for run in loaded)
    return baked, loaded


def measure(net: Path, folder: Path) -> None:
    baked, loaded = ready(net, folder)
    bake, load = sorted(run[0] for run in baked), sorted(run[0] for run in loaded)
    print(f"{net.name}: baking {bake[1]:.2f} s (of 3: {bake[0]:.2f} to {bake[2]:.2f}), ", end="")
    print(f"peak of the process {max(run[1] for run in baked):.0f} MiB; ", end="")
    print(f"loading {1e3 * load[ROUNDS // 2]:.0f} ms ", end="")
    print(f"(of {ROUNDS}: {1e3 * load[0]:.0f} to {1e3 * load[-1]:.0f})", end="", flush=True)
    if Path("/proc/self/statm").exists():
        (each,) = asked(_ENGINES, net, folder / f"{net.stem}-0")
        print(f"; a further engine {each:.1f} MiB, 8 of them for its table", end="")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("nets", nargs="*", type=Path, metavar="NET", help="files")
    nets = parser.parse_args().nets
    print_machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for letter, channels in {"s": 32, "m": 64, "l": 128}.items() if not nets else ():
            nets.append(folder / f"{letter}.net")
            random_net(nets[-1], channels)
        for net in nets:
            measure(net, folder)


if __name__ == "__main__":
    main()
