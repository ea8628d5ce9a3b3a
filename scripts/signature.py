# SPDX-License-Identifier: MIT
"""The signature of the search: a hash of its results, equal on every instruction set.

    python scripts/signature.py            compare with tests/golden/bench.json; exit code 1 if not
    python scripts/signature.py --write    after an intended change of the search

Each instruction set of this machine runs the bench in its own process, the first one twice in one
process. Rules that have a net in the package are also searched with it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "bench.json"
# Small, so that `make check` stays quick; still deep enough for every step of the search.
DEPTHS = {"classical": 9, "classical-paper": 4, "alphabeta": 9}
PLAYOUTS = 300  # of Monte-Carlo tree search, with the classical evaluation and with the nets

_PROGRAM = """
import json, sys
from tengen import _core
from tengen.engine.bench import bench
from tengen.engine.nets import bundled_nets
from tengen.engine.options import PRESETS
from tengen.engine.tables import read_classical_tables
from tengen.game.rule import Rule
# By name: the rule, and the net where it is not the one that plays by default on 15x15.
with_net = {str(rule): (rule, "") for rule in Rule if bundled_nets(rule, 15)}
with_net["freestyle20"] = (Rule.FREESTYLE, bundled_nets(Rule.FREESTYLE, 20)[0].stem)
depths, playouts, rounds = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for _ in range(rounds):
    found = {}
    for preset, depth in depths.items():
        if preset == "alphabeta":
            for name, (rule, net) in with_net.items():
                line = bench(rule, preset, net=net, depth=depth)
                found[f"{preset} {name}"] = f"{line.signature:08x}"
                tree = bench(rule, preset, net=net, search="mcts", playouts=playouts)
                found[f"mcts net {name}"] = f"{tree.signature:08x}"
            continue
        for number, rule in enumerate(Rule):
            tables = read_classical_tables(rule) if preset == "classical" else b""
            result = _core.bench(number, tables, depth, PRESETS.index(preset))
            found[f"{preset} {rule}"] = f"{result.signature:016x}"
    for number, rule in enumerate(Rule):
        result = _core.bench(number, read_classical_tables(rule), search=1, playouts=playouts)
        found[f"mcts {rule}"] = f"{result.signature:016x}"
    print(json.dumps(found))
"""


def signatures(simd: str, rounds: int, cache: str) -> list[dict[str, str]]:
    """The signatures of each round by preset and rule; nets are baked into `cache`."""
    command = [sys.executable, "-c", _PROGRAM, json.dumps(DEPTHS), str(PLAYOUTS), str(rounds)]
    env = {**os.environ, "TENGEN_SIMD": simd, "TENGEN_CACHE": cache}
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"the bench failed with TENGEN_SIMD={simd}:\n{result.stderr}")
    return [json.loads(line) for line in result.stdout.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description="The signature of the search.")
    parser.add_argument("--write", action="store_true", help=f"write {GOLDEN.name} anew")
    args = parser.parse_args()
    from tengen import _core

    names = _core.simd_available()
    with tempfile.TemporaryDirectory(prefix="tengen-signature-") as cache:
        found = {
            f"{name}, round {number + 1}": round_
            for name in names
            for number, round_ in enumerate(signatures(name, 2 if name == names[0] else 1, cache))
        }
    first = next(iter(found.values()))
    if args.write:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(first, indent=2) + "\n")
    golden = json.loads(GOLDEN.read_text())
    faults = [
        f"{run}: {name} is {signature}, not {golden.get(name)}"
        for run, by_name in found.items()
        for name, signature in by_name.items()
        if signature != golden.get(name)
    ]
    print("\n".join(faults) or f"{len(first)} signatures, the same with {', '.join(names)}")
    if faults:
        print("If the search was meant to change: python scripts/signature.py --write")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
