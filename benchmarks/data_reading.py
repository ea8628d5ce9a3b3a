# SPDX-License-Identifier: MIT
"""How fast data sets are written, imported and read: rows a second.

    python benchmarks/data_reading.py                 # a million random positions, a minute
    python benchmarks/data_reading.py --rows 100000

The set is made of random rows in a folder for the time of the run, so it lies in the system's cache
when it is read: what is measured is the reader, not the disk. Games are random too. Nothing here
passes or fails.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from run import print_machine, report
from tengen import Board, Rule
from tengen.data import Batch, BatchReader, Dataset, DataWriter, Manifest, Permutation, pack, unpack
from tengen.data.importers.records import RecordOptions, import_records

SIZE, MOVES = 15, 8
BATCHES = (1024, 4096, 16384)
PIECE = 50_000  # rows made at once


def random_rows(count: int, seed: int) -> Batch:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, (count, SIZE * SIZE)).astype(np.uint8)
    cells[:, :MOVES] = 0
    move = np.tile(np.arange(MOVES, dtype=np.uint16), (count, 1))
    prob = rng.integers(1, 32, (count, MOVES)).astype(np.uint8)
    value = rng.integers(0, 128, (count, 2)).astype(np.uint8)
    return Batch(pack(cells, SIZE), move, prob, value)


def write(folder: Path, rows: int) -> None:
    manifest = Manifest("benchmark", Rule.FREESTYLE, SIZE, MOVES)
    spent = 0.0
    with DataWriter.create(folder, manifest) as writer:
        for start in range(0, rows, PIECE):
            made = random_rows(min(PIECE, rows - start), start)
            begin = time.perf_counter()
            writer.add(made)
            spent += time.perf_counter() - begin
    print(f"{'write':<24} {rows / spent:19.0f} rows/s")


def rate(rows: int, work: Callable[[], object]) -> Callable[[], float]:
    """A measurement of work on so many rows, in rows a second."""

    def measure() -> float:
        begin = time.perf_counter()
        work()
        return rows / (time.perf_counter() - begin)

    return measure


def read(reader: BatchReader, count: int) -> None:
    for _ in range(count):
        next(reader)


def games(path: Path, count: int) -> None:
    """A file of random games, a line each."""
    rng = random.Random(1)
    with path.open("w") as file:
        for _ in range(count):
            board = Board(SIZE, Rule.RENJU)
            while board.ply < 40 and not board.is_over():
                board.push(rng.choice(board.legal_moves()))
            print("B", *board.moves, file=file)


def measure_import(folder: Path, rounds: int) -> None:
    games(folder / "games.txt", 3000)
    options = RecordOptions(Rule.RENJU, skip=6)

    def once() -> float:
        begin = time.perf_counter()
        manifest, _ = import_records(
            [folder / "games.txt"], folder / "games", options, overwrite=True
        )
        return manifest.positions / (time.perf_counter() - begin)

    report("import of games", "rows/s", rounds, once)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="positions of the set")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each kind")
    args = parser.parse_args()
    print_machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "set", args.rows)
        view = Dataset.open(folder / "set").split("train")
        for size in BATCHES:
            for workers in (0, 1, 2):
                count = max(1, len(view) // size)
                with BatchReader(view, size, seed=1, workers=workers) as reader:
                    work = rate(count * size, lambda r=reader, n=count: read(r, n))  # type: ignore[misc]
                    report(f"batches {size}, {workers} threads", "rows/s", args.rounds, work)
        order = Permutation(len(view), 1)
        report("order", "rows/s", args.rounds, rate(4096 * 64, lambda: order[: 4096 * 64]))
        packed = view.rows(np.arange(16384)).board
        report("unpack", "rows/s", args.rounds, rate(16384, lambda: unpack(packed, SIZE)))
        verify = rate(args.rows, view.dataset.verify)
        report("verify", "rows/s", args.rounds, verify)
        measure_import(folder, args.rounds)


if __name__ == "__main__":
    main()
