# SPDX-License-Identifier: MIT
"""Nets in self-play, and its settings: evaluations by colour, new weights, invalid values."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import tengen
from selfplay_nets import FixedNet, generator, small, tiny_net
from tengen.data.packing import pack
from tengen.nets import make_net
from tengen.train.errors import TrainingFailed
from tengen.zero.errors import BadZero
from tengen.zero.play.inference import LOGIT_STEPS, BatchBuffer, Inference
from tengen.zero.play.selfplay import SelfPlaySettings

pytestmark = pytest.mark.usefixtures("one_thread")
ROOT = Path(__file__).parents[2]
CPU = torch.device("cpu")


def stirred(net: nn.Module) -> nn.Module:
    """Weights and norms as of a net that has learnt something."""
    torch.manual_seed(3)
    for parameter in net.parameters():
        nn.init.normal_(parameter, std=0.3)
    for name, buffer in net.named_buffers():
        if buffer.is_floating_point():
            nn.init.uniform_(buffer, 0.5, 1.5) if "var" in name else nn.init.normal_(buffer)
    return net.eval()


def answers(net: nn.Module, boards: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Of a lane, to boards [B, size, size] of 0, 1 and 2."""
    size = boards.shape[-1]
    lane = BatchBuffer(len(boards), size, CPU)
    asking = Inference(size, len(boards), CPU)
    asking.set_nets(net)
    lane.boards[:] = pack(boards, size)
    asking.start(lane, len(boards))
    lane.wait()
    return lane.values.copy(), lane.policies.copy()


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("resnet-4b64f", 15),
        ("mixnet-s", 9),
        ("", 22),
        ("mobilenet-1b16f-se", 9),
        ("resnet-1b8f-alphazero-win-size9", 9),
        ("katanet-2b8f", 9),
    ],
)
def test_batches_equal_the_net(name: str, size: int) -> None:
    net = stirred(make_net(name) if name else tiny_net())
    boards = np.random.default_rng(1).integers(0, 3, (6, size, size)).astype(np.uint8)
    values, policies = answers(net, boards)
    planes = torch.tensor(np.stack((boards == 1, boards == 2), 1)).float()
    with torch.no_grad():
        reported = net(planes)
    assert np.allclose(values, torch.softmax(reported["value"], 1).numpy(), atol=1e-4)
    logits = reported["policy"].flatten(1).numpy()
    logits = (logits - logits.max(1, keepdims=True)).clip(-32767 / 256)  # the largest is 0
    assert np.abs(policies / LOGIT_STEPS - logits).max() < 0.01


def test_each_colour_uses_its_own_net() -> None:
    black, white = FixedNet((0.5, 0.3, 0.2)), FixedNet((0.2, 0.6, 0.2))
    with generator(rule="renju", size=9) as playing:
        playing.set_nets(black, white)
        playing.play(60)
    for net, lead in ((black, 0), (white, 1)):
        assert len(net.asked) > 20
        for planes in net.asked:
            own, other = planes.flatten(2).sum(2).T
            assert (other - own == lead).all()  # black made the first move


def test_one_net_evaluates_both_colours() -> None:
    net = FixedNet((0.5, 0.3, 0.2))
    with generator(size=9) as playing:
        playing.set_nets(net)
        playing.play(60)
    stones = torch.cat([planes.flatten(2).sum(2) for planes in net.asked])
    leads = stones[:, 1] - stones[:, 0]
    assert set(leads.tolist()) == {0.0, 1.0}


def test_new_weights_are_copied() -> None:
    first, second = stirred(tiny_net(1)), tiny_net(2)
    boards = np.random.default_rng(2).integers(0, 3, (4, 9, 9)).astype(np.uint8)
    asking, lane = Inference(9, 4, CPU), BatchBuffer(4, 9, CPU)
    lane.boards[:] = pack(boards, 9)
    result = []
    for nets in ((first,), (second,), (first,), (first, second)):
        asking.set_nets(*nets)
        if nets == (second,):
            for parameter in second.parameters():
                nn.init.zeros_(parameter)  # they were copied before
        asking.start(lane, 2, 2)
        result.append(lane.values.copy())
    assert np.allclose(result[0], result[2])
    assert not np.allclose(result[0], result[1])
    assert not np.allclose(result[1], 1 / 3)
    assert np.allclose(result[3][:2], result[0][:2])
    assert np.allclose(result[3][2:], 1 / 3, atol=1e-3)


def test_invalid_net_outputs_are_reported() -> None:
    with generator() as playing:
        playing.set_nets(FixedNet((float("nan"), 0.5, 0.5)))
        with pytest.raises(TrainingFailed, match="add up to 1"):
            playing.play(10)


