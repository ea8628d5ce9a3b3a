# SPDX-License-Identifier: MIT
"""Damaged files through every reader: the result is records, or `BadRecord` with a position.

Every input goes to each reader by name and to `loads`, which detects the format. A sample of the
readable ones is written as SGF and read again. Needs `mutate`.
"""

from __future__ import annotations

import random

import pytest

from fuzz.mutate import mutate, seeds
from tengen.game import BadRecord, records
from tengen.game.records import text

FORMATS = list(records.FORMATS)
READERS: list[str | None] = [*FORMATS, None]
DEFAULT_INPUTS = 200_000
SLOW_INPUTS = 2_000_000
BLOCKS = 2
# Of the inputs that could be read, each so manieth is written and read again.
ROUND_TRIP = 25


def read(data: bytes, format: str | None) -> list[records.Record]:
    """The records, or none; fails on any error that is not a BadRecord with its place."""
    try:
        return records.loads(data, format, "fuzz")
    except BadRecord as error:
        fault = error
    assert fault.line >= 1
    assert fault.column >= 1
    assert fault.source == "fuzz"
    assert fault.fault
    return []


def run(format: str, seed: str, inputs: int) -> int:
    """Feed this many damaged files to all readers; returns how many its own reader accepted."""
    rng = random.Random(seed)
    files = seeds(format)
    others = [file for name in FORMATS for file in seeds(name)]
    good = 0
    for number in range(inputs):
        data = mutate(rng, rng.choice(files), others)
        try:
            games = [read(data, reader) for reader in READERS]
            if number % ROUND_TRIP == 0:
                check_round_trips(games)
        except Exception as error:
            error.add_note(f"seed {seed!r}, input {number}: {data!r:.2000}")
            raise
        good += bool(games[FORMATS.index(format)])
    return good


def check_round_trips(games: list[list[records.Record]]) -> None:
    for result in games:
        assert not result or records.loads(records.dumps(result, "sgf"), "sgf") == result


@pytest.mark.integration
@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("format", FORMATS)
def test_damaged_files(format: str, block: int) -> None:
    inputs = DEFAULT_INPUTS // len(FORMATS) // BLOCKS
    good = run(format, f"{format}-{block}", inputs)
    assert inputs // 50 < good < inputs, "the mutations are too wild or too tame to tell anything"


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10, 10 + BLOCKS))
@pytest.mark.parametrize("format", FORMATS)
def test_many_damaged_files(format: str, block: int) -> None:
    run(format, f"{format}-{block}", SLOW_INPUTS // len(FORMATS) // BLOCKS)


# Some hundred kilobytes each: what takes more than linear time, or recurses, is noticed here.
HEAVY = {
    "parentheses": b"(" * 1_000_000,
    "open games": b"(;" * 100_000,
    "many games": b"(;)" * 30_000,
    "deep variations": b"(;B[aa]" * 50_000 + b")" * 50_000,
    "closed only": b"(;" + b")" * 1_000_000,
    "brackets": b"(;C" + b"[" * 1_000_000,
    "backslashes": b"(;C[" + b"\\" * 1_000_001,
    "escapes": b"(;C[" + b"\\a" * 500_000 + b"])",
    "long name": b"(;" + b"A" * 1_000_000,
    "long small name": b"(;" + b"a" * 1_000_000 + b"[])",
    "many values": b"(;XX" + b"[]" * 100_000 + b")",
    "many names": b"(;" + b"".join(b"A%d[]" % n for n in range(30_000)) + b")",
    "spaces": b" " * 1_000_000,
    "spaces in a game": b"(;B[aa]" + b" " * 1_000_000,
    "spaces and parentheses": b"( " * 500_000,
    "rectangles": b"(;" + b"AB[aa:oo]" * 3_000 + b")",
    "rectangles in nodes": b"(;" + b";AE[aa:oo]" * 1_000 + b")",
    "header": b"Piskvorky" + b" " * 1_000_000,
    "header lines": b"Piskvorky 15x15, 0:0, 0\n" * 40_000,
    "moves": b"Piskvorky 15x15\n" + b"1,1,1\n" * 40_000,
    "digits": b"Piskvorky 15x15\n" + b"1" * 1_000_000,
    "digits and comma": b"Piskvorky 15x15\n" + b"1" * 500_000 + b"," + b"1" * 500_000,
    "trailer": b"Piskvorky 15x15\nx\n" + b"\n" * 1_000_000 + b"y",
    "names": b"h8" * 60_000,
    "pairs": b"1,1 " * 40_000,
    "commas": b"," * 1_000_000,
    "numbers": b"1" * 1_000_000,
    "remarks": b"#" * 500_000 + b"\n#" * 200_000,
    "headers": b"size: 15\n" * 30_000,
    "offsets": b"0,0, -1,1\n" * 20_000,
    "one offset line": b"0,1," * 60_000 + b"-1",
    "nothing": b"",
    "zeros": b"\0" * 1_000_000,
    "high bytes": b"\xff" * 1_000_000,
    "utf-16": b"\xff\xfe" + b"(\0;\0" * 200_000 + b"x",
}


@pytest.mark.integration
@pytest.mark.parametrize("name", HEAVY)
def test_heavy_files(name: str) -> None:
    for reader in READERS:
        games = read(HEAVY[name], reader)
        if games and reader == "sgf":
            assert records.loads(records.dumps(games, "sgf"), "sgf") == games


def test_too_large() -> None:
    for reader in READERS:
        with pytest.raises(BadRecord, match="larger than 64 MiB"):
            records.loads(b" " * ((64 << 20) + 1), reader)


def test_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_ITEMS", 1000)
    files = {
        "sgf": [
            b"(;" + b";" * 1000 + b")",
            b"(;AE[aa:oo]" * 5,
            b"(;)" * 1001,
            b"(;X" + b"[]" * 1000,
        ],
        "psq": [b"Piskvorky 15x15\n" + b"1,1\n" * 1001],
        "plain": [b"h8" * 1001],
        "openings": [b"0,0\n" * 501],
    }
    for format, many in files.items():
        for data in many:
            with pytest.raises(BadRecord, match="more than 1,000 nodes") as caught:
                records.loads(data, format)
            assert caught.value.line >= 1
            assert caught.value.column >= 1
