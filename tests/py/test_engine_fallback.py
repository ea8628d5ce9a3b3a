# SPDX-License-Identifier: MIT
"""A default net that cannot be loaded: classical plays, with the reason, and the next game retries
the net. A named net that cannot be loaded is an error.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tengen import Board, Engine, Limit, _core
from tengen.engine import evaluator, native_net
from tengen.engine.errors import BadNet, BadTables
from tengen.engine.info import PlayResult
from tengen.engine.options import defaults
from tengen.engine.tables import lazy_tables_path

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"
QUICK = Limit(time=0.1)
NO_MEMORY = (
    "classical (own cannot be loaded: there is no memory for its codebooks: use a smaller net, or "
    "`classical`)"
)


class Tries:
    """Counts the loads of a net and sets their result."""

    def __init__(self) -> None:
        self.count = 0
        self.fault: Exception | None = MemoryError("std::bad_alloc")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundled net for all boards, not loaded yet."""
    path = Path(shutil.copy(LIVELY, tmp_path / "own.net"))
    monkeypatch.setattr(evaluator, "bundled_nets", lambda *where: (path, path))
    return path


@pytest.fixture
def tries(own: Path, monkeypatch: pytest.MonkeyPatch) -> Tries:
    """Loading in the core, which fails as long as there is a fault."""
    result, real = Tries(), _core.NetLoading

    class Poor:
        progress = 1.0
        from_cache, file, note = True, b"", ""

        def __init__(self, *given: object) -> None:
            result.count += 1
            self._real = None if result.fault else real(*given)  # type: ignore[arg-type]

        @property
        def is_done(self) -> bool:
            return self._real is None or self._real.is_done

        def stop(self) -> None: ...

        def net(self) -> _core.Net:
            if self._real is None:
                assert result.fault is not None
                raise result.fault
            return self._real.net()

    monkeypatch.setattr(_core, "NetLoading", Poor)
    return result


def started() -> Board:
    board = Board()
    board.push("h8")
    return board


def evaluator_of(played: PlayResult) -> str:
    assert played.info is not None
    return str(played.info.evaluation)


def test_classical_plays_with_a_reason(tries: Tries) -> None:
    with Engine(memory=8) as engine:
        assert engine.evaluation(started()).name == "mixnet"
        result = [engine.play(started(), QUICK) for _ in range(3)]
        assert {evaluator_of(played) for played in result} == {NO_MEMORY}
        assert tries.count == 1, "it is not tried again with each move"
        assert not any(played.info.visits for played in result if played.info), "alpha-beta"
        assert str(engine.evaluation(started())) == NO_MEMORY
        assert [str(info.evaluation) for info in engine.analyse(started(), Limit(depth=1))] == [
            NO_MEMORY
        ]
        assert engine.policy(started())
        assert tries.count == 1


def test_the_next_game_retries_the_net(tries: Tries) -> None:
    with Engine(memory=8) as engine:
        engine.play(started(), QUICK)
        engine.new_game()
        assert evaluator_of(engine.play(started(), QUICK)) == NO_MEMORY
        assert tries.count == 2
        tries.fault = None
        assert evaluator_of(engine.play(started(), QUICK)) == NO_MEMORY
        engine.new_game()
        engine.prepare(started(), seconds=None)
        played = engine.play(started(), QUICK)
        assert evaluator_of(played) == "mixnet (net own)"
        assert played.info is not None
        assert played.info.visits, "with the search that is meant for nets"
        assert tries.count == 3


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (ValueError("its codebooks have another checksum"), "its codebooks have another checksum"),
        (RuntimeError("no more threads"), "no more threads"),
    ],
)
def test_other_faults(tries: Tries, fault: Exception, message: str) -> None:
    tries.fault = fault
    with Engine(memory=8) as engine:
        result = evaluator_of(engine.play(started(), QUICK))
    assert result == f"classical (own cannot be loaded: {message})"


def test_damaged_lazy_tables(own: Path) -> None:
    lazy_tables_path(own).write_bytes(b"rubbish")
    with Engine(memory=8) as engine:
        engine.prepare(started(), seconds=None)
        result = evaluator_of(engine.play(started(), QUICK))
        assert result.startswith(f"classical (own cannot be loaded: {lazy_tables_path(own)}: ")
    with Engine(memory=8, net=str(own)) as engine, pytest.raises(BadTables):
        engine.play(started(), Limit(depth=1))


def test_a_named_net_that_fails_is_an_error(tries: Tries, own: Path) -> None:
    with Engine(memory=8, net=str(own)) as engine:
        for _ in range(2):
            with pytest.raises(BadNet, match="no memory for its codebooks"):
                engine.play(started(), QUICK)
        assert tries.count == 2
        engine.configure(net="")
        assert evaluator_of(engine.play(started(), QUICK)) == NO_MEMORY


# --- how long a move waits ---


class Load:
    """A net that is never ready."""

    is_ready = False

    def __init__(self, progress: float) -> None:
        self.progress = progress

    def wait(self, seconds: float | None = None) -> None:
        assert seconds is not None
        Clock.now += seconds


class Clock:
    now = 0.0


@pytest.mark.parametrize(
    ("progress", "waited"), [((0.0, 0.0), 2.0), ((0.0, 0.1), 1.0), ((1.0, 1.0), 1.0)]
)
def test_the_wait_is_longer_for_reading_than_for_baking(
    own: Path, progress: tuple[float, float], waited: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = [Load(part) for part in progress]
    monkeypatch.setattr(native_net, "load_net", lambda path: loads.pop())
    monkeypatch.setattr(evaluator, "monotonic", lambda: Clock.now)
    wanted = evaluator.PendingEvaluator(evaluator.choose_evaluator(defaults(), started().rule, 15))
    for time in (3.0, 0.3):
        start = Clock.now
        wanted.wait_for_move(time, lambda: False)
        assert Clock.now - start == pytest.approx(waited * time / 3)
    start = Clock.now
    wanted.wait_for_move(3.0, lambda: Clock.now > start + 0.5)
    assert 0.5 <= Clock.now - start < 0.6


def test_a_net_whose_baking_starts_during_the_wait(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Load(0.0)
    monkeypatch.setattr(native_net, "load_net", lambda path: load)
    monkeypatch.setattr(evaluator, "monotonic", lambda: Clock.now)
    wanted = evaluator.PendingEvaluator(evaluator.choose_evaluator(defaults(), started().rule, 15))
    start = Clock.now

    def look() -> bool:
        load.progress = 0.2 if Clock.now > start + 1.5 else 0.0
        return False

    wanted.wait_for_move(3.0, look)
    assert Clock.now - start == pytest.approx(1.5, abs=0.05)
