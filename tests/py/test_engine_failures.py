# SPDX-License-Identifier: MIT
"""Loops over an analysis that fails, is stopped or closed, with a fake core."""

from __future__ import annotations

import pytest

from fake_core import FakeEvent, FakePlayer, fake_engines
from tengen import Board, Engine, EngineDied, Info, Limit


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[FakePlayer]:
    return fake_engines(monkeypatch)


def board() -> Board:
    result = Board()
    result.push("h8")
    return result


def test_a_loop_over_a_search_that_fails(cores: list[FakePlayer]) -> None:
    """Earlier infos come first; breaking out of the loop raises nothing."""
    reported = [FakeEvent(depth=1, pv=[3]), FakeEvent(depth=2, pv=[3])]
    with Engine() as engine:
        cores[0].script = reported
        result: list[Info] = []
        with engine.analyse(board()) as analysis:
            with pytest.raises(EngineDied, match="without a move"):
                result.extend(analysis)
            assert analysis.is_done
        assert [info.depth for info in result] == [1, 2]
        for _ in engine.analyse(board()):
            break
        with engine.analyse(board()) as analysis:
            assert next(analysis).depth == 1
        engine.configure(level=3)
        with pytest.raises(EngineDied, match="without a move"):
            list(engine.search(board(), Limit()))
        assert not engine.is_busy


def test_a_loop_over_a_search_that_is_stopped(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        analysis = engine.analyse(board())
        analysis.stop()
        list(analysis)
        analysis = engine.analyse(board())
        engine.close()
        assert list(analysis) == []
