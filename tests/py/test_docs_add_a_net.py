# SPDX-License-Identifier: MIT
"""The net of docs/add-a-net.md: short, registered by one line, trained, exported, played with."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")

from tengen import Board, Engine, Limit
from tengen.cli.main import main
from tengen.nets import KINDS, count_operations, make_net, spec_of
from tengen.train.train_folder import read_metrics
from train_runs import go
from train_samples import SIZE, config

PAGE = Path(__file__).parents[2] / "docs" / "add-a-net.md"
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page, with its net written to a file and registered."""
    text = PAGE.read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (line,) = re.findall(r"^KINDS\[.*$", text, re.MULTILINE)
    (tmp_path / "crossnet.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(KINDS, "crossnet", KINDS["resnet"])  # removed after the test
    exec(line, {"KINDS": KINDS, "CrossnetSpec": import_module("crossnet").CrossnetSpec})
    return text


def test_the_net_is_short_and_has_its_names(page: str) -> None:
    code = page.partition("```python\n")[2].partition("```")[0]
    assert len(code.splitlines()) <= 60
    assert '    (CrossnetSpec, "tengen.nets.crossnet:Crossnet"),' in page
    for name in ("crossnet-6b64f", "crossnet-6b64f-polygames-reach3-no-columns"):
        assert f"`{name}`" in page
        assert spec_of(name).name == name
    narrow = count_operations("crossnet-2b8f-reach1").multiply_adds
    assert narrow < count_operations("crossnet-2b8f").multiply_adds


@pytest.mark.integration
def test_the_net_is_trained_exported_and_played_with(
    page: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, file = tmp_path / "run", tmp_path / "cross.onnx"
    go(config(data, net="crossnet-2b8f", steps=60, losses={"value": 1.0, "policy": 1.0}), run)
    rows = [row for row in read_metrics(run / "metrics.jsonl") if row["event"] == "train"]
    assert rows[-1]["policy"] < 0.95 * rows[0]["policy"]
    assert main(["net", "export", str(run), str(file)]) == 0
    board = Board(SIZE, "freestyle")
    board.push("c3")
    for search in ("alphabeta", "mcts"):
        with Engine(net=str(file), memory=4, search=search) as engine:
            played = engine.play(board, Limit(nodes=30))
            assert board.is_legal(played.move)
            assert played.info is not None
            assert str(played.info.evaluation) == "onnx (net cross.onnx)"
    assert make_net("crossnet-2b8f").DYNAMIC_SIZE
