# SPDX-License-Identifier: MIT
"""The golden MCTS trees of the core, recomputed by a Python implementation: equal visits at every
node. tests/cpp/test_mcts_golden.cpp compares the core with the same file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from plain_mcts import PRIOR_ONE, Edge, Node, PlainTree, Settings
from tengen import Board, Move

GOLDEN = Path(__file__).parents[1] / "golden" / "mcts.txt"


@dataclass
class Golden:
    """A search of the file."""

    about: dict[str, str]
    stones: dict[str, list[Move]]
    visits: dict[int, dict[Move, int]]

    def tree(self, **changes: float) -> PlainTree:
        names = ("tau", "c", "c_log", "c_base", "fpu", "utility_stdev_scale")
        settings = Settings(**({name: float(self.about[name]) for name in names} | changes))
        board = Board.from_stones(
            black=self.stones["black"],
            white=self.stones["white"],
            to_move=self.about["side"],
            size=int(self.about["size"]),
            rule=self.about["rule"],
        )
        tree = PlainTree(board, settings, int(self.about["moves_left"]))
        tree.run(int(self.about["playouts"]))
        return tree


def _move(text: str) -> Move:
    x, y = text.split(",")
    return Move(int(x), int(y))


def _read() -> list[Golden]:
    result: list[Golden] = []
    for line in GOLDEN.read_text().splitlines():
        first, *rest = line.split()
        if first == "search":
            result.append(Golden(dict(word.split("=") for word in rest), {}, {}))
        elif first in ("black", "white"):
            result[-1].stones[first] = [_move(word) for word in rest]
        else:
            pairs = (word.split(":") for word in rest)
            result[-1].visits[int(first, 16)] = {_move(at): int(count) for at, count in pairs}
    return result


CASES = _read()


def test_the_file_has_every_rule_and_large_trees() -> None:
    assert {case.about["rule"] for case in CASES} == {
        "freestyle", "standard", "renju", "caro", "caro6"
    }  # fmt: skip
    assert sum(len(case.visits) for case in CASES) > 1000
    # Positions that were reached in more than one way, or fewer nodes would do.
    assert any(0 in moves.values() for case in CASES for moves in case.visits.values())


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.about['rule']}-{case.about['size']}"
)
def test_core_and_reference_have_the_same_tree(case: Golden) -> None:
    assert case.tree().visits() == case.visits


@pytest.mark.integration
def test_other_parameters_give_other_trees() -> None:
    case = CASES[0]
    others = (
        ("c", 1.2),
        ("c_log", 2.0),
        ("c_base", 50.0),
        ("tau", 0.6),
        ("fpu", 0.3),
        ("utility_stdev_scale", 1.0),
    )
    for changes in ({name: value} for name, value in others):
        assert case.tree(**changes).visits() != case.visits, changes


def test_the_equations_by_hand() -> None:
    tree = CASES[0].tree()
    node = Node(0, value=0.2, weight=1, total=0.2 + 3 * 0.5, visits=3, explored=PRIOR_ONE // 4)
    assert tree.factor(3.0) == pytest.approx(1.0 + 0.4 * math.log(1 + 3 / 500))
    edge = Edge(Move(0, 0), PRIOR_ONE // 2, visits=3, q=0.5)
    half = (PRIOR_ONE // 2) / PRIOR_ONE
    assert tree.u(node, edge) == pytest.approx(tree.factor(3.0) * half * math.sqrt(3) / 4)
    quarter = (PRIOR_ONE // 4) / PRIOR_ONE
    assert tree.first_play(node) == pytest.approx((0.2 + 1.5) / 4 - 0.1 * math.sqrt(quarter))


def test_utility_stdev_scale_by_hand() -> None:
    tree = CASES[0].tree(utility_stdev_scale=0.5)
    wild = Node(0, value=0.0, weight=1, total=0.0, visits=7, playouts=8, squares=8.0)
    deviation = math.sqrt((8 * 1.0 + 2 * 0.16) / 10)  # eight results of 1 or -1, two of 0.4
    assert tree.liveliness(wild) == pytest.approx(1 + 0.5 * (deviation / 0.4 - 1))
    sure = Node(0, value=0.9, weight=1, total=0.9 * 8, visits=7, playouts=8, squares=8 * 0.81)
    assert tree.liveliness(sure) < 1 < tree.liveliness(wild)
    assert tree.liveliness(Node(0)) == pytest.approx(1)  # nothing is known
