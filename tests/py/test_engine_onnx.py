# SPDX-License-Identifier: MIT
"""ONNX files in alpha-beta: inputs, invalid files, and stopping, closing and dropping engines at
any time.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from callback_players import player_with, result_of
from onnx_files import write_net
from tengen import Board, Engine, Limit, _core
from tengen.cli.main import main
from tengen.engine import EngineDied
from tengen.engine.bench import bench
from tengen.engine.errors import BadNet
from tengen.engine.onnx_net import OnnxNet
from tengen.game.rule import Rule

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"


def started(rule: str = "freestyle", size: int = 15) -> Board:
    board = Board(size, rule)
    for move in ("h8", "i9", "g9") if size == 15 else ("c3",):
        board.push(move)
    return board


def test_a_net_plays_and_repeats_itself(tmp_path: Path) -> None:
    net = write_net(tmp_path / "small.onnx")
    seen = []
    for threads in (1, 1, 2):
        with Engine(net=str(net), memory=8, threads=threads) as engine:
            assert str(engine.evaluation(started())) == "onnx (net small.onnx)"
            played = engine.play(started(), Limit(nodes=600))
        assert played.info is not None
        assert str(played.info.evaluation) == "onnx (net small.onnx)"
        assert played.info.evaluations > 0
        seen.append((played.move, played.info.score, played.info.nodes))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize("size", [5, 22])
def test_every_rule_and_size(rule: Rule, size: int, tmp_path: Path) -> None:
    net = write_net(tmp_path / "small.onnx")
    with Engine(net=str(net), memory=8) as engine:
        board = started(rule, size)
        assert board.is_legal(engine.play(board, Limit(depth=2)).move)


def test_inputs_of_a_net(tmp_path: Path) -> None:
    """Own stones first, row by row from the first; one question a position and side."""
    requests: list[np.ndarray[Any, Any]] = []

    def ask(planes: np.ndarray[Any, Any]) -> tuple[object, object]:
        requests.append(planes.copy())
        policy = np.arange(225, dtype=np.float32).reshape(15, 15)
        return np.zeros((1, 3), np.float32), policy[None]

    core = player_with(tmp_path, ask, search="alphabeta")
    core.start(started()._core, depth=1)
    result_of(core)
    assert requests[0].shape == (1, 2, 15, 15)
    first = requests[0][0]
    assert first.dtype == np.float32
    assert np.argwhere(first[0]).tolist() == [[8, 8]]  # white: i9
    assert np.argwhere(first[1]).tolist() == [[7, 7], [8, 6]]  # black: h8, g9
    keys = [planes.tobytes() for planes in requests]
    assert len(keys) <= len(set(keys)) + 1  # the root is evaluated before the search, too
    with pytest.raises(ValueError, match="freestyle on size 9"):
        core.start(Board(9)._core, depth=1)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ({"outputs": ("v", "p")}, "it has the outputs v, p: value and policy is missing"),
        ({"outputs": ("value", "p")}, "policy is missing"),
        ({"value_width": 2}, "its value has the shape"),
        ({"planes": 3}, r"its input is planes \['batch', 3"),
        ({"batch": 8}, "its input is planes"),
        ({"side": 9}, r"15x15.* 9\b"),
        ({"rules": "renju caro"}, "freestyle.*renju, caro"),
        ({"rules": "chess"}, "metadata.*chess"),
        ({"sizes": "9,13"}, "15x15.*9, 13"),
        ({"sizes": "large"}, "metadata.*large"),
        ({"side": 9, "sizes": "15"}, "metadata.*9"),
        ({"as_double": True}, "float64, not"),
    ],
)
def test_unsuitable_nets(made: dict[str, Any], message: str, tmp_path: Path) -> None:
    net = write_net(tmp_path / "odd.onnx", **made)
    with Engine(net=str(net), memory=8) as engine:
        for _ in range(2):
            with pytest.raises(BadNet, match=rf"odd\.onnx: {message}|odd\.onnx: .*{message}"):
                engine.play(started(), Limit(depth=1))


def test_a_net_for_the_rule(tmp_path: Path) -> None:
    net = write_net(tmp_path / "small.onnx", rules="renju")
    with Engine(net=str(net), memory=8) as engine:
        assert engine.play(started("renju"), Limit(depth=1)).move is not None


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x08\x09" * 4000])
def test_damaged_files(content: bytes, tmp_path: Path) -> None:
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(content)
    with (
        Engine(net=str(bad), memory=8) as engine,
        pytest.raises(BadNet, match=r"bad\.onnx: (damaged|its input)"),
    ):
        engine.play(started(), Limit(depth=1))
    with (
        Engine(net=str(tmp_path / "none.onnx"), memory=8) as engine,
        pytest.raises(BadNet, match="there is no file"),
    ):
        engine.play(started(), Limit(depth=1))


def test_onnx_runtime_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = write_net(tmp_path / "small.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with (
        Engine(net=str(net), memory=8) as engine,
        pytest.raises(BadNet, match=r"needs ONNX Runtime.*pip install"),
    ):
        engine.play(started(), Limit(depth=1))


def test_nan_ends_the_search_with_a_message(tmp_path: Path) -> None:
    net = write_net(tmp_path / "nan.onnx", nan=True)
    with Engine(net=str(net), memory=8) as engine:
        with pytest.raises(EngineDied, match="the value of the net is not a number"):
            engine.play(started(), Limit(depth=2))
        with pytest.raises(EngineDied, match="the value of the net is not a number"):
            list(engine.analyse(started(), Limit(depth=2)))
        with pytest.raises(BadNet, match="the value of the net is not a number"):
            bench(Rule.FREESTYLE, net=str(net), depth=1)
        engine.configure(net="classical")
        assert engine.play(started(), Limit(depth=1)).move is not None


@pytest.mark.parametrize("threads", [1, 3])
def test_a_failing_call_ends_the_search_with_a_message(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = write_net(tmp_path / "small.onnx")
    calls = 0
    real = OnnxNet.evaluate

    def ask(self: OnnxNet, planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        nonlocal calls
        calls += 1
        if calls > 30:
            raise ValueError("the wires are cut")
        return real(self, planes)

    monkeypatch.setattr(OnnxNet, "evaluate", ask)
    with Engine(net=str(net), memory=8, threads=threads) as engine:
        with pytest.raises(EngineDied, match="the wires are cut"):
            engine.play(started(), Limit(depth=20))
        calls = -(10**9)
        assert engine.play(started(), Limit(depth=1)).move is not None


@pytest.mark.parametrize(
    "answer", [None, (1, 2), (np.zeros(3, np.float32),), (np.zeros(2, np.float32),) * 2]
)
def test_invalid_net_outputs(tmp_path: Path, answer: object) -> None:
    core = player_with(tmp_path, lambda planes: answer, search="alphabeta")
    core.start(started()._core, depth=1)
    with pytest.raises(RuntimeError, match=r"two arrays of float32|the net answered with"):
        core.next_event(10)


# --- ends ---


def slow_core(folder: Path, threads: int = 2) -> tuple[_core.Player, threading.Event]:
    """A core that searches without an end, with a net that takes some milliseconds."""
    requested = threading.Event()

    def ask(planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        requested.set()
        time.sleep(0.005)
        return np.zeros(3, np.float32), np.random.default_rng(0).random((15, 15), np.float32)

    core = player_with(folder, ask, search="alphabeta", threads=threads)
    core.start(started()._core, purpose=_core.SearchPurpose.ANALYSIS)
    assert requested.wait(10)
    return core, requested


def test_an_engine_is_dropped_during_a_search(tmp_path: Path) -> None:
    for _ in range(5):
        core, requested = slow_core(tmp_path)
        requested.clear()
        del core  # its search may just be waiting for the GIL that this thread holds
        time.sleep(0.02)
        requested.clear()
        assert not requested.wait(0.05)


def test_stop_ends_a_search_with_a_slow_net(tmp_path: Path) -> None:
    core, _ = slow_core(tmp_path)
    core.stop()
    result_of(core)


@pytest.mark.integration
def test_the_process_ends_in_the_middle_of_a_search(tmp_path: Path) -> None:
    net = write_net(tmp_path / "small.onnx")
    program = (
        "import sys, time; from tengen import Board, Engine\n"
        "engine = Engine(net=sys.argv[1], memory=8, threads=2)\n"
        "board = Board(); board.push('h8')\n"
        "analysis = engine.analyse(board)\n"
        "time.sleep(float(sys.argv[2]))\n"
    )
    for path, delay in ((net, "0"), (net, "0.13"), (net, "0.4"), (LIVELY, "0"), (LIVELY, "0.1")):
        command = [sys.executable, "-c", program, str(path), delay]
        done = subprocess.run(command, timeout=60, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side, positions in (("side", 9), (15, 8), (20, 1)):
        net = write_net(tmp_path / "small.onnx", side)
        arguments = ["bench", "--net", str(net), "--rule", "renju", "--depth", "1"]
        assert main(arguments) == 0
        output = capsys.readouterr().out
        assert f"  {positions} positions" in output
        assert "evaluations/s " in output
        assert "  evaluation: onnx (net small.onnx)" in output
    write_net(tmp_path / "nine.onnx", 9)
    assert main(["bench", "--net", str(tmp_path / "nine.onnx")]) == 1
    assert "15x15" in capsys.readouterr().err


def test_the_bench_counts_evaluations_at_a_lower_depth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = str(write_net(tmp_path / "small.onnx", 15))
    runs = 0
    run = OnnxNet.evaluate

    def ask(self: OnnxNet, planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        nonlocal runs
        runs += 1
        return run(self, planes)

    monkeypatch.setattr(OnnxNet, "evaluate", ask)
    result = bench(Rule.FREESTYLE, net=net, positions=2)
    assert result.positions == 2
    assert result.evaluations == runs - 1  # one checked the net's outputs
    assert result == replace(
        bench(Rule.FREESTYLE, net=net, positions=2, depth=4), seconds=result.seconds
    )
    everywhere = bench(Rule.FREESTYLE, net=net, positions=2, lazy=False)
    assert everywhere.evaluations / everywhere.nodes > result.evaluations / result.nodes
