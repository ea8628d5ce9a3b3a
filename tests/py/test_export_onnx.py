# SPDX-License-Identifier: MIT
"""ONNX files: named inputs and outputs, dynamic batch size, and the same numbers as torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mixnet_nets import part, tiny_net
from tengen import Rule
from tengen.engine.errors import BadNet
from tengen.engine.onnx_net import OnnxNet
from tengen.export import onnx
from tengen.export.onnx import check_onnx, export_onnx
from tengen.nets import NETS, make_net
from tengen.nets.blocks import BoardNet

onnxruntime = pytest.importorskip("onnxruntime")


def session_of(path: Path) -> Any:
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def random_planes(batch: int, size: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    cells = np.random.default_rng(size).integers(0, 3, (batch, size, size))
    return np.stack([cells == 1, cells == 2], axis=1).astype(np.float32)


def small_resnet() -> BoardNet:
    torch.manual_seed(1)
    net = make_net({"kind": "resnet", "blocks": 2, "filters": 8})
    for value in net.buffers():  # batch norms as after training, not as before
        if value.is_floating_point():
            value += 0.3 * torch.rand(value.shape)
    return net


@pytest.mark.integration
def test_a_mixnet_of_fixed_size_and_free_batch(tmp_path: Path) -> None:
    net = tiny_net(1)
    path = tmp_path / "a.onnx"
    export_onnx(net, path, 9, name="tiny", metadata={"run": "r 7"})
    session = session_of(path)
    (planes,) = session.get_inputs()
    assert planes.name == "planes"
    assert planes.shape[1:] == [2, 9, 9]
    assert [output.name for output in session.get_outputs()] == ["value", "policy"]
    meta = session.get_modelmeta().custom_metadata_map
    assert meta["name"] == "tiny"
    assert meta["run"] == "r 7"
    assert meta["made"].startswith("tengen ")
    for batch in (1, 3, 17):
        given = random_planes(batch, 9)
        value, policy = session.run(None, {"planes": given})
        with torch.no_grad():
            expected = net(torch.from_numpy(given))
        assert np.abs(value - expected["value"].numpy()).max() < 1e-4
        assert np.abs(policy - expected["policy"].numpy()).max() < 1e-4
    assert check_onnx(net, path, 9, seed=7) < 1e-4
    # A file with other outputs is detected.
    with torch.no_grad():
        part(net, "heads.value.mlp3.bias")[1] += 0.01
    with pytest.raises(BadNet, match=r"on boards of size 9: value differs by 0.01 from torch's"):
        check_onnx(net, path, 9)


@pytest.mark.integration
def test_a_residual_net_of_any_size(tmp_path: Path) -> None:
    net = small_resnet()
    path = tmp_path / "a.onnx"
    export_onnx(net, path, None)
    for size in (5, 12, 22):
        assert check_onnx(net.eval(), path, size) < 1e-4
    assert list(tmp_path.iterdir()) == [path]
    assert OnnxNet(path).sizes == tuple(range(5, 23))
    OnnxNet(path).check_supports(Rule.RENJU, 7)


@pytest.mark.integration
def test_rules_and_sizes_in_the_metadata(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    export_onnx(small_resnet(), path, None, rules=(Rule.FREESTYLE,), sizes=(9, 15))
    net = OnnxNet(path)
    assert net.sizes == (9, 15)
    net.check_supports(Rule.FREESTYLE, 15)
    with pytest.raises(BadNet, match=r"not for renju.*freestyle"):
        net.check_supports(Rule.RENJU, 15)
    with pytest.raises(BadNet, match=r"not for 13x13.*9, 15"):
        net.check_supports(Rule.FREESTYLE, 13)


def test_what_cannot_be_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.onnx"
    with pytest.raises(BadNet, match=r"layers of mixnet-s depend .*needs one board size"):
        export_onnx(tiny_net(1), path, None)
    with pytest.raises(BadNet, match="boards have size 5 to 22, not 4"):
        export_onnx(tiny_net(1), path, 4)
    with pytest.raises(BadNet, match="boards have size 5 to 22, not 23"):
        export_onnx(small_resnet(), path, None, sizes=(22, 23))
    net = small_resnet()
    monkeypatch.setattr(onnx, "_converted", lambda *_: b"no model")
    with pytest.raises(Exception, match=r".*"):
        export_onnx(net, path, 9)
    with pytest.raises(FileNotFoundError, match="nothing was written"):
        export_onnx(net, tmp_path / "none" / "a.onnx", 9)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", list(NETS))
def test_every_net_of_the_table(name: str, tmp_path: Path) -> None:
    torch.manual_seed(2)
    net = make_net(name)
    export_onnx(net, tmp_path / "a.onnx", 15)
    if net.DYNAMIC_SIZE and net.spec.board_size is None:
        export_onnx(net, tmp_path / "b.onnx", None)
