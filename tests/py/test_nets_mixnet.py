# SPDX-License-Identifier: MIT
"""Mixnet: shapes, names, clamps, ablations, and the fake-quantised pass against plain integers."""

from __future__ import annotations

from typing import cast

import pytest
import torch
from torch import Tensor, nn

from net_boards import random_planes
from tengen.nets import Mixnet, MixnetSpec, make_net
from tengen.nets.blocks import ClampedLinear, StarBlock
from tengen.nets.mapping import LineConv
from tengen.nets.mixnet import DepthwiseConv, MixnetBody, MixnetPolicy, MixnetValue
from tengen.nets.scales import chunk_sizes

ABLATIONS = [MixnetSpec("s", **{name: False}) for name in MixnetSpec.OPTIONS]


def mixnet(spec: MixnetSpec | str = "mixnet-s", seed: int = 0) -> Mixnet:
    torch.manual_seed(seed)
    net = make_net(spec)
    assert isinstance(net, Mixnet)
    return net


def integers(x: Tensor, scale: int) -> Tensor:
    """x as integers of this scale; fails if it is off the grid."""
    scaled = x.double() * scale
    assert torch.equal(scaled, scaled.round())
    return scaled.long()


def linear(layer: ClampedLinear, x: Tensor) -> Tensor:
    """The sum of a linear layer in integers."""
    weight = (layer.weight.double() * 64).round().long()
    return x @ weight.T + (layer.bias.double() * layer.scale).round().long()


@pytest.mark.parametrize("size", [5, 9, 15, 20, 22])
def test_shapes_and_names(size: int) -> None:
    net = mixnet().requires_grad_(False)
    planes = random_planes(2, size)
    out = net(planes)
    assert net.outputs == ("value", "policy")
    assert tuple(out) == (*net.outputs, "bound_penalty")
    assert tuple(net.eval()(planes)) == net.outputs
    net.train()
    seen = net.trace(planes)
    shapes = {name: tuple(tensor.shape) for name, tensor in seen.items()}
    board = (size, size)
    assert shapes == {
        **{f"f_{d}": (2, 32, *board) for d in ("row", "column", "diagonal", "antidiagonal")},
        **{"F": (2, 32, *board), "F'": (2, 32, *board), "mean": (2, 32), "chunks": (2, 3, 3, 32)},
        **{"G": (2, 3, 3, 32), "G'": (2, 2, 2, 32), "quads": (2, 2, 2, 32)},
        **{"dyn_weight": (2, 16, 16), "dyn_bias": (2, 16), "z": (2, 16, *board)},
        **{"value": (2, 3), "policy": (2, *board), "bound_penalty": (2,)},
    }
    assert all(torch.equal(out[name], seen[name]) for name in out)


@pytest.mark.parametrize("name", ["mixnet-m", "mixnet-l"])
def test_the_larger_ones_run(name: str) -> None:
    net = mixnet(name).requires_grad_(False)
    assert net(random_planes(1, 9))["policy"].shape == (1, 9, 9)


@pytest.mark.parametrize("spec", ABLATIONS, ids=lambda spec: str(spec.name))
def test_ablations_build_run_and_learn(spec: MixnetSpec) -> None:
    net = mixnet(spec)
    for quantised in (False, True):
        net.zero_grad()
        out = net(random_planes(4, 9), quantised)
        assert {name: tuple(x.shape) for name, x in out.items()} == {
            "value": (4, 3),
            "policy": (4, 9, 9),
            "bound_penalty": (4,),
        }
        (out["value"].square().sum() + out["policy"].square().sum()).backward()
        assert all(cast("Tensor", p.grad).abs().sum() > 0 for p in net.parameters())
    net.clamp_()
    exact, rounded = (net.trace(random_planes(4, 9), quantised) for quantised in (False, True))
    assert all((exact[name] - rounded[name]).abs().max() < 0.6 for name in exact)


