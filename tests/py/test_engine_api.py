# SPDX-License-Identifier: MIT
"""`Engine` with a fake core: requests to the core, conversion of its events, and errors. The real
core has its own tests.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fake_core import FakeCore, FakeEvent, fake_engines
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
    Rule,
    Score,
    TengenError,
)
from tengen.engine import PRESETS, tables


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[FakeCore]:
    return fake_engines(monkeypatch)


def board(moves: str = "h8 i9", **options: Any) -> Board:
    result = Board(**options)
    for move in moves.split():
        result.push(move)
    return result


def over() -> Board:
    return board("h8 a1 h9 a3 h10 a5 h11 a7 h12")


def test_play(cores: list[FakeCore]) -> None:
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
    assert (core.threads, core.memory) == (2, 16 << 20)
    assert core.started[0]["depth"] == 4
    assert core.loaded == [0]


def test_the_tables_of_a_rule_are_loaded_once_and_only_if_needed(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        for rule in ("renju", "caro", "renju"):
            engine.play(board(rule=rule), Limit(depth=1))
        assert cores[0].loaded == [list(Rule).index(Rule.RENJU), list(Rule).index(Rule.CARO)]
    with Engine("random") as engine:
        engine.play(board(), Limit(depth=1))
    assert cores[1].loaded == []


def test_the_classical_paper_preset_has_its_default_depth(cores: list[FakeCore]) -> None:
    with Engine("classical-paper") as engine:
        engine.play(board(), Limit(time=1))
        engine.play(board(), Limit(depth=2))
        engine.configure(preset="classical")
        engine.play(board(), Limit(time=1))
    assert [started["depth"] for started in cores[0].started] == [6, 2, 0]


def test_analyse_yields_infos_during_the_search(cores: list[FakeCore]) -> None:
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


def test_only_these_moves(cores: list[FakeCore]) -> None:
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
    cores: list[FakeCore], leave: Callable[[Engine], None]
) -> None:
    with Engine() as engine:
        leave(engine)
        assert not engine.is_busy
        assert not cores[0].is_running()
        engine.play(board(), Limit(depth=1))


def test_an_abandoned_analysis_has_a_result(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        analysis = engine.analyse(board())
        for info in analysis:
            if info.depth == 3:
                break
        assert analysis.is_done
        assert analysis.played.info is not None


def test_one_search_at_a_time(cores: list[FakeCore]) -> None:
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
        assert cores[0].options["threads"] == 2


def test_stop_from_another_thread(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        engine.stop()  # nothing runs: nothing happens
        result = []
        thread = threading.Thread(target=lambda: result.append(engine.play(board(), Limit())))
        thread.start()
        while not (cores[0].is_running() and engine.is_busy):
            pass
        engine.stop()
        thread.join()
        assert result[0].move == Move("a1")


def test_an_interrupt_ends_the_search(
    cores: list[FakeCore], monkeypatch: pytest.MonkeyPatch
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


def test_close(cores: list[FakeCore]) -> None:
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


def test_wrong_boards_and_limits(cores: list[FakeCore]) -> None:
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


def test_options(cores: list[FakeCore]) -> None:
    with Engine("classical-paper", seed=7, null_move=False) as engine:
        assert engine.options["preset"] == "classical-paper"
        assert engine.options["memory"] == 128
        with pytest.raises(TypeError):
            engine.options["seed"] = 8  # type: ignore[index]
        core = cores[0]
        assert (core.options["preset"], core.options["seed"], core.options["null_move"]) == (
            PRESETS.index("classical-paper"),
            7,
            0,
        )
        assert core.options["memory"] == 128 << 20
        assert not {"ponder", "multipv"} & set(core.options)
        engine.configure(branching=20, **{"late-move-reductions": False})
        assert (core.options["branching"], core.options["late_move_reductions"]) == (20, 0)
        with pytest.raises(BadOption, match="no option 'sede': did you mean seed"):
            engine.configure(branching=5, sede=1)
        with pytest.raises(BadOption, match="13 moves bring bad luck"):
            engine.configure(seed=9, branching=13)
        assert (engine.options["seed"], core.options["seed"]) == (7, 7)
        assert (engine.options["branching"], core.options["branching"]) == (20, 20)
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
        ({"memory": 1 << 20}, "1,048,576 MiB"),
        ({"colour": "black"}, "no option 'colour'"),
    ],
)
def test_invalid_engine_options(
    cores: list[FakeCore], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadOption) as caught:
        Engine(**options)
    assert message in str(caught.value)


def test_not_enough_memory(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        with pytest.raises(BadOption, match="MiB"):
            engine.configure(memory=1 << 20)
        assert engine.options["memory"] == 128
        assert cores[0].options["memory"] == 128 << 20
        engine.configure(memory=77)
        with pytest.raises(BadOption, match="77 MiB"):
            engine.play(board(), Limit(depth=1))
        assert not engine.is_busy


def test_broken_tables(cores: list[FakeCore], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "read_classical_tables", lambda rule: b"garbage")
    with Engine() as engine:
        with pytest.raises(BadTables, match=r"classical-caro\.tables: no tables: they begin"):
            engine.play(board(rule="caro"), Limit(depth=1))
        assert not engine.is_busy


def test_missing_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "classical_tables_name", lambda rule: f"no-{rule}.tables")
    with pytest.raises(BadTables, match=r"cannot play renju: no-renju\.tables"):
        tables.read_classical_tables(Rule.RENJU)


def test_a_search_that_fails(cores: list[FakeCore]) -> None:
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


def test_the_result_has_its_own_info(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        cores[0].script = [
            FakeEvent(depth=2, value=20, pv=[3, 4]),
            FakeEvent(depth=3, value=-90, pv=[3, 5], bound=2),
            FakeEvent(depth=3, value=30, pv=[9], bound=1),
            FakeEvent(kind=1, depth=2, value=20, pv=[3, 4], move=3),
        ]
        analysis = engine.analyse(board())
        assert [info.bound for info in analysis] == ["exact", "upper", "lower"]
        assert analysis.played.info is not None
        assert analysis.played.info.depth == 2
        assert analysis.played.ponder is None
        won = FakeEvent(kind=1, depth=5, value=29_995, mate=5, proven=True, pv=[9])
        cores[0].script = [replace(won, move=9, ponder=-1)]
        played = engine.play(board(), Limit())
        assert played.info is not None
        assert played.info.score.black() == Score(29_995, mate=5, proven=True)
        assert played.ponder == Move.PASS
        cores[0].script = [FakeEvent(kind=1, move=-1)]
        assert engine.play(board(), Limit()) == PlayResult(Move.PASS)


def test_engines_share_nothing(cores: list[FakeCore]) -> None:
    with Engine() as one, Engine(seed=3) as two:
        first, second = one.analyse(board()), two.analyse(board("h8"))
        assert next(first).score.turn != next(second).score.turn
        one.stop()
        assert first.wait()
        assert not second.is_done
        second.close()
    assert cores[0].options["seed"] == 0


def test_old_names_still_work(cores: list[FakeCore]) -> None:
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
