# SPDX-License-Identifier: MIT
"""Every kind of net from torch to the engine: the same numbers in torch, in ONNX Runtime and in the
engine, with every search; and one net per colour.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx_files import write_net
from tengen import Board, Colour, Engine, Limit, Move
from tengen.cli.main import main
from tengen.engine.bench import bench
from tengen.engine.errors import BadNet
from tengen.engine.onnx_net import OnnxNet
from tengen.engine.score import EVAL_PER_LOGIT
from tengen.export.onnx import export_onnx
from tengen.game.rule import Rule
from tengen.nets import BoardNet, MixnetSpec, make_net, spec_of
from tengen.nets.weights import NetWeights, write_weights
from zoo_nets import TINY_NETS, stirred_net

SIZE = 9
GAMES = (("e5",), ("e5", "d4", "f4", "e6"), ("a1", "i9", "b3", "h7", "c8"))


def board_of(moves: tuple[str, ...], rule: str = "freestyle") -> Board:
    board = Board(SIZE, rule)
    for move in moves:
        board.push(move)
    return board


def planes_of(board: Board) -> np.ndarray[Any, np.dtype[np.float32]]:
    stones = [[board.stone_at(Move.from_index(y * SIZE + x, SIZE)) for x in range(SIZE)]
              for y in range(SIZE)]  # fmt: skip
    sides = (board.turn, board.turn.other)
    return np.array([[[[s is side for s in row] for row in stones] for side in sides]], np.float32)


def outputs_of(net: BoardNet, board: Board) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    with torch.no_grad():
        out = net(torch.from_numpy(planes_of(board)))
    return out["value"].numpy()[0], out["policy"].numpy()[0]


def score_of(value: np.ndarray[Any, Any]) -> float:
    """Of the engine: the logit of the win rate, a draw being half a win."""
    win, loss, draw = np.exp(value - value.max())
    return EVAL_PER_LOGIT * math.log((win + draw / 2) / (loss + draw / 2))


@pytest.mark.integration
@pytest.mark.parametrize("name", TINY_NETS)
def test_torch_onnx_runtime_and_engine_agree(name: str, tmp_path: Path) -> None:
    net, path = stirred_net(name), tmp_path / "net.onnx"
    bound = net.spec.board_size is not None or not net.DYNAMIC_SIZE
    export_onnx(net, path, SIZE if bound else None, name=name)
    loaded = OnnxNet(path)
    assert loaded.sizes == ((SIZE,) if bound else tuple(range(5, 23)))
    with (
        Engine("policy", net=str(path), memory=4) as without,
        Engine(net=str(path), memory=4, search="mcts", batch=4) as mcts,
        Engine(net=str(path), memory=4, search="alphabeta") as alphabeta,
    ):
        for moves in GAMES:
            board = board_of(moves)
            value, policy = outputs_of(net, board)
            actual = loaded.evaluate(planes_of(board))
            assert np.abs(actual[0][0] - value).max() < 1e-4
            assert np.abs(actual[1][0] - policy).max() < 1e-4
            shown = without.policy(board)
            logits = {move: float(policy[move.y, move.x]) for move in shown}
            total = sum(math.exp(logit) for logit in logits.values())
            for move, probability in shown.items():
                assert probability == pytest.approx(math.exp(logits[move]) / total, abs=0.005)
            played = without.play(board, Limit(depth=1))
            assert played.info is not None
            assert played.move == next(iter(shown))
            assert played.info.score.relative.value == pytest.approx(score_of(value), abs=3)
            for engine, limit in ((mcts, Limit(nodes=40)), (alphabeta, Limit(depth=3))):
                searched = engine.play(board, limit)
                assert board.is_legal(searched.move)
                assert searched.info is not None
                assert searched.info.evaluations > 0
                assert str(searched.info.evaluation) == "onnx (net net.onnx)"


@pytest.mark.integration
def test_nets_of_one_size_say_so(tmp_path: Path) -> None:
    net = stirred_net("resnet-1b8f-alphazero-size9")
    with pytest.raises(BadNet, match="alphazero-size9 depend on the size"):
        export_onnx(net, tmp_path / "a.onnx", None)
    with pytest.raises(BadNet, match="is for boards of size 9, not 15"):
        export_onnx(net, tmp_path / "a.onnx", 15)
    with pytest.raises(BadNet, match="takes 21 planes"):
        export_onnx(stirred_net("resnet-1b8f-planes21"), tmp_path / "a.onnx", 9)
    assert list(tmp_path.iterdir()) == []


# --- one net per colour ---


def registry(folder: Path, **entry: Any) -> Path:
    entry = {"rule": "freestyle", "from": 5, "to": 22} | entry
    (folder / "registry.json").write_text(json.dumps({"format": 1, "nets": [entry]}))
    return folder


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """(file, stones of the opponent minus own) of every position that a net evaluated."""
    made: list[tuple[str, int]] = []
    evaluate = OnnxNet.evaluate

    def record(self: OnnxNet, planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        counts = planes.sum((2, 3)).astype(int)
        made.extend((Path(self._path).stem, int(b - a)) for a, b in counts if a or b)
        return evaluate(self, planes)

    monkeypatch.setattr(OnnxNet, "evaluate", record)
    return made


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({"search": "alphabeta"}, Limit(depth=4)),
        ({"search": "mcts", "batch": 8}, Limit(nodes=120)),
        ({"search": "mcts", "batch": 1}, Limit(nodes=60)),
    ],
)
def test_each_colour_has_its_net(
    options: dict[str, Any], limit: Limit, tmp_path: Path, calls: list[tuple[str, int]]
) -> None:
    write_net(tmp_path / "first.onnx")
    write_net(tmp_path / "second.onnx")
    folder = registry(tmp_path, black="first.onnx", white="second.onnx")
    with Engine(net=str(folder), memory=4, **options) as engine:
        text = "onnx (nets first.onnx for black, second.onnx for white)"
        for moves in (("e5", "d4", "f4"), ("e5", "d4", "f4", "c3")):
            board = board_of(moves)
            assert str(engine.evaluation(board)) == text
            played = engine.play(board, limit)
            assert board.is_legal(played.move)
    assert {stem for stem, _ in calls} == {"first", "second"}
    assert {lead for stem, lead in calls if stem == "first"} == {0}  # black moves first
    assert {lead for stem, lead in calls if stem == "second"} == {1}


def test_the_side_to_move_counts_and_not_the_stones(
    tmp_path: Path, calls: list[tuple[str, int]]
) -> None:
    write_net(tmp_path / "first.onnx")
    write_net(tmp_path / "second.onnx")
    folder = registry(tmp_path, black="first.onnx", white="second.onnx")
    with Engine("policy", net=str(folder), memory=4) as engine:
        for colour, net in ((Colour.WHITE, "second"), (Colour.BLACK, "first")):
            board = Board.from_stones(
                black=["e5", "d4"], white=["f4", "c7"], size=SIZE, rule="freestyle", to_move=colour
            )
            calls.clear()
            engine.play(board, Limit(depth=1))
            assert {stem for stem, _ in calls} == {net}


def test_folders_of_onnx_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_net(tmp_path / "one.onnx", sizes="9 15")
    write_net(tmp_path / "nine.onnx", 9)
    board = board_of(("e5",))
    for net, text in (("one", "net one.onnx"), (None, "nets one.onnx for black, nine.onnx")):
        names = {"net": "one.onnx"} if net else {"black": "one.onnx", "white": "nine.onnx"}
        folder = registry(tmp_path, **names)
        with Engine(net=str(folder), memory=4) as engine:
            assert text in str(engine.evaluation(board))
            assert board.is_legal(engine.play(board, Limit(depth=1)).move)
    with Engine(net=str(folder), memory=4) as engine, pytest.raises(BadNet, match=r"15x15.* 9\b"):
        engine.play(Board(15, "freestyle"), Limit(depth=1))
    registry(tmp_path, black="one.onnx", white="other")
    with Engine(net=str(folder), memory=4) as engine:
        with pytest.raises(BadNet, match=r"other\.net, which is missing"):
            engine.evaluation(board)
        registry(tmp_path, black="one.onnx", white="gone.onnx")
        with pytest.raises(BadNet, match=r"gone\.onnx, which is missing"):
            engine.evaluation(board)
    registry(tmp_path, black="one.onnx", white="one.onnx")
    assert main(["net", "lazy", str(folder)]) == 1
    assert "one.onnx: an ONNX file" in capsys.readouterr().err


def test_the_bench_of_two_nets(tmp_path: Path, calls: list[tuple[str, int]]) -> None:
    write_net(tmp_path / "first.onnx")
    write_net(tmp_path / "second.onnx")
    folder = registry(tmp_path, black="first.onnx", white="second.onnx")
    result = bench(Rule.FREESTYLE, net=str(folder), depth=2, positions=2)
    assert result.evaluations == len(calls)
    assert {stem for stem, _ in calls} == {"first", "second"}


@pytest.mark.parametrize("as_folder", [False, True])
def test_the_policy_preset_wins_and_stops_fives(as_folder: bool, tmp_path: Path) -> None:
    """Whatever the net prefers."""
    path = tmp_path / "one.onnx"
    write_net(path)
    write_net(tmp_path / "two.onnx")
    net = registry(tmp_path, black="one.onnx", white="two.onnx") if as_folder else path
    own_four = ("a1", "d9", "a2", "e9", "a3", "f9", "a4", "d7")  # black completes a5
    faced_four = ("d9", "a1", "e9", "a2", "g7", "a3", "d7", "a4")  # black stops at a5
    with Engine("policy", net=str(net), memory=4) as engine:
        for moves in (own_four, faced_four):
            for turn in (moves, (*moves, "i1")):  # black's turn, then the same for white
                board = board_of(turn)
                assert engine.play(board, Limit(depth=1)).move == Move("a5")
        quiet = board_of(("e5", "d4", "f4"))
        assert engine.play(quiet, Limit(depth=1)).move == next(iter(engine.policy(quiet)))


def run_of(folder: Path, spec: str, seed: int) -> str:
    folder.mkdir()
    net = stirred_net(spec, seed) if spec_of(spec) != MixnetSpec("s") else make_net(spec)
    weights = NetWeights(net.spec.to_dict(), net.state_dict(), {"run": f"r{seed}", "step": 1})
    write_weights(folder / "net.pt", weights)
    return str(folder)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("nets", "suffix", "options"),
    [
        (("mixnet-s", "mixnet-s"), ".net", ["--rule", "renju", "--size", "9-10"]),
        (("resnet-1b8f", "katanet-1b8f"), ".onnx", ["--size", "9"]),
        (("mobilenet-1b16f", "resnet-1b8f-alphazero-size9"), ".onnx", []),
        (
            ("gomokunet-4f", "convnet-1l8f"),
            ".onnx",
            ["--rule", "renju", "--rule", "caro", "--size", "9"],
        ),
    ],
)
def test_export_of_a_folder(
    nets: tuple[str, str], suffix: str, options: list[str], tmp_path: Path, capsys: Any
) -> None:
    torch.manual_seed(1)
    black, white = nets
    runs = [
        "--black",
        run_of(tmp_path / "b", black, 1),
        "--white",
        run_of(tmp_path / "w", white, 2),
    ]
    out = tmp_path / "nets"
    assert main(["net", "export", *runs, str(out), *options]) == 0
    names = [f"nets-black{suffix}", f"nets-white{suffix}", "registry.json"]
    assert sorted(path.name for path in out.iterdir()) == names
    rule = "renju" if "renju" in options else "freestyle"
    with Engine("policy", net=str(out), memory=4) as engine:
        board = board_of(("e5", "e6"), rule)
        assert "for black, nets-white" in str(engine.evaluation(board))
        assert board.is_legal(engine.play(board, Limit(depth=1)).move)
    assert main(["net", "export", *runs, str(out), *options]) == 1
    assert "the folder exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--black", "b", "out"], "needs --black RUN, --white RUN and OUT"),
        (["--black", "b", "--white", "b", "b", "out"], "needs --black RUN, --white RUN and OUT"),
        (["--black", "b", "--white", "b", "out", "--colour", "black"], "no --colour"),
        (["--black", "b", "--white", "b", "out"], "give --rule and --size"),
        (["out.net"], "there is no RUN"),
        (["--black", "none", "--white", "b", "out"], "there is no file none"),
    ],
)
def test_impossible_folders(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    run_of(tmp_path / "b", "mixnet-s", 1)
    assert main(["net", "export", *arguments]) == 1
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