def test_every_parameter_has_a_gradient_through_the_rounding() -> None:
    net = mixnet()
    out = net(random_planes(6, 9), quantised=True)
    (out["value"].square().sum() + out["policy"].square().sum()).backward()
    still = [n for n, p in net.named_parameters() if not cast("Tensor", p.grad).abs().sum() > 0]
    assert still == []


def test_few_means_start_at_their_bounds() -> None:
    for name in ("mixnet-s", "mixnet-m"):
        mean = mixnet(name).requires_grad_(False).trace(random_planes(9, 15)[:5])["mean"]
        assert (mean >= 127 / 64).float().mean() < 0.05
        assert (mean <= 0).float().mean() < 0.25


@pytest.mark.parametrize("spec", [MixnetSpec("s"), MixnetSpec("s", dynamic=False)])
def test_clamped_weights_bound_the_activations(spec: MixnetSpec) -> None:
    net = mixnet(spec).requires_grad_(False)
    for parameter in net.parameters():
        parameter.mul_(1e6)
    net.clamp_()
    for module in net.modules():
        if isinstance(module, ClampedLinear):
            assert module.weight.abs().max() <= 127 / 64
            assert module.bias.abs().max() <= 2**28 / module.scale
        if isinstance(module, LineConv):
            assert module.weight.abs().max() <= 16
            assert cast("Tensor", module.bias).abs().max() <= 16
        if isinstance(module, DepthwiseConv):
            assert module.weight.abs().max() <= 32767 / 32768
            assert cast("Tensor", module.bias).abs().max() <= 256
    for quantised in (False, True):
        seen = net.trace(random_planes(3, 9), quantised)
        assert all(torch.isfinite(x).all() for x in seen.values())
        for name, most in {
            **{"f_row": 16.0, "f_diagonal": 16.0, "F": 64.0, "F'": 26624 / 32, "mean": 127 / 64},
            **{"chunks": 127 / 64, "G": 127 / 64, "quads": 127 / 64, "dyn_weight": 2047 / 256},
            **{"dyn_bias": 8192.0, "z": 4095 / 256, "policy": 2**31 / 65536},
        }.items():
            assert seen[name].abs().max() <= most, name


def test_a_fresh_net_is_within_all_clamps() -> None:
    net = mixnet("mixnet-m")
    before = {name: value.clone() for name, value in net.state_dict().items()}
    net.clamp_()
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


# Greatest differences that rounding alone may make in a fresh S, measured and doubled.
NEAR = {
    **{"f_row": 0.025, "f_column": 0.025, "f_diagonal": 0.025, "f_antidiagonal": 0.025},
    **{"F": 0.1, "F'": 0.25, "mean": 0.1, "chunks": 0.1, "G": 0.3, "G'": 0.15, "quads": 0.3},
    **{"dyn_weight": 0.16, "dyn_bias": 0.16, "z": 0.8, "value": 0.1, "policy": 0.3},
}


@pytest.mark.parametrize("size", [9, 15])
def test_fake_quantised_is_close_to_float(size: int) -> None:
    net = mixnet().requires_grad_(False)
    planes = random_planes(8, size)
    exact, rounded = net.trace(planes), net.trace(planes, quantised=True)
    assert set(exact) == {*NEAR, "bound_penalty"}
    for name, most in NEAR.items():
        assert (exact[name] - rounded[name]).abs().max() < most, name
        assert not torch.equal(exact[name], rounded[name])


def test_fake_quantised_float32_is_close_to_float64() -> None:
    net = mixnet().requires_grad_(False)
    planes = random_planes(8, 15)
    single = net(planes, quantised=True)
    double = net.double()(planes.double(), quantised=True)
    for name in single:
        assert (single[name] - double[name]).abs().max() < 0.02


