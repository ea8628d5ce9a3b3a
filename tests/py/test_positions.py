# SPDX-License-Identifier: MIT
"""The board diagrams of tests/positions, checked against the board and the Python reference.
tests/cpp checks the C++ parts.
"""

from __future__ import annotations

import pytest

from positions import Case, Expectation, read_folder
from tengen import Board, Colour, Rule, reference
from tengen.game.board import _REASONS

CASES = read_folder()


class Voice:
    """The results of one implementation for a case."""

    def __init__(self, case: Case) -> None:
        self.size = case.size
        self.colour = Colour.parse(case.to_move)
        self.board = Board.from_stones(
            black=case.black, white=case.white, to_move=case.to_move, size=case.size, rule=case.rule
        )

    def verdict(self, index: int) -> tuple[bool, bool, int, str | None, int]:
        """(five, open four, fours, forbidden, depth) for the side to move."""
        raise NotImplementedError

    def forbidden(self) -> set[int]:
        raise NotImplementedError

    def outcome(self) -> str:
        raise NotImplementedError


class BoardVoice(Voice):
    def verdict(self, index: int) -> tuple[bool, bool, int, str | None, int]:
        core = self.board._core
        five, _, open_four, fours, forbidden, depth = core.classify(index, int(self.colour))
        if self.colour is Colour.BLACK:
            assert core.forbidden(index) == forbidden
        return five, open_four, fours, _REASONS[forbidden], depth

    def forbidden(self) -> set[int]:
        return {move.to_index(self.size) for move in self.board.forbidden_points()}

    def outcome(self) -> str:
        outcome = self.board.outcome()
        return "none" if outcome is None else str(outcome.winner or "draw")


class ReferenceVoice(Voice):
    def __init__(self, case: Case) -> None:
        super().__init__(case)
        cells = [int(stone) for stone in self.board.to_array().ravel()]
        self.slow = reference.ReferenceBoard.from_cells(
            cells, case.size, case.rule, int(self.colour)
        )

    def verdict(self, index: int) -> tuple[bool, bool, int, str | None, int]:
        verdict = self.slow.verdict(index, int(self.colour))
        return verdict.five, verdict.open_four, verdict.fours, verdict.forbidden, verdict.depth

    def forbidden(self) -> set[int]:
        return set(self.slow.forbidden_points())

    def outcome(self) -> str:
        outcome = self.slow.outcome()
        names = {0: "draw", 1: "black", 2: "white"}
        return "none" if outcome is None else names[outcome.winner]


def holds(voice: Voice, expected: Expectation) -> bool:
    if expected.kind == "outcome":
        return voice.outcome() == expected.text
    if expected.kind == "forbidden_set":
        return voice.forbidden() == {y * voice.size + x for x, y in expected.points}
    assert expected.point is not None
    x, y = expected.point
    five, open_four, fours, forbidden, depth = voice.verdict(y * voice.size + x)
    return {
        "forbidden": forbidden == expected.text,
        "allowed": forbidden is None and not five,
        "five": five,
        "no five": not five,
        "four": fours > 0,
        "open_four": open_four,
        "no four": fours == 0,
        "no open_four": not open_four,
        "fours": fours == expected.number,
        "depth": depth == expected.number,
    }[expected.kind]


@pytest.mark.parametrize("voice", [BoardVoice, ReferenceVoice])
@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_board_diagram(case: Case, voice: type[Voice]) -> None:
    speaker = voice(case)
    for expectation in case.expectations:
        assert holds(speaker, expectation), (
            f"{case.file}:{case.line}: {expectation}\n{case.drawing()}"
        )


def test_there_are_enough_cases() -> None:
    assert sum(case.rule == Rule.RENJU for case in CASES) >= 60
    assert {case.rule for case in CASES} == set(Rule)
