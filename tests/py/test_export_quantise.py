# SPDX-License-Identifier: MIT
"""From float weights to integers: exact numbers, and errors for weights that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mixnet_nets import TinySpec, part, tiny_net
from tengen.engine.errors import BadNet
from tengen.engine.net_file import parse_net
from tengen.engine.net_layout import Architecture, layout
from tengen.export.quantise import architecture_of, net_bytes, net_file, quantise
from tengen.game.rule import Colour, Rule
from tengen.nets import MIXNET_SCALES, NETS, MixnetSpec, ResnetSpec
from tengen.nets.dequantise import dequantise
from tengen.nets.mixnet import Mixnet
from tengen.nets.spec import BadSpec, spec_of_architecture
from tengen.reference import mixnet as reference

S = MIXNET_SCALES


def test_integers_are_the_nearest_ones() -> None:
    net = tiny_net(1)
    result = quantise(net).tensors
    weight = part(net, "heads.value.corner.lin3.weight").detach().double().numpy()
    assert np.abs(result["value.corner.lin3.w"] - weight * 64).max() <= 0.5
    bias = part(net, "heads.value.corner.lin3.bias").detach().double().numpy()
    assert np.abs(result["value.corner.lin3.b"] - bias * 2**18).max() <= 0.5
    conv = part(net, "body.conv.weight").detach().double().numpy()
    assert (result["conv.w"] == np.rint(conv.reshape(-1, 9) * 32768)).all()
    out = part(net, "heads.policy.out_weight").detach().double().numpy()
    assert (result["policy.out.w"] == np.rint(out * 256)).all()


def test_taps_and_directions_keep_their_places() -> None:
    net = tiny_net(2)
    result = quantise(net).tensors
    third = "body.mapping.hv.blocks.2"
    for name, source in (
        ("di.dir0.w", "body.mapping.di.dir0.weight"),
        ("hv.dir3.w", f"{third}.dir.weight"),
        ("hv.pw3.w", f"{third}.pw.weight"),
        ("hv.pw3.b", f"{third}.pw.bias"),
    ):
        expected = part(net, source).detach().numpy().squeeze()
        assert (result[name] == expected.astype(result[name].dtype)).all(), name


def test_ties_round_to_even() -> None:
    net = tiny_net(3)
    with torch.no_grad():
        part(net, "heads.value.mlp3.weight")[0, :4] = torch.tensor([0.5, 1.5, 2.5, -0.5]) / 64
    assert quantise(net).tensors["value.mlp3.w"][0, :4].tolist() == [0, 2, 2, 0]


def test_all_limits_of_the_format_are_those_of_the_scales() -> None:
    limits = {row.name: row.limit for row in layout(architecture_of(MixnetSpec("l")))}
    assert limits["conv.w"] == S.conv_weight_limit
    assert limits["conv.b"] == S.conv_bias_limit
    assert limits["policy.dyn.w"] == limits["value.quad.lin3.w"] == S.weight_limit
    assert limits["policy.dyn.b"] == limits["value.quad.lin3.b"] == S.bias_limit
    assert limits["policy.out.w"] == S.policy_weight_limit
    assert limits["policy.out.b"] == S.policy_bias_limit
    assert limits["hv.dir0.w"] == limits["di.out.b"] == 0
    assert S.linear == reference.VALUE_SCALE
    assert S.policy == reference.POLICY_SCALE
    assert S.dynamic_bias_limit == reference.DYNAMIC_BIAS_LIMIT
    assert reference.DYNAMIC_LIMIT == S.dynamic_weight_limit == S.policy_input_limit


def test_weights_out_of_bounds_are_reported_with_counts_and_extremes() -> None:
    net = tiny_net(4)
    with torch.no_grad():
        part(net, "heads.policy.lin1.weight")[0, :3] = torch.tensor([2.5, -7.25, 1.9])
        part(net, "body.conv.bias")[1] = 300
        part(net, "body.mapping.hv.out.weight")[0, 0] = 1e5
        part(net, "body.mapping.di.out.bias")[2] = torch.nan
    with pytest.raises(BadNet) as caught:
        quantise(net)
    text = str(caught.value)
    assert "policy.lin1.w: 2 of 1024 weights are beyond 127/64 = 1.984" in text
    assert "-7.25 to" in text
    assert "conv.b: 1 of 16 weights are beyond 8192/32 = 256" in text
    assert "hv.out.w: 1 of 192 weights exceed f16" in text
    assert "di.out.b: 1 of 32 weights exceed f32" in text


def test_weights_at_their_bounds_fit() -> None:
    net = tiny_net(5, spread=100)  # `clamp_` leaves nearly all of them at their bounds
    result = quantise(net).tensors
    assert (
        np.abs(result["value.quad.lin1.w"]).min() < np.abs(result["value.quad.lin1.w"]).max() == 127
    )
    assert np.abs(result["conv.w"]).max() == 32767
    assert np.abs(result["policy.out.w"]).max() <= 8191


def test_small_weights_of_the_mapping_nets_are_reported() -> None:
    net = tiny_net(6)
    assert quantise(net).notes == ()
    with torch.no_grad():
        part(net, "body.mapping.hv.blocks.0.pw.weight")[0, :2, 0, 0] = torch.tensor([3e-5, 1e-9])
    (note,) = quantise(net).notes
    assert note == "hv.pw1.w: 2 of 36 weights are below 2^-14 and lose bits, 1 of them become 0"


def test_a_file_loads_as_the_same_net() -> None:
    net = tiny_net(7)
    made = net_file(net, (Rule.RENJU,), (15,), (Colour.WHITE,), name="x", run="r", description="d")
    assert made.header.scales["weight_limit"] == 127
    again = parse_net(net_bytes(made))
    assert again.header.colours == (Colour.WHITE,)
    other = Mixnet(TinySpec())
    dequantise(other, again.tensors)
    for name, tensor in quantise(other).tensors.items():
        assert np.array_equal(tensor, made.tensors[name]), name


@pytest.mark.parametrize("size", ["s", "m", "l"])
def test_every_mixnet_has_its_architecture(size: str) -> None:
    spec = NETS[f"mixnet-{size}"]
    result = architecture_of(spec)
    assert Architecture.parse(str(result)) == result
    assert spec_of_architecture(str(result)) == spec


def test_nets_that_cannot_be_exported() -> None:
    with pytest.raises(BadNet, match="resnet-4b64f is not a Mixnet"):
        architecture_of(ResnetSpec())
    with pytest.raises(BadNet, match="without star"):
        architecture_of(MixnetSpec("s", star=False))
    with pytest.raises(BadSpec, match="no Mixnet of this version"):
        spec_of_architecture(str(Architecture(32, 6, 8, 16)))


def test_file_sizes() -> None:
    """S below 0.5 MB, M below 1.6 MB, L below 6 MB."""
    for size, most in (("s", 0.5e6), ("m", 1.6e6), ("l", 6e6)):
        net = Mixnet(MixnetSpec(size))  # type: ignore[arg-type]
        data = net_bytes(net_file(net, (Rule.FREESTYLE,), (15,)))
        assert len(data) < most
