# SPDX-License-Identifier: MIT
"""The independent verifier, on hand-made proofs."""

import copy
from typing import Any

import pytest

from plain_verifier import verify
from tengen.reference import RULES

Steps = list[list[Any]]

FIVE: Steps = [["f5", -1, []]]
OPEN_FOUR: Steps = [["f5", 1, [["b5", 2]]], ["b5", -1, []], ["g5", -1, []]]


def made(
    rule: str, black: str, white: str, steps: Steps, to_move: str = "black", *, size: int = 9
) -> dict[str, Any]:
    return {
        "format": "tengen-proof",
        "version": 1,
        "rule": rule,
        "size": size,
        "black": black.split(),
        "white": white.split(),
        "to_move": to_move,
        "moves_left": None,
        "goal": "any",
        "nodes": steps,
    }


def two_threes(rule: str, colour: str, defences: str = "c5 d5 h5") -> dict[str, Any]:
    """g5 makes a three in the row and one in the column; the row is the threat."""
    stones = ("e5 f5 g3 g4", "") if colour == "black" else ("", "e5 f5 g3 g4")
    steps: Steps = [
        ["g5", 1, [[name, 2] for name in defences.split()]],
        ["d5", 3, [["c5", 4]]],
        ["g6", 5, [["g2", 6]]],
        ["c5", -1, []],
        ["h5", -1, []],
        ["g2", -1, []],
        ["g7", -1, []],
    ]
    return made(rule, *stones, steps, colour)


@pytest.mark.parametrize("rule", RULES)
def test_fives_and_open_fours(rule: str) -> None:
    assert verify(made(rule, "b5 c5 d5 e5", "", FIVE)) is None
    assert verify(made(rule, "", "b5 c5 d5 e5", FIVE, "white")) is None
    assert verify(made(rule, "c5 d5 e5", "", OPEN_FOUR)) is None
    assert verify(made(rule, "", "c5 d5 e5", OPEN_FOUR, "white")) is None
    assert verify(made(rule, "c5 d5 e5", "", FIVE)) is not None


@pytest.mark.parametrize("rule", RULES)
def test_six_stones(rule: str) -> None:
    holds = verify(made(rule, "b5 c5 d5 e5 g5", "", FIVE)) is None
    assert holds == (rule in ("freestyle", "caro6"))
    holds = verify(made(rule, "", "b5 c5 d5 e5 g5", FIVE, "white")) is None
    assert holds == (rule in ("freestyle", "renju", "caro6"))


def test_two_threes() -> None:
    assert verify(two_threes("freestyle", "black")) is None
    assert verify(two_threes("renju", "white")) is None
    assert verify(two_threes("renju", "black")) == "after no move: g5 is forbidden"
    fault = verify(two_threes("freestyle", "black", "c5 d5"))
    assert fault == "after g5 h5 d5 c5: h5 is no empty point"
    fault = verify(two_threes("caro", "black"))
    assert fault is not None
    assert fault.startswith("after g5 b5 d5 h5")
    assert verify(two_threes("caro", "black", "b5 c5 d5 h5 i5")) is None


def test_every_reply_is_required() -> None:
    missing: Steps = [["f5", 1, []], ["b5", -1, []]]
    fault = verify(made("standard", "c5 d5 e5", "", missing))
    assert fault == "after f5 b5: b5 is no empty point"
    no_threat: Steps = [["f5", -1, [["b5", 1]]], ["g5", -1, []]]
    fault = verify(made("standard", "c5 d5 e5", "", no_threat))
    assert fault == "after f5 a1: the reply is not listed, and there is no threat"


def test_the_pass_is_a_reply() -> None:
    steps: Steps = [["e5", -1, [["e3", 2], ["a5", 1]]], ["e3", -1, []], ["a5", -1, []]]
    black = "b5 c5 d5 e1 e2 e4 a1 b1 a3 b3 c2 d2 c4 d4"
    white = "a2 b2 a4 b4 c1 d1 c3 d3"
    proof = made("freestyle", black, white, steps, size=5)
    assert verify(proof) == "after e5 pass: the reply is not listed, and there is no threat"
    steps[0][2].append(["pass", 1])
    assert verify(proof) is None


def test_in_caro_one_answer_closes_both_ends() -> None:
    assert verify(made("standard", "c5 d5 e5", "h5", OPEN_FOUR)) is None
    fault = verify(made("caro", "c5 d5 e5", "h5", OPEN_FOUR))
    assert fault is not None
    assert fault.startswith("after f5 b5")


def test_a_five_of_the_defender() -> None:
    fault = verify(made("freestyle", "c5 d5 e5", "b1 c1 d1 e1", OPEN_FOUR))
    assert fault == "after f5: the reply a1 makes a five"


def test_a_block_that_is_forbidden_to_black() -> None:
    steps: Steps = [["e5", 1, []], ["f5", -1, []]]
    black = "a5 f6 f7 g4 h3"
    assert verify(made("renju", black, "b5 c5 d5", steps, "white")) is None
    fault = verify(made("standard", black, "b5 c5 d5", steps, "white"))
    assert fault == "after e5 f5: f5 is no empty point"
    steps = [["e5", 1, [["f5", 2]]], ["f5", -1, []], ["i9", -1, []]]
    assert verify(made("renju", black, "b5 c5 d5", steps, "white")) is None


@pytest.mark.parametrize(("left", "holds"), [(1, False), (2, False), (3, True), (None, True)])
def test_move_limits(left: int | None, holds: bool) -> None:
    proof = made("renju", "c5 d5 e5", "", OPEN_FOUR)
    proof["moves_left"] = left
    assert (verify(proof) is None) == holds
    five = made("renju", "b5 c5 d5 e5", "", FIVE) | {"moves_left": left}
    assert verify(five) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("format", "tengen"),
        ("version", 2),
        ("rule", "chess"),
        ("size", 4),
        ("size", "15"),
        ("black", ["c5", "c5", "d5", "e5"]),
        ("black", ["c5", "d5", "z9"]),
        ("white", ["c5"]),
        ("white", ["a1", "a2", "a3", "a4", "a5"]),
        ("to_move", "red"),
        ("moves_left", 0),
        ("goal", "win"),
        ("nodes", []),
        ("nodes", [["f5"]]),
        ("nodes", [["f5", 0, []]]),
        ("nodes", [["f5", 1, []]]),
        ("nodes", [["f5", 1, [["b5", 2], ["b5", 2]]], *OPEN_FOUR[1:]]),
        ("nodes", [["c5", 1, [["b5", 2]]], *OPEN_FOUR[1:]]),
        ("nodes", [["pass", 1, [["b5", 2]]], *OPEN_FOUR[1:]]),
    ],
)
def test_broken_proofs(field: str, value: object) -> None:
    proof = made("standard", "c5 d5 e5", "", copy.deepcopy(OPEN_FOUR))
    assert verify(proof) is None
    proof[field] = value
    assert verify(proof) is not None


def test_a_five_has_nothing_after_it() -> None:
    steps: Steps = [["f5", 1, []], ["a1", -1, []]]
    fault = verify(made("freestyle", "b5 c5 d5 e5", "", steps))
    assert fault == "after no move: f5 is a five and has a threat or replies"
