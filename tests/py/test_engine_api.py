# SPDX-License-Identifier: MIT
"""`Engine` with a fake core: requests to the core, conversion of its events, and errors. The real
core has its own tests.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fake_core import FakeEvent, FakePlayer, fake_engines
from tengen import (
    BadOption,
    BadTables,
    Board,
    Engine,
    EngineBusy,
    EngineClosed,
    EngineDied,
    GameOver,
    IllegalMove,
    Limit,
    Move,
    PlayResult,
    Score,
    TengenError,
)
from tengen.engine import native


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[FakePlayer]:
    return fake_engines(monkeypatch)


def board(moves: str = "h8 i9", **options: Any) -> Board:
    result = Board(**options)
    for move in moves.split():
        result.push(move)
    return result


def over() -> Board:
    return board("h8 a1 h9 a3 h10 a5 h11 a7 h12")


def test_play(cores: list[FakePlayer]) -> None:
    with Engine(threads=2, memory=16) as engine:
        given = board()
        played = engine.play(given, Limit(depth=4))
        assert played.move == Move("a1")
        assert played.ponder == Move("b1")
        assert given == board(), "the board is not touched"
        info = played.info
        assert info is not None
        assert info.score.black() == Score(94)
        assert (info.depth, info.seldepth, info.multipv, info.bound) == (4, 6, 1, "exact")
        assert (info.nodes, info.vcf_nodes, info.evaluations) == (4000, 2000, 1000)
        assert info.visits == 800
        assert (info.time, info.nps, info.hashfull) == (0.04, 100_000, 0.25)
        assert info.pv == tuple(map(Move, ("a1", "b1", "c1", "d1")))
    (core,) = cores
    assert (core.options["threads"], core.options["memory"]) == ("2", "16")
    assert core.started[0]["depth"] == 4


def test_the_classical_paper_preset_has_its_default_depth() -> None:
    with Engine("classical-paper", branching=2) as engine:
        depths = []
        for limit in (Limit(), Limit(depth=2)):
            info = engine.play(board(), limit).info
            assert info is not None
            depths.append(info.depth)
    assert depths == [6, 2]


def test_analyse_yields_infos_during_the_search(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        analysis = engine.analyse(board(), Limit(nodes=2000), multipv=3)
        reported = [(info.depth, info.multipv, info.pv[0].name) for info in analysis]
        assert reported == [(d, n, p) for d in (1, 2) for n, p in ((1, "a1"), (2, "b1"), (3, "c1"))]
        assert analysis.is_done
        assert analysis.played.move == Move("a1")
        assert analysis.wait() == analysis.played
        assert list(analysis) == []
        with pytest.raises(StopIteration):
            next(analysis)
        assert not engine.is_busy
        assert cores[0].stops == 0


def test_only_these_moves(cores: list[FakePlayer]) -> None:
    with Engine(multipv=2) as engine:
        analysis = engine.analyse(board(), Limit(depth=1), moves=["c3", Move("d4")])
        assert [info.pv[0].name for info in analysis] == ["c3", "d4"]
        with pytest.raises(IllegalMove, match="h8 is occupied"):
            engine.analyse(board(), moves=["h8"])
        with pytest.raises(BadOption, match="no moves to consider"):
            engine.analyse(board(), moves=[])
        with pytest.raises(IllegalMove, match="a pass is one of the moves"):
            engine.analyse(board(), moves=["c3", "pass"])
        engine.analyse(board(), Limit(depth=1), moves=["c3", "C3"]).close()
        assert cores[0].started[-1]["moves"] == [Move("c3").to_index(15)]


def leave_by_break(engine: Engine) -> None:
    for _ in engine.analyse(board()):
        break


def leave_by_with(engine: Engine) -> None:
    with engine.analyse(board()) as analysis:
        next(analysis)
    assert analysis.played.move == Move("a1")


def leave_by_forgetting(engine: Engine) -> None:
    engine.analyse(board())
    gc.collect()


def leave_by_error(engine: Engine) -> None:
    def body() -> None:
        for _ in engine.analyse(board()):
            raise KeyError

    with pytest.raises(KeyError):
        body()


def leave_by_stop(engine: Engine) -> None:
    analysis = engine.analyse(board())
    for info in analysis:
        if info.depth == 5:
            analysis.stop()
    assert analysis.played.info is not None
    assert analysis.played.info.depth == 5


@pytest.mark.parametrize(
    "leave", [leave_by_break, leave_by_with, leave_by_forgetting, leave_by_error, leave_by_stop]
)
def test_leaving_an_endless_analysis_ends_it(
    cores: list[FakePlayer], leave: Callable[[Engine], None]
) -> None:
    with Engine() as engine:
        leave(engine)
        assert not engine.is_busy
        assert not cores[0].is_searching
        engine.play(board(), Limit(depth=1))


def test_an_abandoned_analysis_has_a_result(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        analysis = engine.analyse(board())
        for info in analysis:
            if info.depth == 3:
                break
        assert analysis.is_done
        assert analysis.played.info is not None


def test_one_search_at_a_time(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        analysis = engine.analyse(board())
        for attempt in (
            lambda: engine.play(board(), Limit(depth=1)),
            lambda: engine.analyse(board()),
            lambda: engine.ponder(board()),
            engine.new_game,
            lambda: engine.configure(threads=2),
        ):
            with pytest.raises(EngineBusy, match="the engine is searching"):
                attempt()
        with pytest.raises(EngineBusy, match="still runs"):
            _ = analysis.played
        analysis.close()
        engine.configure(threads=2)
        assert cores[0].options["threads"] == "2"


def test_stop_from_another_thread(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        engine.stop()  # nothing runs: nothing happens
        result = []
        thread = threading.Thread(target=lambda: result.append(engine.play(board(), Limit())))
        thread.start()
        while not (cores[0].is_searching and engine.is_busy):
            pass
        engine.stop()
        thread.join()
        assert result[0].move == Move("a1")


def test_an_interrupt_ends_the_search(
    cores: list[FakePlayer], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine() as engine:
        real = cores[0].next_event
        calls = iter([KeyboardInterrupt])

        def interrupted(timeout: float) -> FakeEvent | None:
            for error in calls:
                raise error
            return real(timeout)

        monkeypatch.setattr(cores[0], "next_event", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.play(board(), Limit())
        assert not engine.is_busy


def test_close(cores: list[FakePlayer]) -> None:
    engine = Engine()
    analysis = engine.analyse(board())
    engine.close()
    engine.close()
    assert analysis.played.move == Move("a1")
    engine.stop()
    assert "closed" in repr(engine)
    for attempt in (
        lambda: engine.play(board(), Limit(depth=1)),
        lambda: engine.analyse(board()),
        lambda: engine.ponder(board()),
        engine.new_game,
        lambda: engine.configure(seed=1),
    ):
        with pytest.raises(EngineClosed, match="this engine is closed"):
            attempt()


def test_wrong_boards_and_limits(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        for attempt in (
            lambda: engine.play(over(), Limit(depth=1)),
            lambda: engine.analyse(over()),
            lambda: engine.ponder(over()),
        ):
            with pytest.raises(GameOver, match=r"the game is over, black wins \(five\)"):
                attempt()
        with pytest.raises(TypeError, match=r"Board.*str"):
            engine.play("h8", Limit())  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"Limit.*float"):
            engine.play(board(), 1.0)  # type: ignore[arg-type]
        with pytest.raises(BadOption, match="no multipv of 0"):
            engine.analyse(board(), multipv=0)
        assert not engine.is_busy


def test_options(cores: list[FakePlayer]) -> None:
    with Engine("classical-paper", seed=7, null_move=False) as engine:
        assert engine.options["preset"] == "classical-paper"
        assert engine.options["memory"] == 128
        with pytest.raises(TypeError):
            engine.options["seed"] = 8  # type: ignore[index]
        core = cores[0]
        wanted = {"preset": "classical-paper", "seed": "7", "null_move": "false", "memory": "128"}
        assert wanted.items() <= core.options.items()
        engine.configure(branching=20, **{"late-move-reductions": False})
        assert core.options["branching"] == "20"
        assert core.options["late_move_reductions"] == "false"
        with pytest.raises(BadOption, match="no option 'sede': did you mean seed"):
            engine.configure(branching=5, sede=1)
        assert (engine.options["branching"], core.options["branching"]) == (20, "20")
        engine.new_game()
        assert core.games == 1
        assert engine.name.startswith("Tengen ")
        assert "classical-paper" in repr(engine)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "deep"}, "no preset of 'deep'"),
        ({"threads": 0}, "no threads of 0"),
        ({"memory": "lots"}, "no memory of 'lots'"),
        ({"memory": 1 << 21}, "no memory of 2097152"),
        ({"colour": "black"}, "no option 'colour'"),
    ],
)
def test_invalid_engine_options(
    cores: list[FakePlayer], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadOption) as caught:
        Engine(**options)
    assert message in str(caught.value)


def test_not_enough_memory(cores: list[FakePlayer]) -> None:
    with Engine(memory=77) as engine:
        with pytest.raises(BadOption, match="77 MiB"):
            engine.play(board(), Limit(depth=1))
        assert not engine.is_busy


def test_broken_and_missing_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "DATA", tmp_path)
    file = tmp_path / "classical-caro.tables"
    file.write_bytes(b"garbage")
    with Engine("classical") as engine:
        with pytest.raises(BadTables, match=r"classical-caro\.tables: "):
            engine.play(board(rule="caro"), Limit(depth=1))
        file.unlink()
        with pytest.raises(BadTables, match=r"cannot play caro: .*No such file"):
            engine.play(board(rule="caro"), Limit(depth=1))
        assert not engine.is_busy
    with Engine("random") as engine:
        assert engine.play(board(), Limit()).move, "it needs none"


def test_a_search_that_fails(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        cores[0].script = [FakeEvent(depth=1, pv=[3])]
        with pytest.raises(EngineDied, match="without a move"):
            engine.play(board(), Limit())
        cores[0].fault = "out of luck"
        with pytest.raises(EngineDied, match="out of luck"):
            engine.play(board(), Limit())
        analysis = engine.analyse(board())
        for _ in range(2):
            with pytest.raises(EngineDied, match="out of luck"):
                next(analysis)
        assert analysis.is_done
        assert issubclass(EngineDied, TengenError)
        assert not engine.is_busy


def test_the_result_has_its_own_info(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        cores[0].script = [
            FakeEvent(depth=2, value=20, pv=[3, 4]),
            FakeEvent(depth=3, value=-90, pv=[3, 5], bound=2),
            FakeEvent(depth=3, value=30, pv=[9], bound=1),
            FakeEvent(is_result=True, depth=2, value=20, pv=[3, 4], move=3),
        ]
        analysis = engine.analyse(board())
        assert [info.bound for info in analysis] == ["exact", "upper", "lower"]
        assert analysis.played.info is not None
        assert analysis.played.info.depth == 2
        assert analysis.played.ponder is None
        won = FakeEvent(is_result=True, depth=5, value=29_995, mate=5, proven=True, pv=[9])
        cores[0].script = [replace(won, move=9, ponder=-1)]
        played = engine.play(board(), Limit())
        assert played.info is not None
        assert played.info.score.black() == Score(29_995, mate=5, proven=True)
        assert played.ponder == Move.PASS
        cores[0].script = [FakeEvent(is_result=True, move=-1)]
        assert engine.play(board(), Limit()) == PlayResult(Move.PASS)


def test_engines_share_nothing(cores: list[FakePlayer]) -> None:
    with Engine() as one, Engine(seed=3) as two:
        first, second = one.analyse(board()), two.analyse(board("h8"))
        assert next(first).score.turn != next(second).score.turn
        one.stop()
        assert first.wait()
        assert not second.is_done
        second.close()
    assert cores[0].options["seed"] == "0"


def test_old_names_still_work(cores: list[FakePlayer]) -> None:
    from tengen import engine as package
    from tengen.engine import bench, review, review_record

    for module, old, new in (
        (package, "Played", package.PlayResult),
        (package, "Progress", package.SearchProgress),
        (bench, "Measured", bench.BenchResult),
        (review, "Verdict", review.MoveVerdict),
        (review_record, "annotated", review.annotate_record),
    ):
        with pytest.warns(DeprecationWarning, match=old):
            assert getattr(module, old) is new
    with Engine() as engine:
        assert engine.analyze(board(), Limit(depth=1)).wait().move == Move("a1")
        with pytest.warns(DeprecationWarning, match="search"):
            search = engine.thinking  # type: ignore[attr-defined]
        assert search(board(), Limit(depth=1)).wait().move == Move("a1")
