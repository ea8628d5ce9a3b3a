# SPDX-License-Identifier: MIT
"""The drawn cases of tests/positions, judged by the board and by the Python reference. (By the C++ parts: tests/cpp.)"""

from __future__ import annotations

from pathlib import Path

import pytest
from positions import Case, read_cases

from tengen import Board, Colour, Move, Rule, reference
from tengen.game.board import _REASONS

FOLDER = Path(__file__).parents[1] / "positions"
CASES = [case for path in sorted(FOLDER.glob("*.txt")) for case in read_cases(path)]


class Voice:
    """What one implementation says about a case."""

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
        five, _, open_four, fours, forbidden, depth = core.judge(index, int(self.colour))
        if self.colour is Colour.BLACK:
            assert core.forbidden(index) == forbidden
        return five, open_four, fours, _REASONS[forbidden], depth

    def forbidden(self) -> set[int]:
        return {move.index(self.size) for move in self.board.forbidden_points()}

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


def holds(voice: Voice, expectation: str) -> bool:
    subject, *words = expectation.split()
    if subject == "outcome:":
        return voice.outcome() == words[0]
    if subject == "forbidden:":
        named = [] if words == ["none"] else words
        return voice.forbidden() == {Move.parse(n, voice.size).index(voice.size) for n in named}
    five, open_four, fours, forbidden, depth = voice.verdict(
        Move.parse(subject, voice.size).index(voice.size)
    )
    match words:
        case ["forbidden", reason]:
            return forbidden == reason
        case ["allowed"]:
            return forbidden is None and not five
        case ["five"]:
            return five
        case ["no", "five"]:
            return not five
        case ["four"]:
            return fours > 0
        case ["open_four"]:
            return open_four
        case ["no", "four"]:
            return fours == 0
        case ["no", "open_four"]:
            return not open_four
        case ["fours", number]:
            return fours == int(number)
        case ["depth", number]:
            return depth == int(number)
    raise AssertionError(f"unknown expectation {expectation!r}")


@pytest.mark.parametrize("voice", [BoardVoice, ReferenceVoice])
@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_drawn_case(case: Case, voice: type[Voice]) -> None:
    speaker = voice(case)
    for expectation in case.expectations:
        assert holds(speaker, expectation), f"{case.file}:{case.line}: {expectation}"


def test_there_are_enough_cases() -> None:
    assert sum(case.rule == Rule.RENJU for case in CASES) >= 60
    assert {case.rule for case in CASES} == set(Rule)
    assert len({case.title for case in CASES}) == len(CASES)