def test_the_convolution_equals_integers() -> None:
    torch.manual_seed(3)
    conv = DepthwiseConv(6).double().requires_grad_(False)
    conv.weight.uniform_(-1, 1)
    cast("Tensor", conv.bias).uniform_(-3, 3)
    conv.clamp_()
    x = torch.randint(0, 2049, (2, 6, 7, 7))
    weight = (conv.weight * 32768).round().long()
    bias = (cast("Tensor", conv.bias) * 32).round().long()
    padded = nn.functional.pad(x, (1, 1, 1, 1))
    total = bias[None, :, None, None].expand(2, 6, 7, 7).clone()
    for dy in range(3):
        for dx in range(3):
            w = weight[:, 0, dy, dx][None, :, None, None]
            total += (padded[:, :, dy : dy + 7, dx : dx + 7] * w + 2**14) >> 15
    assert torch.equal(integers(conv(x.double() / 32, quantised=True), 32), total)


@pytest.mark.parametrize("size", [5, 14, 15, 22])
def test_means_equal_integers(size: int) -> None:
    torch.manual_seed(size)
    body = MixnetBody(MixnetSpec("s"))
    most = torch.tensor([50, 200, 5000])[:, None, None, None]
    x = (torch.rand(3, 32, size, size) * most).long()
    result = body._pool(x.double() / 32, quantised=True)
    cuts = chunk_sizes(size)
    edges = [0, cuts[0], cuts[0] + cuts[1], size]

    def mean(part: Tensor) -> Tensor:
        area = part.shape[2] * part.shape[3]
        factor = (131072 + area // 2) // area
        total = part.sum((2, 3)).clamp(max=64 * area)
        return ((total * factor + 32768) >> 16).clamp(max=127)

    assert torch.equal(integers(result.mean, 64), mean(x))
    for i in range(3):
        for j in range(3):
            part = x[:, :, edges[i] : edges[i + 1], edges[j] : edges[j + 1]]
            assert torch.equal(integers(result.chunks[:, i, j], 64), mean(part))


def test_the_star_block_equals_integers() -> None:
    torch.manual_seed(5)
    star = StarBlock(32, 24).double().requires_grad_(False)
    for layer in (star.lin1, star.lin2, star.lin3):
        layer.bias.normal_(std=0.3)
    x = torch.randint(0, 128, (50, 32))
    a = ((linear(star.lin1, x) + 32) >> 6).clamp(0, 127)
    b = ((linear(star.lin2, x) + 32) >> 6).clamp(-127, 127)
    pairs = (a * b)[:, 0::2] + (a * b)[:, 1::2]
    expected = ((linear(star.lin3, pairs) + 2048) >> 12).clamp(0, 127)
    assert torch.equal(integers(star(x.double() / 64, quantised=True), 64), expected)
    assert 0 < expected.double().mean() < 127


def test_the_policy_head_equals_integers() -> None:
    net = mixnet().double().requires_grad_(False)
    seen = net.trace(random_planes(4, 9).double(), quantised=True)
    head = cast("MixnetPolicy", net.heads["policy"])
    h = ((linear(head.lin1, integers(seen["mean"], 64)) + 32) >> 6).clamp(0, 127)
    made = linear(head.dyn, h)
    weight = ((made[:, :256] + 8) >> 4).clamp(-2047, 2047).reshape(4, 16, 16)
    bias = made[:, 256:] * 2
    assert torch.equal(integers(seen["dyn_weight"], 256), weight)
    assert torch.equal(integers(seen["dyn_bias"], 8192), bias)
    x = integers(seen["F'"], 32)[:, :16].clamp(max=2047)
    total = torch.einsum("boc,bcyx->boyx", weight, x) + bias[:, :, None, None]
    z = ((total + 16) >> 5).clamp(0, 4095)
    assert torch.equal(integers(seen["z"], 256), z)
    out = (head.out_weight * 256).round().long()
    logits = torch.einsum("o,boyx->byx", out, z) + (head.out_bias * 65536).round().long()
    assert torch.equal(integers(seen["policy"], 65536), logits)


def test_the_value_head_equals_integers() -> None:
    net = mixnet().double().requires_grad_(False)
    seen = net.trace(random_planes(4, 9).double(), quantised=True)
    groups = integers(seen["G"], 64)
    fours = groups[:, :2, :2] + groups[:, 1:, :2] + groups[:, :2, 1:] + groups[:, 1:, 1:]
    assert torch.equal(integers(seen["G'"], 64), (fours + 2) >> 2)
    head, chunks = cast("MixnetValue", net.heads["value"]), seen["chunks"]
    for i, j, kind in [(0, 2, "corner"), (1, 0, "edge"), (2, 1, "edge"), (1, 1, "centre")]:
        block = getattr(head, kind)
        assert torch.equal(seen["G"][:, i, j], block(chunks[:, i, j], True))
    quads = integers(seen["quads"], 64).flatten(1)
    x = torch.cat([integers(seen["mean"], 64), quads], 1)
    for layer in (head.mlp1, head.mlp2):
        x = ((linear(layer, x) + 32) >> 6).clamp(0, 127)
    assert torch.equal(integers(seen["value"], 4096), linear(head.mlp3, x))


@pytest.mark.parametrize("spec", [MixnetSpec("s"), *ABLATIONS], ids=lambda spec: str(spec.name))
def test_rounded_weights_are_those_of_the_rounded_pass(spec: MixnetSpec) -> None:
    net = mixnet(spec).requires_grad_(False)
    planes = random_planes(4, 9)
    exact, before = net(planes), net(planes, quantised=True)
    net.round_()
    after = net(planes, quantised=True)
    assert all(torch.equal(after[name], before[name]) for name in before)
    assert not torch.equal(net(planes)["value"], exact["value"])
    once = {name: value.clone() for name, value in net.state_dict().items()}
    net.round_()
    assert all(torch.equal(value, once[name]) for name, value in net.state_dict().items())


def test_autocast_leaves_the_heads_in_full_precision() -> None:
    net = mixnet().requires_grad_(False)
    planes = random_planes(3, 7)
    exact = net(planes)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        short = net(planes)
    for name, x in short.items():
        assert x.dtype == torch.float32
        assert (x - exact[name]).abs().max() < 0.15


@pytest.mark.integration
def test_autocast_leaves_the_rounded_pass_on_its_grids() -> None:
    net = mixnet()
    planes = random_planes(3, 9)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        seen = net.trace(planes, quantised=True)
    for name, scale in {
        **{"f_row": 32, "f_column": 32, "f_diagonal": 32, "f_antidiagonal": 32, "F": 32, "F'": 32},
        **{"mean": 64, "chunks": 64, "G": 64, "G'": 64, "quads": 64},
        **{"dyn_weight": 256, "z": 256, "value": 4096, "policy": 65536},
    }.items():
        integers(seen[name].detach(), scale)
    exact = net(planes, quantised=True)
    assert (seen["value"] - exact["value"]).abs().max() < 0.15
    loss = seen["value"].square().sum() + seen["policy"].square().sum()
    loss.backward()  # type: ignore[no-untyped-call]
    assert all(cast("Tensor", p.grad).abs().sum() > 0 for p in net.parameters())


@pytest.mark.integration
@pytest.mark.parametrize("bias", [-4.0, 4.0])
def test_bound_penalty_reactivates_channels(bias: float) -> None:
    """From silence, and from means beyond their bound, where no output has a gradient."""
    net = mixnet()
    planes = random_planes(8, 7)
    with torch.no_grad():
        for line in ("hv", "di"):
            net.get_parameter(f"body.mapping.{line}.out.bias")[20] += bias

    def spread() -> float:
        with torch.no_grad():
            return float(net.body(planes).chunks[..., 20].std())

    assert spread() == 0.0
    optimiser = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(60):
        net(planes)["bound_penalty"].mean().backward()
        optimiser.step()
        optimiser.zero_grad()
    assert spread() > 0.0
