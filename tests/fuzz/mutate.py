# SPDX-License-Identifier: MIT
"""Seeds and mutations for the fuzz tests of the record readers.

`random_record` makes games with every field of the model, `seeds` returns valid files of a format,
and `mutate` damages bytes. All use the random generator they are passed, so that a failure can be
reproduced by its number. Used by tests/fuzz/test_readers.py and the round-trip tests of tests/py.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tengen.game import Colour, Move, Rule, records
from tengen.game.records import Node, Record

__all__ = ["mutate", "random_record", "random_text", "seeds"]

_LETTERS = "abc xyz [](){};:\\\n#,.-0189 äß五子棋 \t"
_NUMBERS = [b"0", b"-1", b"23", b"99999999999", b"1e9", b"9" * 400, b"\xd9\xa3", b"15:16", b"+7"]
_TOKENS = [
    b"(;", b")", b"(", b";", b"[", b"]", b"\\", b":", b",", b"#", b"\r\n", b"\n", b"\x00",
    b"\xff\xfe", b"SZ[9]", b";SZ[19]", b"RU[4]",
    b"AB[aa:vv]", b"B[tt]", b"W[]", b"SZ[", b"GM[1]", b"CA[gbk]", b"CA[punycode]", b"C[", b"PL[x]",
    b"pass", b"--", b"h8", b"z99", b"7,7", b"size: 3", b"rule: x", b"Piskvorky ", b"20x20", b", ",
    "é".encode(), "五".encode("gbk"), b"EMT[1.5]",
]  # fmt: skip


def random_text(rng: random.Random, longest: int = 30) -> str:
    return "".join(rng.choices(_LETTERS, k=rng.randrange(longest)))


def random_record(rng: random.Random, *, bare: bool = False, longest: int = 60) -> Record:
    """A game; unless `bare`, with comments, variations, set-ups, times, properties."""
    size = rng.choice([5, 9, 15, 15, 15, 19, 20, 22])
    record = Record(size=size, rule=rng.choice([None, *Rule]))
    points = [Move(x, y) for x in range(size) for y in range(size)]
    rng.shuffle(points)
    moves = points[: rng.randrange(longest)]
    if bare:
        game = Record.from_moves(moves, size, record.rule)
        game.black, game.white = rng.choice([("", ""), ("Ann", "Bob"), ("x y", "五 z")])
        return game
    record.black, record.white = random_text(rng), random_text(rng)
    record.date, record.event = rng.choice(["", "2026-02-03"]), random_text(rng)
    record.result = rng.choice(["", "B+", "W+", "Draw", "Void", "adjourned [1]"])
    nodes = [record.root]
    for number, move in enumerate(moves):
        # Mostly on from the last node; now and then a variation from anywhere before.
        parent = nodes[-1] if rng.random() < 0.85 else rng.choice(nodes)
        node = Node(move if rng.random() < 0.98 else Move.PASS, Colour(1 + number % 2))
        parent.children.append(node)
        nodes.append(node)
    for node in nodes:
        _decorate(rng, node, points)
    return record


def _decorate(rng: random.Random, node: Node, points: list[Move]) -> None:
    if rng.random() < 0.3:
        node.comment = random_text(rng, 80)
    if rng.random() < 0.1:
        stones = rng.sample(points, 6)
        node.black, node.white, node.empty = (tuple(stones[i : i + 2]) for i in (0, 2, 4))
        if node.move is None:
            node.colour = rng.choice([None, Colour.BLACK, Colour.WHITE])
    if node.move is not None and rng.random() < 0.2:
        node.time_ms = rng.randrange(10**6)
    if rng.random() < 0.1:
        node.properties[rng.choice(["TR", "LB", "XY1", "KO"])] = ["aa", r"b\]:\\c", ""][
            : 1 + rng.randrange(3)
        ]


def seeds(format: str) -> list[bytes]:
    """Valid files of a format, small and various."""
    rng = random.Random(format)
    if format == "sgf":
        texts = [
            records.dumps([random_record(rng, longest=12) for _ in range(n)], "sgf")
            for n in (1, 1, 1, 2)
        ]
        texts += ["(;GM[4]SZ[15:15]RU[Gomoku]AB[aa:cc]PL[W];W[hh](;B[h9])(;B[K10]C[a\\]b]))"]
    elif format == "psq":
        texts = [
            records.dumps([random_record(rng, bare=True, longest=12)], "psq", lossy=True)
            for _ in range(4)
        ]
        texts += [
            "Piskvorky 15x15, 11:11, 1\r\n8,8,0\r\n9,9,12\r\nA.zip\r\nB.zip\r\n-1\r\n0,Free\r\n"
        ]
    elif format == "plain":
        texts = [
            records.dumps([random_record(rng, bare=True, longest=12)], "plain") for _ in range(3)
        ]
        texts += [
            "1. h8 i9 2. g7 pass # well",
            "7,7 8,8\n9,9",
            "h8i9g10k11",
            "rule: renju\nh8 -- a1",
        ]
    else:
        texts = ["0,0, 1,-1, 2,0\n-3,2, 0,0, 1,4, -2,-2\n", "-7,7,7,-7\n\n# no\n1,1\n"]
    return [text.encode() for text in texts]


def mutate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The data with one to four faults. `others` are files to splice with."""
    for _ in range(1 + rng.randrange(4)):
        data = rng.choice(_MUTATIONS)(rng, data, others)
    return data[:20_000]


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + 1 + rng.randrange(12))


def _flip(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    if not data:
        return b"\x80"
    changed = bytearray(data)
    changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _delete(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def _duplicate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:end] + data[start:end] * (1 + rng.randrange(3)) + data[end:]


def _splice(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    other = rng.choice(others)
    return data[: _place(rng, data)] + other[_place(rng, other) :]


def _truncate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    return data[: _place(rng, data)]


def _insert(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    place = _place(rng, data)
    return data[:place] + rng.choice(_TOKENS) + data[place:]


def _number(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Put an odd number where a digit is, or anywhere."""
    place = _place(rng, data)
    digit = next(
        (i for i in range(place, min(place + 20, len(data))) if data[i] in b"0123456789"), place
    )
    return data[:digit] + rng.choice(_NUMBERS) + data[digit + 1 :]


def _nest(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Repeat a token some or, seldom, very many times."""
    place = _place(rng, data)
    times = 2000 if rng.random() < 0.01 else 1 + rng.randrange(20)
    return (
        data[:place]
        + rng.choice([b"(;", b"(;B[aa]", b")", b"[", b"\\", b"1,"]) * times
        + data[place:]
    )


_Mutation = Callable[[random.Random, bytes, list[bytes]], bytes]
_MUTATIONS: list[_Mutation] = [
    _flip, _flip, _delete, _duplicate, _splice, _truncate, _insert, _insert, _number, _nest
]  # fmt: skip
