# SPDX-License-Identifier: MIT
"""The board diagrams of ``tests/positions/solver``: solutions, and their proofs verified twice."""

from __future__ import annotations

import pytest

import tengen
from plain_verifier import verify
from solver_positions import Point, SolverCase, point_name, read_solver_folder
from tengen.solver.result import Status

CASES = read_solver_folder()
# The plain verifier is slow: it is for the small boards.
SMALL = 9


def board_of(case: SolverCase) -> tengen.Board:
    def names(points: list[Point]) -> list[str]:
        return [point_name(point) for point in points]

    return tengen.Board.from_stones(
        names(case.black), names(case.white), case.to_move, case.size, case.rule
    )


@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_board_diagram(case: SolverCase) -> None:
    result = tengen.solve(board_of(case), case.goal, time=None)
    if not case.wins:
        assert isinstance(result, tengen.NoProof), case.drawing()
        assert result.status is Status.NO_WIN
        return
    assert isinstance(result, tengen.Proof), case.drawing()
    assert result.verify()
    first = str(result.line()[0])
    assert not case.only or first in {point_name(point) for point in case.only}
    assert first not in {point_name(point) for point in case.never}
    if case.size <= SMALL and case.goal == "vcf":
        assert verify(result.to_json()) is None


@pytest.mark.parametrize("goal", ["vct", "any"])
def test_fours_are_part_of_every_goal(goal: str) -> None:
    for case in CASES:
        if case.goal == "vcf" and case.wins:
            assert tengen.solve(board_of(case), goal, time=None), case.title


def test_there_are_cases_of_every_kind() -> None:
    kinds = {(case.rule, case.goal, case.wins) for case in CASES}
    rules = ("freestyle", "standard", "renju", "caro", "caro6")
    assert kinds >= {(rule, "vcf", wins) for rule in rules for wins in (True, False)}
    assert {rule for rule, goal, _ in kinds if goal == "vct"} >= set(rules[:4])
