# SPDX-License-Identifier: MIT
"""The signature of the search: a hash of its results, equal for every build and instruction set.

    python scripts/signature.py            compare with tests/golden/bench.json; exit code 1 if not
    python scripts/signature.py --write    after an intended change of the search
    python scripts/signature.py --program build/windows/pbrain-tengen.exe
    python scripts/signature.py --program qemu-aarch64 build/linux-aarch64/pbrain-tengen

Without `--program`, this environment's `tengen bench` is compared. Each instruction set of the
machine runs in its own processes, the first one every search twice in one process. Rules that have
a bundled net are also searched with it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "bench.json"
RULES = ("freestyle", "standard", "renju", "caro", "caro6")
# The arguments of the bench by the start of the keys. Small, so that `make check` stays quick;
# still deep enough for every step of the search.
CLASSICAL = {
    "classical": "--preset classical --depth 9 --memory 128",
    "classical-paper": "--preset classical-paper --depth 4 --memory 128",
    "mcts": "--preset classical --search mcts --playouts 300 --memory 128",
}
WITH_NET = {
    "alphabeta": "--depth 9",
    "mcts net": "--search mcts --playouts 300",
}
# A net that no rule has by default on 15x15.
OTHER_NET = ("freestyle20", "--rule freestyle --net mixnet-m-freestyle20")


def instruction_sets(program: Sequence[str], more: str) -> list[str]:
    """Those that the program can use here, as its error message for another one lists them."""
    command = [*program, *f"bench --rule renju --preset classical --depth 1{more}".split()]
    env = {**os.environ, "TENGEN_SIMD": "?"}
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    found = re.search(r"available: ([\w, ]+)", result.stderr)
    if not found:
        raise SystemExit(f"{' '.join(program)} lists no instruction sets:\n{result.stderr}")
    return found[1].split(", ")


def bench(program: Sequence[str], arguments: str) -> Iterator[tuple[str, str, str]]:
    """Rule, signature and evaluation of each result but the total."""
    command = [*program, "bench", *arguments.split()]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        simd = os.environ["TENGEN_SIMD"]
        raise SystemExit(f"TENGEN_SIMD={simd} {' '.join(command)} failed:\n{result.stderr}")
    rule = signature = ""
    for line in result.stdout.splitlines():
        if line.startswith("signature "):
            _, rule, signature = line.split()
        if rule != "total" and line.startswith("  evaluation: "):
            yield rule, signature, line.removeprefix("  evaluation: ")


def signatures(
    program: Sequence[str], rounds: int, wanted: re.Pattern[str], more: str
) -> Iterator[tuple[str, str]]:
    """Wanted keys and their signatures, from benches with `more` arguments."""
    for start, arguments in (CLASSICAL | WITH_NET).items():
        rules = [rule for rule in RULES if wanted.fullmatch(f"{start} {rule}")] * rounds
        if not rules:
            continue
        every = "".join(f" --rule {rule}" for rule in rules)
        for rule, signature, evaluation in bench(program, arguments + every + more):
            if start in CLASSICAL or not evaluation.startswith("classical"):
                yield f"{start} {rule}", signature
    name, net = OTHER_NET
    for start, arguments in WITH_NET.items():
        if wanted.fullmatch(f"{start} {name}"):
            for _, signature, _ in bench(program, f"{arguments} {net}{more}"):
                yield f"{start} {name}", signature


def main() -> int:
    parser = argparse.ArgumentParser(description="The signature of the search.")
    parser.add_argument("--write", action="store_true", help=f"write {GOLDEN.name} anew")
    parser.add_argument("--only", default=".*", metavar="REGEX", help="compare these keys")
    tengen = [sys.executable, "-m", "tengen"]
    parser.add_argument(
        "--program",
        nargs=argparse.REMAINDER,
        default=tengen,
        help="the program to compare, after the command that runs it; the last argument",
    )
    parser.add_argument("--data", metavar="DIR", help="its tables and nets, if they are not inside")
    args = parser.parse_args()
    data = f" --data {args.data}" if args.data else ""
    if args.write and args.only != ".*":
        parser.error("--write needs all keys: leave --only out")
    names = instruction_sets(args.program, data)
    wanted = re.compile(args.only)
    golden = {} if args.write else json.loads(GOLDEN.read_text())
    found: dict[str, str] = {}
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tengen-signature-") as cache:
        os.environ["TENGEN_CACHE"] = cache  # nets are baked into it
        for simd in names:
            os.environ["TENGEN_SIMD"] = simd
            for key, signature in signatures(
                args.program, 2 if simd == names[0] else 1, wanted, data
            ):
                found.setdefault(key, signature)
                expected = found[key] if args.write else golden.get(key)
                if signature != expected:
                    faults.append(f"{simd}: {key} is {signature}, not {expected}")
    missing = [key for key in golden if key not in found and wanted.fullmatch(key)]
    faults += [f"there is no {key}" for key in missing]
    if args.write and not faults:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(found, indent=2) + "\n")
    print("\n".join(faults) or f"{len(found)} signatures, the same with {', '.join(names)}")
    if faults:
        print("If the search was meant to change: python scripts/signature.py --write")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    raise SystemExit(main())
