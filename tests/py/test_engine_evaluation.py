# SPDX-License-Identifier: MIT
"""Choice of the evaluation by options and board, its reports, and searches that start before their
net is loaded.
"""

from __future__ import annotations

import errno
import json
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tengen import Board, Engine, Limit, _core
from tengen.engine import (
    DEFAULT_PRESET,
    PRESETS,
    EngineClosed,
    Evaluation,
    native_net,
    net_file,
    nets,
)
from tengen.engine.errors import BadNet
from tengen.engine.evaluator import EvaluatorChoice, choose_evaluator
from tengen.engine.native_net import read_net
from tengen.engine.options import Value, defaults
from tengen.game.rule import Rule

NETS = Path(__file__).parents[1] / "golden" / "mixnet"
LIVELY = NETS / "lively.net"
CODEBOOKS = 397_488 * 2 * 2 * 32  # bytes, of the nets of the tests


def chosen(
    folder: Path, rule: Rule = Rule.FREESTYLE, size: int = 15, **options: Value
) -> EvaluatorChoice:
    return choose_evaluator(defaults() | {"preset": "alphabeta"} | options, rule, size, folder)


@pytest.fixture
def bundled(tmp_path: Path) -> Callable[..., Path]:
    """A folder of nets with a registry."""

    def make(*lines: dict[str, object], names: tuple[str, ...] = ()) -> Path:
        for name in names:
            shutil.copy(LIVELY, tmp_path / f"{name}.net")
        registry = {"format": 1, "nets": lines}
        (tmp_path / "registry.json").write_text(json.dumps(registry))
        return tmp_path

    return make


FREESTYLE = {"rule": "freestyle", "from": 5, "to": 22}


