# SPDX-License-Identifier: MIT
"""Residual nets, composition of heads, and parameter counts against the paper's."""

from __future__ import annotations

import pytest
import torch

from net_boards import random_planes
from tengen.nets import NETS, Resnet, ResnetSpec, count_operations, count_parameters, make_net
from tengen.nets.blocks import PointPolicy, PooledValue
from tengen.nets.resnet import ResnetBody


@pytest.mark.parametrize("size", [5, 9, 15, 20, 22])
def test_shapes_and_names(size: int) -> None:
    net = make_net(ResnetSpec(2, 16))
    out = net(random_planes(3, size))
    assert tuple(out) == net.outputs == ("value", "policy")
    assert {name: tuple(x.shape) for name, x in out.items()} == {
        "value": (3, 3),
        "policy": (3, size, size),
    }
    net.clamp_()  # every net has it; here it has nothing to do


def test_other_heads_can_be_passed() -> None:
    heads = {"scalar": PooledValue(16, outputs=1), "moves": PointPolicy(16)}
    net = Resnet(ResnetSpec(1, 16), heads)
    out = net(random_planes(2, 9))
    assert {name: tuple(x.shape) for name, x in out.items()} == {
        "scalar": (2, 1),
        "moves": (2, 9, 9),
    }


@pytest.mark.parametrize("norm", [True, False])
def test_blocks_start_as_identity(norm: bool) -> None:
    torch.manual_seed(0)
    body = ResnetBody(ResnetSpec(3, 16, norm)).eval().requires_grad_(False)
    planes = random_planes(2, 9)
    torch.testing.assert_close(body(planes), torch.relu(body.stem(planes)))


@pytest.mark.parametrize(
    ("name", "parameters", "operations"),  # of the paper's Table 1, in thousands
    [
        ("resnet-4b64f", 298, 67089),
        ("resnet-6b96f", 1001, 225396),
        ("resnet-10b128f", 2960, 666403),
        ("resnet-15b192f", 9976, 2245493),
        ("resnet-20b256f", 23631, 5318727),
    ],
)
def test_counts_are_the_papers(name: str, parameters: int, operations: int) -> None:
    counted = count_parameters(name)
    assert counted.mapping == counted.codebook == 0
    assert counted.trained / 1000 == pytest.approx(parameters, rel=0.0003)
    work = count_operations(name)
    assert work.as_in_paper // 1000 == operations
    assert work.multiply_adds / 1000 == pytest.approx(operations, rel=0.01)


@pytest.mark.parametrize(
    ("name", "mapping", "feed_forward", "codebook"),
    [
        ("mixnet-s", 137_152, 37_636, 25_439_232),
        ("mixnet-m", 544_640, 146_916, 50_878_464),
        ("mixnet-l", 2_170_624, 580_516, 101_756_928),
    ],
)
def test_parameters_of_mixnet(name: str, mapping: int, feed_forward: int, codebook: int) -> None:
    counted = count_parameters(name)
    assert (counted.mapping, counted.feed_forward) == (mapping, feed_forward)
    assert counted.codebook == codebook
    assert counted.trained == mapping + feed_forward


def test_operations_of_mixnet_by_hand() -> None:
    points, c = 15 * 15, 32
    conv = 9 * c // 2 * points
    policy = c * c + c * 272 + (16 * 16 + 16) * points
    star = 5 * c * c
    value = 13 * star + 5 * c * c + c * c + 3 * c
    work = count_operations("mixnet-s")
    assert work.feed_forward == conv + policy + value
    line = 3 * 2 * 64 + 4 * 4 * 64 * 64 + 64 * 32
    assert work.mapping == line * 2 * (points + 15 * 16)  # 16 cells for 15 on the diagonals
    assert work.normalised == 0
    assert count_operations("mixnet-s", 20).mapping > work.mapping


def test_all_nets_can_be_counted() -> None:
    sizes = [count_parameters(name).trained for name in NETS]
    assert sizes[:3] == sorted(sizes[:3])
    assert sizes[3:9] == sorted(sizes[3:9])
    assert all(sizes)