class BrokenPolicy(nn.Module):
    """Finite values; one logit is NaN, always or where the side to move holds the corner."""

    def __init__(self, logit: float, everywhere: bool = False) -> None:
        super().__init__()
        self.logit, self.everywhere = logit, everywhere

    def forward(self, planes: torch.Tensor) -> dict[str, torch.Tensor]:
        policy = torch.zeros_like(planes[:, 0])
        broken = torch.ones(len(planes), dtype=torch.bool)
        policy[broken if self.everywhere else planes[:, 0, 0, 0] > 0, 1, 1] = self.logit
        return {"value": torch.zeros(len(planes), 3), "policy": policy}


@pytest.mark.parametrize("logit", [float("nan"), float("inf")])
def test_a_policy_of_nan_is_reported(logit: float) -> None:
    with generator() as playing:
        playing.set_nets(BrokenPolicy(logit, everywhere=True))
        with pytest.raises(TrainingFailed, match="add up to 1"):
            playing.play(10)
    boards = np.zeros((3, 9, 9), np.uint8)
    boards[1, 0, 0] = 1
    values, _ = answers(BrokenPolicy(logit), boards)
    assert np.isnan(values).tolist() == [[False] * 3, [True] * 3, [False] * 3]


def test_a_masked_point_is_no_broken_policy() -> None:
    values, policies = answers(BrokenPolicy(-math.inf, everywhere=True), np.zeros((2, 9, 9), "u1"))
    assert np.allclose(values, 1 / 3)
    assert (policies.reshape(2, 9, 9)[:, 1, 1] == -32767).all()
    assert (np.delete(policies, 10, axis=1) == 0).all()


def test_nets_are_required() -> None:
    with generator() as playing:
        with pytest.raises(BadZero, match="no net"):
            playing.play(1)
        with pytest.raises(BadZero, match="not 3"):
            playing.set_nets(tiny_net(), tiny_net(), tiny_net())
        net = tiny_net()
        del net.heads["policy"]
        with pytest.raises(BadZero, match="policy"):
            playing.set_nets(net)
        playing.set_nets(tiny_net())
        with pytest.raises(BadZero, match="0 positions"):
            playing.play(0)


def test_settings_round_trip() -> None:
    table = {"rule": "renju", "size": 20, "playouts": 32, "full_share": 1, "cut_off": False}
    made = SelfPlaySettings.from_dict(table)
    assert (made.rule, made.size, made.full_share) == ("renju", 20, 1.0)
    assert SelfPlaySettings.from_dict(made.to_dict()) == made


def test_the_benchmark_measures() -> None:
    script = ROOT / "benchmarks" / "zero_selfplay.py"
    few = [
        "--games",
        "6",
        "--seconds",
        "0.2",
        "--playouts",
        "4",
        "--rule",
        "caro",
        "--threads",
        "1",
    ]
    done = subprocess.run(
        [sys.executable, str(script), "--no-net", "--json", *few],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)
    assert output["leaves/s"] > 0
    assert output["settings"]["rule"] == "caro"


def test_the_documentation_has_every_key() -> None:
    text = (ROOT / "docs" / "selfplay.md").read_text("utf-8")
    for key in SelfPlaySettings.settings():
        assert f"| `{key.name}` | `{json.dumps(key.default)}` | {key.help} |\n" in text


def test_every_setting_reaches_the_core() -> None:
    made = small(rule="caro", size=13, root="puct", leaf_vcf=7, opening_noise=0.5)
    native = made.native()
    for name in made.to_dict():
        if name not in ("rule", "root", "result_share", "compile", "graphs"):
            assert getattr(native, name) == getattr(made, name), name
    assert native.rule == list(tengen.Rule).index(tengen.Rule.CARO)
    assert not native.gumbel


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "chess"}, "rule: .*'chess'"),
        ({"root": "gumble"}, "did you mean 'gumbel'"),
        ({"size": 4}, "size: 4 .*5 to 22"),
        ({"games": 1}, "games: 1"),
        ({"playouts": 0}, "playouts: 0"),
        ({"full_share": 0.0}, "full_share: 0"),
        ({"policy_moves": 65}, "use 1 to 64"),
        ({"opening_most": 1}, "opening_most: 1"),
        ({"size": 5, "opening_most": 20}, "opening_most: 20 .*12"),
        ({"move_limit": 7}, "move_limit: .*7"),
        ({"early_moves": 10**10}, "use 0 to 484"),
        ({"result_share": 1.5}, "result_share: 1.5 .*use 0 to 1"),
    ],
)
def test_bad_settings_are_rejected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadZero, match=message):
        small(**changes)


def test_unknown_keys_are_rejected() -> None:
    with pytest.raises(BadZero, match="did you mean 'playouts'"):
        SelfPlaySettings.from_dict({"playout": 3})
