# SPDX-License-Identifier: MIT
"""Players as one module: value heads of every kind, and nets that cannot play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest
import torch
from torch import Tensor, nn

from selfplay_nets import tiny_net
from tengen.nets.blocks import BoardNet, PointPolicy, PooledValue
from tengen.nets.weights import NetWeights
from tengen.zero.errors import BadZero
from tengen.zero.gate.joined_nets import ThreeWayValue, join_checked, join_nets

SIZE = 7


class Fixed(nn.Module):
    """Outputs by name; refuses other boards."""

    def __init__(self, **made: Tensor) -> None:
        super().__init__()
        self.made = made
        self.outputs = tuple(made)

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        if planes.shape[2] != SIZE:
            raise RuntimeError("shapes cannot be multiplied\nand more")
        return self.made


def player(**made: Tensor) -> Sequence[NetWeights]:
    class Weights:
        def make(self) -> Any:
            return Fixed(**made)

    return [cast("NetWeights", Weights())]


POLICY = torch.zeros(1, SIZE, SIZE)


@pytest.mark.parametrize(
    ("head", "wins"),
    [("scalar", [(1 + torch.tanh(torch.tensor(0.5)).item()) / 2, 0.5]), ("win", [0.622459, 0.5])],
)
def test_other_value_heads(head: str, wins: list[float]) -> None:
    """The tanh of `scalar` is win minus loss; the sigmoid of `win` is the win rate."""
    made = {head: torch.tensor([[0.5], [0.0]]), "policy": torch.zeros(2, SIZE, SIZE)}
    value = ThreeWayValue(Fixed(**made))(torch.zeros(2, 2, SIZE, SIZE))["value"].softmax(1)
    assert value[:, 0].tolist() == pytest.approx(wins, abs=1e-5)
    assert value[:, 1].tolist() == pytest.approx([1 - win for win in wins], abs=1e-5)
    assert value[:, 2].tolist() == pytest.approx([0.0, 0.0])


def test_a_trained_net_is_itself() -> None:
    net = tiny_net()
    joined = join_nets([NetWeights(net.spec.to_dict(), net.state_dict())])
    assert type(joined) is type(net)


def test_heads_are_computed_from_the_features() -> None:
    net = tiny_net()
    heads = {"policy": PointPolicy(4), "scalar": PooledValue(4, 1)}
    scalar = ThreeWayValue(BoardNet(net.body, heads)).eval()
    outputs = scalar(torch.zeros(3, 2, SIZE, SIZE))
    assert {name: tuple(tensor.shape) for name, tensor in outputs.items()} == {
        "value": (3, 3),
        "policy": (3, SIZE, SIZE),
    }


def test_a_policy_net_plays_without_search() -> None:
    joined = join_checked(player(policy=POLICY), "p", SIZE, searches=False)
    assert joined.outputs == ("value", "policy")
    with pytest.raises(BadZero, match="p has no value head"):
        join_checked(player(policy=POLICY), "p", SIZE, searches=True)


@pytest.mark.parametrize(
    ("made", "size", "message"),
    [
        ({"value": torch.zeros(1, 3)}, SIZE, "x has no policy head"),
        ({"value": torch.zeros(1, 3), "policy": POLICY}, 9, r"x cannot play on 9x9: shapes.*ied$"),
        ({"value": torch.zeros(1, 2), "policy": POLICY}, SIZE, r"value has the shape \(1, 2\)"),
        ({"value": torch.zeros(1, 3), "policy": POLICY[:, 1:]}, SIZE, r"policy \(1, 6, 7\)"),
    ],
)
def test_nets_that_cannot_play(made: dict[str, Tensor], size: int, message: str) -> None:
    with pytest.raises(BadZero, match=message):
        join_checked(player(**made), "x", size, searches=True)


def test_one_or_two_nets() -> None:
    for nets in ([], list(player(policy=POLICY)) * 3):
        with pytest.raises(BadZero, match="one net, or two"):
            join_nets(nets)
