# SPDX-License-Identifier: MIT
"""Lines for the fuzz test of the protocol: commands of managers, mostly in a valid order, and
damaged ones. All use the random generator they are passed. Used by tests/fuzz/test_gomocup.py.
"""

from __future__ import annotations

import random

from fuzz.mutate import mutate

__all__ = ["damaged", "next_lines"]

_KEYS = (
    "timeout_turn", "timeout_match", "time_left", "time_increment", "max_memory", "hash_size",
    "thread_num", "max_depth", "max_node", "rule", "game_type", "pondering", "show_detail",
    "strength", "evaluate", "folder",
)  # fmt: skip
_VALUES = ["0", "1", "4", "9", "-1", "15", "1000", "100000", "2147483647", "", "x", "1.5", "9" * 25]
_OTHERS = [
    b"START 15", b"RECTSTART 15,15", b"BOARD", b"DONE", b"7,7,1", b"TURN 7,7", b"SWAP2BOARD",
    b"ABOUT", b"INFO timeout_turn 1", b"TAKEBACK 7,7", b"PLAY 7,7", b"\xff\xfe", b"\xc3\xa9",
    b"\x00",
]  # fmt: skip


def _point(rng: random.Random) -> str:
    # Mostly on the smallest boards, so that stones meet and games end; now and then off any.
    most = rng.choice((5, 5, 6, 6, 8, 15, 23))
    return f"{rng.randrange(most)},{rng.randrange(most)}"


def _start(rng: random.Random) -> list[str]:
    return [f"START {rng.choice((5, 5, 6, 6, 9, 15, 20, 22, 4, 23))}"]


def _board(rng: random.Random) -> list[str]:
    stones = [_point(rng) for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 12, 24)))]
    stones = list(dict.fromkeys(stones)) if rng.random() < 0.8 else stones
    last = len(stones) % 2
    lines = [f"{stone},{1 + (number + last) % 2}" for number, stone in enumerate(stones)]
    return ["BOARD", *lines, "DONE"]


def _swap2(rng: random.Random) -> list[str]:
    stones = [_point(rng) for _ in range(rng.choice((0, 3, 3, 5, 5, 1, 4)))]
    return ["SWAP2BOARD", *stones, "DONE"]


def _info(rng: random.Random) -> list[str]:
    return [f"INFO {rng.choice([*_KEYS, 'foo', ''])} {rng.choice(_VALUES)}"]


def _point_command(rng: random.Random) -> list[str]:
    return [f"{rng.choice(('TURN', 'TURN', 'TURN', 'TURN', 'PLAY', 'TAKEBACK'))} {_point(rng)}"]


def _word(rng: random.Random) -> list[str]:
    return [rng.choice(("BEGIN", "RESTART", "ABOUT", "STOP", "DONE", "HELLO", "", "7,7"))]


_MAKERS = (_start, _board, _board, _swap2, _info, _info, _word, _word, *[_point_command] * 9)


def next_lines(rng: random.Random) -> list[str]:
    """The lines of one command, sometimes cut short."""
    lines = rng.choice(_MAKERS)(rng)
    return lines[: rng.randrange(len(lines) + 1)] if rng.random() < 0.05 else lines


def damaged(rng: random.Random, line: str) -> str:
    """The line with some faults in it, as the line splitter would hand it on."""
    data = mutate(rng, line.encode(), _OTHERS)
    return data.replace(b"\n", b" ").replace(b"\r", b" ")[:4096].decode("utf-8", "replace").strip()
