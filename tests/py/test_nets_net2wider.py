# SPDX-License-Identifier: MIT
"""A larger Mixnet that starts from a smaller one has the same outputs, and can be trained."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from net_boards import random_planes
from tengen.nets import Mixnet, MixnetSpec, ResnetSpec, make_net
from tengen.nets.net2wider import can_widen_to, net2wider_
from tengen.nets.spec import MixnetSize

KINDS = [
    MixnetSpec(),
    MixnetSpec(star=False),
    MixnetSpec(groups=False),
    MixnetSpec(dynamic=False),
    MixnetSpec(conv_relu=False),
]
SIZES: list[tuple[MixnetSize, MixnetSize]] = [("s", "m"), ("m", "l"), ("s", "l")]


def mixnet(spec: MixnetSpec, seed: int) -> Mixnet:
    torch.manual_seed(seed)
    net = make_net(spec)
    assert isinstance(net, Mixnet)
    return net


def widened(kind: MixnetSpec, small: MixnetSize, large: MixnetSize) -> tuple[Mixnet, Mixnet]:
    one = mixnet(replace(kind, size=small), 1)
    other = mixnet(replace(kind, size=large), 2)
    net2wider_(other, one)
    return one.eval(), other.eval()


@pytest.mark.parametrize(("small", "large"), SIZES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_wider_net_has_the_same_outputs(
    kind: MixnetSpec, small: MixnetSize, large: MixnetSize
) -> None:
    one, other = widened(kind, small, large)
    planes = random_planes(16, 9)
    with torch.no_grad():
        output, heard = one(planes), other(planes)
    for name in ("value", "policy"):
        torch.testing.assert_close(heard[name], output[name], atol=1e-5, rtol=1e-5)


@pytest.mark.integration
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_new_units_contribute_after_some_steps(kind: MixnetSpec) -> None:
    _, net = widened(kind, "s", "m")
    before = {name: value.clone() for name, value in net.state_dict().items()}
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    planes = random_planes(32, 9)
    for _ in range(3):
        result = net(planes)
        loss = result["value"].square().sum() + result["policy"].square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    last = net.get_parameter("heads.value.mlp3.weight")
    assert (before["heads.value.mlp3.weight"][:, 32:] == 0).all()
    assert (last[:, 32:] != 0).any()
    for name in ("body.mapping.hv.out.weight", "body.mapping.di.dir0.weight"):
        half = len(before[name]) // 2
        assert (net.get_parameter(name)[half:] != before[name][half:]).any(), name


def test_new_features_depend_on_the_board() -> None:
    _, net = widened(MixnetSpec(), "s", "m")
    with torch.no_grad():
        features = net.trace(random_planes(16, 9))["F"]
    assert (features.amax((0, 2, 3)) > 0).float().mean() > 0.9


def test_which_nets_can_start_from_which() -> None:
    small, large = MixnetSpec("s"), MixnetSpec("m")
    assert can_widen_to(small, large)
    assert not can_widen_to(large, small)
    assert not can_widen_to(small, small)
    assert not can_widen_to(small, replace(large, star=False))
    assert not can_widen_to(ResnetSpec(4, 64), ResnetSpec(6, 96))
    with pytest.raises(ValueError, match="mixnet-m cannot be widened to mixnet-s"):
        net2wider_(mixnet(small, 1), mixnet(large, 2))
