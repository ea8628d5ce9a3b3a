# SPDX-License-Identifier: MIT
"""Choice of the evaluation by options and board, its reports, and searches that start before their
net is loaded.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen import Board, Engine, Limit, _core
from tengen.engine import DEFAULT_PRESET, PRESETS, EngineClosed, Evaluation, native
from tengen.engine.errors import BadNet
from tengen.engine.onnx_net import load_external
from tengen.engine.options import Value, defaults, option_texts
from tengen.game.rule import Rule

NETS = Path(__file__).parents[1] / "golden" / "mixnet"
LIVELY = NETS / "lively.net"
CODEBOOKS = 397_488 * 2 * 2 * 32  # bytes, of the nets of the tests
LOADED = "onnx (net slow.onnx)"


def chosen(
    folder: Path, rule: Rule = Rule.FREESTYLE, size: int = 15, **options: Value
) -> Evaluation:
    """The evaluation with the nets of a folder."""
    texts = option_texts(defaults() | options)
    player = _core.Player(texts, str(folder), load_external)
    return Evaluation(*player.evaluator(list(Rule).index(rule), size))


@pytest.fixture
def bundled(tmp_path: Path) -> Callable[..., Path]:
    """A folder with nets and a registry, as in the package."""
    nets = tmp_path / "nets"
    nets.mkdir()

    def make(*lines: dict[str, object], names: tuple[str, ...] = ()) -> Path:
        for name in names:
            shutil.copy(LIVELY, nets / f"{name}.net")
        registry = {"format": 1, "nets": lines}
        (nets / "registry.json").write_text(json.dumps(registry))
        return tmp_path

    return make


FREESTYLE = {"rule": "freestyle", "from": 5, "to": 22}


def test_the_net_of_the_registry_plays(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    result = chosen(folder)
    assert result == Evaluation("mixnet", "net one", CODEBOOKS)
    assert str(result) == "mixnet (net one)"
    assert chosen(folder, net="classical").name == "classical"
    assert chosen(folder, net=str(LIVELY)).about == "net lively"
    assert chosen(folder, net="one") == result


def test_without_a_net_classical_plays_with_a_reason(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    text = "classical (no bundled net for renju 15x15)"
    assert str(chosen(folder, Rule.RENJU)) == text
    for net in ("one", str(LIVELY)):
        with pytest.raises(BadNet, match="this net is not for renju 15x15: it is for freestyle"):
            chosen(folder, Rule.RENJU, net=net)
    for net in ("two", "no/such/file.net", "nothing.onnx"):
        with pytest.raises(BadNet, match=r"there is no file .* the bundled nets are one"):
            chosen(folder, net=net)
    with pytest.raises(BadNet, match="cannot be read") as caught:
        chosen(folder, net=str(folder.parent))
    assert not caught.value.source
    assert caught.value.reason == str(caught.value)


def test_unreadable_files(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    with pytest.raises(BadNet, match=r"cannot be read \(File name too long\)"):
        chosen(folder, net="x" * 4000)
    (folder / "nets" / "one.net").unlink()
    (folder / "nets" / "one.net").mkdir()
    with pytest.raises(BadNet, match=r"names one.net, which cannot be read \("):
        chosen(folder)


def test_a_folder_of_nets(bundled: Callable[..., Path], tmp_path: Path) -> None:
    """A folder as a net: the engine uses its registry."""
    nets = bundled(FREESTYLE | {"black": "b", "white": "w"}, names=("b", "w")) / "nets"
    assert chosen(tmp_path / "none", net=str(nets)).about == "nets b for black, w for white"
    with pytest.raises(BadNet, match="its registry has no net for renju on 15x15"):
        chosen(tmp_path, Rule.RENJU, net=str(nets))


def test_one_net_per_colour(bundled: Callable[..., Path]) -> None:
    result = chosen(bundled(FREESTYLE | {"black": "b", "white": "w"}, names=("b", "w")))
    assert result == Evaluation("mixnet", "nets b for black, w for white", 2 * CODEBOOKS)


def test_too_little_memory_for_a_net(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"black": "b", "white": "w"}, names=("b", "w"))
    assert chosen(folder, net_memory=98).name == "mixnet"
    text = "net b; b and w: 98 MiB of memory needed, 60 allowed"
    assert chosen(folder, net_memory=60) == Evaluation("mixnet", text, CODEBOOKS)
    text = "b and w: 98 MiB of memory needed, 48 allowed"
    assert chosen(folder, net_memory=48) == Evaluation("classical", text)


def test_files_are_read_again_when_they_change(bundled: Callable[..., Path]) -> None:
    folder = bundled(FREESTYLE | {"net": "one"}, names=("one",))
    assert chosen(folder) == chosen(folder)
    bundled(FREESTYLE | {"net": "another"}, names=("another",))
    assert chosen(folder).about == "net another"
    (folder / "nets" / "another.net").write_bytes(b"rubbish")
    with pytest.raises(BadNet, match="not a net file"):
        chosen(folder)
    (folder / "nets" / "another.net").unlink()
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
    """A net outside the core that is loaded when `finish` is called."""

    def __init__(self) -> None:
        self._targets: list[_core.ExternalNet] = []
        self._error: BadNet | None = None
        self._is_finished = False

    def request(self, _: str, __: str, ___: int, ____: int, target: _core.ExternalNet) -> None:
        self._targets.append(target)
        if self._is_finished:
            self.finish(self._error)

    def finish(self, error: BadNet | None = None) -> None:
        self._is_finished, self._error = True, error
        for target in self._targets:
            if error is None:
                target.set(even, ~0 & 0xFFFFFFFF)
            else:
                target.fail(error.reason, error.source)
        self._targets.clear()


def even(planes: Any) -> tuple[Any, Any]:
    """A net to which every position and move is the same."""
    size = planes.shape[2]
    values = np.zeros((len(planes), 3), np.float32)
    return values, np.zeros((len(planes), size, size), np.float32)


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> SlowLoad:
    made = SlowLoad()
    monkeypatch.setattr(native, "load_external", made.request)
    return made


@pytest.fixture
def slow_net(tmp_path: Path) -> Path:
    path = tmp_path / "slow.onnx"
    path.touch()
    return path


@pytest.fixture
def engine(load: SlowLoad, slow_net: Path) -> Iterator[Engine]:
    with Engine(net=str(slow_net), memory=8) as made:
        yield made


def started() -> Board:
    board = Board()
    board.push("h8")
    return board


def evaluation_of(engine: Engine, limit: Limit) -> tuple[str, float]:
    info = engine.play(started(), limit).info
    assert info is not None
    assert info.evaluation is not None
    return str(info.evaluation), info.time


def test_a_move_with_little_time_does_not_wait_for_the_net(engine: Engine, load: SlowLoad) -> None:
    late = "classical (slow is still loading)"
    for limit in (Limit(time=0.3), Limit(time=0.3, depth=99), Limit(clock=7.8)):
        start = time.monotonic()
        result, reported = evaluation_of(engine, limit)
        taken = time.monotonic() - start
        assert result == late
        assert 0.19 <= reported <= taken, "what it waited counts as spent"
    load.finish()
    assert evaluation_of(engine, Limit(time=0.1))[0] == LOADED


@pytest.mark.parametrize("limit", [Limit(depth=1), Limit(nodes=10), Limit(time=60.0, depth=1)])
def test_a_search_with_time_waits_for_the_net(engine: Engine, limit: Limit, load: SlowLoad) -> None:
    timer = threading.Timer(0.2, load.finish)
    timer.start()
    result, reported = evaluation_of(engine, limit)
    timer.join()
    assert result == LOADED
    assert reported >= 0.15


def test_stop_ends_the_wait(engine: Engine) -> None:
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


def test_pondering_waits_for_the_net_and_can_be_stopped(engine: Engine, load: SlowLoad) -> None:
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
    assert str(played.info.evaluation) == LOADED


def test_closing_while_a_net_is_loaded(engine: Engine) -> None:
    analysis = engine.analyse(started())
    start = time.monotonic()
    engine.close()
    assert time.monotonic() - start < 5
    assert analysis.is_done
    with pytest.raises(EngineClosed):
        engine.prepare(started())


def test_preparing(engine: Engine, load: SlowLoad) -> None:
    assert not engine.prepare(started())
    assert not engine.prepare(started(), seconds=0.01)
    load.finish()
    assert engine.prepare(started(), seconds=None)
    with Engine("classical", memory=8) as plain:
        assert plain.prepare(started())


def test_a_load_that_fails(engine: Engine, load: SlowLoad) -> None:
    analysis = engine.analyse(started())
    load.finish(BadNet("no net at all", "slow.onnx"))
    for attempt in (
        lambda: list(analysis),
        analysis.wait,
        lambda: engine.play(started(), Limit(depth=1)),
        lambda: engine.policy(started()),
    ):
        with pytest.raises(BadNet, match=r"slow.onnx: no net at all") as caught:
            attempt()
        assert (caught.value.reason, caught.value.source) == ("no net at all", "slow.onnx")
    assert not engine.is_busy
    engine.configure(net="classical")
    assert engine.play(started(), Limit(depth=1)).move is not None


def test_a_loader_that_raises(slow_net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise LookupError("out of luck")

    monkeypatch.setattr(native, "load_external", refuse)
    with Engine(net=str(slow_net), memory=8) as engine, pytest.raises(BadNet, match="out of luck"):
        engine.play(started(), Limit(depth=1))