def test_the_net_of_the_registry_plays(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    result = chosen(folder)
    assert result.evaluation == Evaluation("mixnet", "net one", CODEBOOKS)
    assert result.paths == (folder / "one.net", folder / "one.net")
    assert str(result.evaluation) == "mixnet (net one)"
    assert chosen(folder, net="classical").kind == "classical"
    assert chosen(folder, net=str(LIVELY)).evaluation.about == "net lively"
    assert result.is_default
    assert chosen(folder, net="one") == replace(result, is_default=False)


def test_without_a_net_classical_plays_with_a_reason(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    text = "classical (no bundled net for renju 15x15)"
    assert str(chosen(folder, Rule.RENJU).evaluation) == text
    for net in ("one", str(LIVELY)):
        with pytest.raises(BadNet, match="this net is not for renju 15x15: it is for freestyle"):
            chosen(folder, Rule.RENJU, net=net)
    for net in ("two", "no/such/file.net", "nothing.onnx"):
        with pytest.raises(BadNet, match=r"there is no file .* the bundled nets are one"):
            chosen(folder, net=net)
    with pytest.raises(BadNet, match="cannot be read"):
        chosen(folder, net=str(folder.parent))


def test_unreadable_files(bundled: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    with pytest.raises(BadNet, match=r"cannot be read \(File name too long\)"):
        chosen(folder, net="x" * 5000)

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(nets, "read_header", refuse)
    with pytest.raises(BadNet, match=r"one.net: cannot be read \(Permission denied\)"):
        chosen(folder)


def test_a_folder_of_nets(bundled: Callable[..., Path], tmp_path: Path) -> None:
    """A folder as a net: the engine uses its registry."""
    folder = bundled(FREESTYLE | {"black": "b", "white": "w"}, names=("b", "w"))
    result = chosen(tmp_path, net=str(folder))
    assert [path.stem for path in result.paths] == ["b", "w"]
    with pytest.raises(BadNet, match="its registry has no net for renju on 15x15"):
        chosen(tmp_path, Rule.RENJU, net=str(folder))


def test_one_net_per_colour(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"black": "b", "white": "w"}, names=("b", "w"))
    result = chosen(folder)
    assert str(result.evaluation) == "mixnet (nets b for black, w for white)"
    assert result.evaluation.bytes == 2 * CODEBOOKS
    assert [path.stem for path in result.paths] == ["b", "w"]


def test_too_little_memory_for_a_net(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"black": "b", "white": "w"}, names=("b", "w"))
    assert chosen(folder, net_memory=98).evaluation.name == "mixnet"
    smaller = chosen(folder, net_memory=60)
    text = "net b; b and w: 98 MiB of memory needed, 60 allowed"
    assert smaller.evaluation == Evaluation("mixnet", text, CODEBOOKS)
    assert [path.stem for path in smaller.paths] == ["b", "b"]
    none = chosen(folder, net_memory=48)
    assert none.evaluation == Evaluation(
        "classical", "b and w: 98 MiB of memory needed, 48 allowed"
    )


def test_files_are_read_again_when_they_change(
    monkeypatch: pytest.MonkeyPatch, bundled: Callable[..., Path]
) -> None:
    """Reading them takes milliseconds: a move of a few of them has no time for it."""
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    read: list[str] = []

    def count(module: ModuleType, name: str) -> None:
        work = getattr(module, name)

        def counted(*given: Any) -> Any:
            read.append(name)
            return work(*given)

        monkeypatch.setattr(module, name, counted)

    count(net_file, "parse_header")
    count(nets, "_entry")
    result = chosen(folder)
    assert sorted(read) == ["_entry", "parse_header"]
    assert chosen(folder) == result
    assert len(read) == 2
    bundled(FREESTYLE | {"net": "another"}, names=("another",))
    assert chosen(folder).evaluation.about == "net another"
    (folder / "another.net").write_bytes(b"rubbish")
    with pytest.raises(BadNet, match="not a net file"):
        chosen(folder)
    (folder / "another.net").unlink()
    with pytest.raises(BadNet, match="missing"):
        chosen(folder)


def test_engines_report_their_evaluation() -> None:
    board = Board()
    with Engine(memory=8) as engine:
        assert engine.options["preset"] == DEFAULT_PRESET
        for preset in PRESETS:
            engine.configure(preset=preset, net="")
            reported = engine.play(board, Limit(nodes=50, depth=1)).info
            assert reported is None or reported.evaluation == engine.evaluation(board)
        engine.configure(preset="alphabeta", net=str(LIVELY))
        board.push("h8")
        (*_, last) = engine.analyse(board, Limit(depth=2))
        assert str(last.evaluation) == "mixnet (net lively)"
        with pytest.raises(BadNet, match="renju"):
            engine.evaluation(Board(rule="renju"))


# --- nets that take their time ---


class SlowLoad:
    """A net that is ready when `finish` is called."""

    progress = 0.0

    def __init__(self, net: _core.Net | None = None, error: Exception | None = None) -> None:
        self._net = net
        self._error = error
        self._done = threading.Event()

    @property
    def is_ready(self) -> bool:
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> _core.Net | None:
        if not self._done.wait(seconds):
            return None
        if self._error is not None:
            raise self._error
        return self._net

    def finish(self) -> None:
        self._done.set()


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> SlowLoad:
    made = SlowLoad(read_net(LIVELY))
    monkeypatch.setattr(native_net, "load_net", lambda path: made)
    return made


def opened(**options: Any) -> Engine:
    return Engine(net=str(LIVELY), memory=8, **options)


def started() -> Board:
    board = Board()
    board.push("h8")
    return board


def evaluation_of(engine: Engine, limit: Limit) -> tuple[str, float]:
    info = engine.play(started(), limit).info
    assert info is not None
    assert info.evaluation is not None
    return str(info.evaluation), info.time


def test_a_move_with_little_time_does_not_wait_for_the_net(load: SlowLoad) -> None:
    late = "classical (lively is still loading)"
    with opened() as engine:
        for limit in (Limit(time=0.3), Limit(time=0.3, depth=99), Limit(clock=7.8)):
            start = time.monotonic()
            result, reported = evaluation_of(engine, limit)
            taken = time.monotonic() - start
            assert result == late
            assert 0.09 <= reported <= taken, "what it waited counts as spent"
        load.finish()
        assert evaluation_of(engine, Limit(time=0.1))[0] == "mixnet (net lively)"


@pytest.mark.parametrize("limit", [Limit(depth=1), Limit(nodes=10), Limit(time=60.0, depth=1)])
def test_a_search_with_time_waits_for_the_net(limit: Limit, load: SlowLoad) -> None:
    with opened() as engine:
        timer = threading.Timer(0.2, load.finish)
        timer.start()
        result, reported = evaluation_of(engine, limit)
        timer.join()
    assert result == "mixnet (net lively)"
    assert reported >= 0.15


def test_stop_ends_the_wait(load: SlowLoad) -> None:
    with opened() as engine:
        analysis = engine.analyse(started())
        assert engine.is_busy
        start = time.monotonic()
        engine.stop()
        played = analysis.wait()
        assert time.monotonic() - start < 5
        assert started().is_legal(played.move)
        with engine.analyse(started()) as analysis:
            pass
        assert started().is_legal(analysis.played.move)


def test_pondering_waits_for_the_net_and_can_be_stopped(load: SlowLoad) -> None:
    with opened() as engine:
        engine.ponder(started())
        played = engine.ponder_hit(Limit(time=0.05))
        assert played.info is not None
        assert played.info.evaluation is not None
        assert played.info.evaluation.name == "classical"
        engine.ponder(started())
        engine.new_game()
        engine.ponder(started())
        load.finish()
        played = engine.ponder_hit(Limit(depth=1))
        assert played.info is not None
        assert str(played.info.evaluation) == "mixnet (net lively)"


def test_closing_while_a_net_is_loaded(load: SlowLoad) -> None:
    engine = opened()
    analysis = engine.analyse(started())
    start = time.monotonic()
    engine.close()
    assert time.monotonic() - start < 5
    assert analysis.is_done
    with pytest.raises(EngineClosed):
        engine.prepare(started())


def test_preparing(load: SlowLoad) -> None:
    with opened() as engine:
        assert not engine.prepare(started())
        assert not engine.prepare(started(), seconds=0.01)
        load.finish()
        assert engine.prepare(started(), seconds=None)
    with Engine("classical", memory=8) as plain:
        assert plain.prepare(started())


@pytest.mark.parametrize("error", [BadNet("no net at all", "x.net"), OSError(5, "broken disk")])
def test_a_load_that_fails(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    load = SlowLoad(error=error)
    monkeypatch.setattr(native_net, "load_net", lambda path: load)
    with opened() as engine:
        analysis = engine.analyse(started())
        load.finish()
        with pytest.raises(BadNet, match=r"no net at all|broken disk"):
            list(analysis)
        with pytest.raises(BadNet, match=r"no net at all|broken disk"):
            analysis.wait()
        with pytest.raises(BadNet, match=r"no net at all|broken disk"):
            engine.play(started(), Limit(depth=1))
        assert not engine.is_busy
        engine.configure(net="classical")
        assert engine.play(started(), Limit(depth=1)).move is not None
