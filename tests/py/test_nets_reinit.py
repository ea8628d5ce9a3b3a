# SPDX-License-Identifier: MIT
"""Dead units are found and reinitialised; the outputs of the net hardly change."""

from __future__ import annotations

import copy
from typing import cast

import pytest
import torch

from net_boards import random_planes
from tengen.nets import Mixnet, MixnetSpec, make_net
from tengen.nets.reinit_dead_units import reinit_dead_units

SIZE = 7


def mixnet(spec: MixnetSpec | str = "mixnet-s") -> Mixnet:
    torch.manual_seed(0)
    net = make_net(spec)
    assert isinstance(net, Mixnet)
    return net.requires_grad_(False)


def set_feature(net: Mixnet, channel: int, bias: float) -> None:
    for line in ("hv", "di"):
        net.get_parameter(f"body.mapping.{line}.out.bias")[channel] = bias


def chance() -> torch.Generator:
    return torch.Generator().manual_seed(3)


@pytest.fixture
def planes() -> torch.Tensor:
    return random_planes(32, SIZE)


@pytest.fixture(scope="module")
def prepared() -> Mixnet:
    made, planes = mixnet(), random_planes(32, SIZE)
    for _ in range(3):
        if not reinit_dead_units(made, planes, chance()):
            break
    assert reinit_dead_units(made, planes, chance()) == {}
    return made


@pytest.fixture
def net(prepared: Mixnet) -> Mixnet:
    """A net without dead units."""
    return copy.deepcopy(prepared)


def changes(net: Mixnet, planes: torch.Tensor) -> torch.Tensor:
    """By how much each channel's means differ between positions."""
    return cast("torch.Tensor", net.body(planes).chunks.flatten(0, 2).std(0))


def test_a_net_without_dead_units_is_not_changed(net: Mixnet, planes: torch.Tensor) -> None:
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    assert reinit_dead_units(net, planes, chance()) == {}
    assert all(torch.equal(tensor, before[name]) for name, tensor in net.state_dict().items())


@pytest.mark.parametrize("bias", [-50.0, 50.0])
@pytest.mark.parametrize("channel", [3, 20])
def test_features_at_their_bounds(
    net: Mixnet, planes: torch.Tensor, channel: int, bias: float
) -> None:
    set_feature(net, channel, bias)
    before = net(planes)
    assert changes(net, planes)[channel] < 1e-6
    assert reinit_dead_units(net, planes, chance())["features"] == 1
    assert changes(net, planes)[channel] > 0.01
    after = net(planes)
    # What it said goes on being heard. The policy reads a channel of the first half at points.
    assert (after["value"] - before["value"]).abs().mean() < 0.1
    if channel >= 16 or bias < 0:
        assert (after["policy"] - before["policy"]).abs().mean() < 0.3


@pytest.mark.parametrize("bias", [-50.0, 50.0])
@pytest.mark.parametrize("name", ["value 1", "value 2", "policy", "quads"])
def test_units_of_the_heads(net: Mixnet, planes: torch.Tensor, name: str, bias: float) -> None:
    layer = {"value 1": "value.mlp1", "value 2": "value.mlp2", "policy": "policy.lin1"}
    net.get_parameter(f"heads.{layer.get(name, 'value.quad.lin3')}.bias")[5] = bias
    before = net(planes)
    result = reinit_dead_units(net, planes, chance())
    assert result[name] == 1
    after = net(planes)
    for output in ("value", "policy"):
        assert (after[output] - before[output]).abs().mean() < 0.1
    assert reinit_dead_units(net, planes, chance()) == {}


def test_factors_of_star_blocks(net: Mixnet, planes: torch.Tensor) -> None:
    bias = net.get_parameter("heads.value.edge.lin1.bias")
    bias[7] = -50.0
    assert reinit_dead_units(net, planes, chance())["edge star"] == 1
    assert float(bias[7]) > -2


@pytest.mark.parametrize("off", ["star", "groups", "dynamic", "conv_relu"])
def test_nets_without_some_part(planes: torch.Tensor, off: str) -> None:
    made = mixnet(f"mixnet-s-no-{off.replace('_', '-')}")
    set_feature(made, 30, -50.0)
    assert reinit_dead_units(made, planes, chance())["features"] >= 1


def test_the_same_seed_gives_the_same_weights(planes: torch.Tensor) -> None:
    made = [mixnet() for _ in range(2)]
    for net in made:
        set_feature(net, 9, -50.0)
        reinit_dead_units(net, planes, chance())
    one, other = (net.state_dict() for net in made)
    assert all(torch.equal(one[name], other[name]) for name in one)
