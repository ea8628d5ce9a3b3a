# SPDX-License-Identifier: MIT
"""Finished games as JSON lines: round trips, and BadRun for any invalid line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_fakes import game_of
from invalid_values import GARBAGE
from tengen.arena.definition import ScheduledGame
from tengen.arena.errors import BadRun
from tengen.arena.game import FAULTS, REASONS, MatchGame, MoveReport
from tengen.game.rule import Colour

FIXTURE = ScheduledGame(5, 2, 1, 0, 3)
_whole = st.integers(-(2**31), 2**31)
_told = st.builds(
    MoveReport,
    st.integers(0, 10**7).map(lambda ms: ms / 1000),
    st.none() | _whole,
    st.none() | _whole,
    st.integers(0, 500),
    st.integers(0, 2**63),
)


@given(
    st.sampled_from([None, *Colour]),
    st.sampled_from(list(REASONS)),
    st.text(),
    st.lists(_told, max_size=4),
    st.lists(st.sampled_from(["a1", "h8", "pass", "v22"]), max_size=5),
)
def test_round_trip(
    winner: Colour | None, reason: str, words: str, reports: list[MoveReport], moves: list[str]
) -> None:
    values = {"reason": reason, "detail": words, "reports": tuple(reports), "moves": tuple(moves)}
    game = game_of(FIXTURE, winner, **values)
    line = game.to_json()
    assert "\n" not in line
    assert line.isascii()
    assert MatchGame.from_json(line) == game
    assert MatchGame.from_json(line.encode()) == game


def test_times_are_rounded() -> None:
    game = game_of(FIXTURE, reports=(MoveReport(0.123456789),), seconds=1.23456789)
    again = MatchGame.from_json(game.to_json())
    assert again.reports[0].seconds == pytest.approx(0.12346)
    assert again.seconds == pytest.approx(1.2346)


def test_points() -> None:
    for winner, black in ((Colour.BLACK, 1.0), (None, 0.5), (Colour.WHITE, 0.0)):
        game = game_of(FIXTURE, winner)
        assert game.score == game.points(1) == black
        assert game.points(0) == 1 - black
    assert game_of(FIXTURE, Colour.WHITE).loser == 1
    assert game_of(FIXTURE, Colour.BLACK).loser == 0
    assert game_of(FIXTURE, Colour.BLACK).at_fault is None
    for reason in FAULTS:
        assert game_of(FIXTURE, Colour.BLACK, reason=reason).at_fault == 0


def test_results_have_no_times() -> None:
    game = game_of(FIXTURE, Colour.BLACK)
    other = game_of(FIXTURE, Colour.BLACK, reports=(), seconds=9.0, detail="slow")
    assert game.result() == other.result()
    assert json.loads(game.to_json()).items() >= game.result().items()


def test_reasons_of_version_0_1_0() -> None:
    game = game_of(FIXTURE, Colour.BLACK, reason="no_response")
    old = game.to_json().replace('"no_response"', '"silence"')
    assert old != game.to_json()
    assert MatchGame.from_json(old) == game


def changed(**values: Any) -> str:
    """The line of a game with some values replaced."""
    return json.dumps(json.loads(game_of(FIXTURE).to_json()) | values)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"5",
        b"null",
        b"\xff\xfe",
        b'{"game": 1',
        b"[" * 100_000,
        game_of(FIXTURE).to_json()[:-1],
        changed(reason="sleep"),
        changed(reason=None),
        changed(winner="green"),
        changed(winner=[1]),
        changed(winner=3),
        changed(game=None),
        changed(game="x"),
        changed(game=float("inf")),
        changed(pair=float("nan")),
        changed(black=[1]),
        changed(spent="long"),
        changed(spent=10**400),
        changed(told=5),
        changed(told=[5]),
        changed(told=[[1, 2]]),
        changed(told=[[None, 1, 2, 3, 4]]),
        changed(told=[[10**400, 1, 2, 3, 4]]),
        changed(told=[[1, "high", None, 3, 4]]),
        changed(told=[[1, None, [], 3, 4]]),
        changed(told=[[1, None, None, "x", None]]),
    ],
)
def test_invalid_lines(line: str | bytes) -> None:
    with pytest.raises(BadRun, match="not a game"):
        MatchGame.from_json(line)


@pytest.mark.integration
@settings(max_examples=300)
@given(
    st.dictionaries(
        st.sampled_from(list(json.loads(game_of(FIXTURE).to_json()))),
        GARBAGE | st.lists(st.lists(GARBAGE, min_size=5, max_size=5), max_size=2),
        max_size=3,
    )
)
def test_arbitrary_lines(values: dict[str, Any]) -> None:
    try:
        game = MatchGame.from_json(changed(**values))
    except BadRun:
        return
    assert MatchGame.from_json(game.to_json()).result() == game.result()  # times are rounded


@settings(max_examples=300)
@given(st.binary(max_size=60))
def test_arbitrary_bytes(line: bytes) -> None:
    with pytest.raises(BadRun):
        MatchGame.from_json(line)
