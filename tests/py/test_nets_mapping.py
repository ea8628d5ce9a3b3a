# SPDX-License-Identifier: MIT
"""The mapping nets: whole boards against explicit lines, symmetries, edges."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from net_boards import planes_of, random_planes, random_stones
from tengen.nets.mapping import DIRECTIONS, OFF_BOARD, MappingNet

STEPS = {"row": (1, 0), "column": (0, 1), "diagonal": (1, 1), "antidiagonal": (1, -1)}


@pytest.fixture(scope="module")
def net() -> MappingNet:
    torch.manual_seed(1)
    mapping = MappingNet(8, 16)
    with torch.no_grad():  # biases that are not 0 show a forgotten edge
        for name, parameter in mapping.named_parameters():
            if name.endswith("bias"):
                parameter.add_(torch.randn_like(parameter) * 0.3)
    return mapping.requires_grad_(False)


def lines_through(stones: Tensor, dx: int, dy: int) -> Tensor:
    """[B, H, W, 11] states of the lines through all points, written without cleverness."""
    count, size, _ = stones.shape
    lines = torch.full((count, size, size, 11), OFF_BOARD)
    for y in range(size):
        for x in range(size):
            for k in range(-5, 6):
                at_x, at_y = x + k * dx, y + k * dy
                if 0 <= at_x < size and 0 <= at_y < size:
                    lines[:, y, x, k + 5] = stones[:, at_y, at_x]
    return lines


def same(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("size", [5, 6, 9, 15, 22])
def test_boards_equal_explicit_lines(net: MappingNet, size: int) -> None:
    stones = random_stones(3, size, seed=size)
    features = net(planes_of(stones))
    assert tuple(features) == DIRECTIONS == tuple(STEPS)
    for name, (dx, dy) in STEPS.items():
        part = net.hv if name in ("row", "column") else net.di
        lines = lines_through(stones, dx, dy).reshape(-1, 11)
        expected = part.features_of_lines(lines).reshape(3, size, size, 8)
        same(features[name], expected.permute(0, 3, 1, 2))


def test_longer_lines_change_nothing(net: MappingNet) -> None:
    lines = torch.randint(0, 3, (50, 15))
    same(net.hv.features_of_lines(lines), net.hv.features_of_lines(lines[:, 2:-2]))
    short = torch.cat([torch.full((50, 3), OFF_BOARD), lines[:, :5], lines[:, :3] * 0 + 3], 1)
    same(net.di.features_of_lines(short), net.di.features_of_lines(short[:, 2:-2]))
    with pytest.raises(ValueError, match="odd L"):
        net.hv.features_of_lines(lines[:, 1:])


def test_transposed_boards_swap_rows_and_columns(net: MappingNet) -> None:
    planes = random_planes(4, 9)
    one, other = net(planes), net(planes.transpose(2, 3))
    same(other["row"], one["column"].transpose(2, 3))
    same(other["column"], one["row"].transpose(2, 3))
    same(other["diagonal"], one["diagonal"].transpose(2, 3))


def test_flipped_boards_swap_the_diagonals(net: MappingNet) -> None:
    planes = random_planes(4, 10)
    one, other = net(planes), net(planes.flip(2))
    same(other["diagonal"], one["antidiagonal"].flip(2))
    same(other["antidiagonal"], one["diagonal"].flip(2))
    same(other["row"], one["row"].flip(2))


def test_mirrored_boards_mirror_rows_if_the_taps_are_mirrored(net: MappingNet) -> None:
    mirrored = MappingNet(8, 16).requires_grad_(False)
    weights = {
        name: value.flip(3) if value.dim() == 4 else value
        for name, value in net.state_dict().items()
    }
    mirrored.load_state_dict(weights)
    planes = random_planes(4, 9)
    same(mirrored(planes.flip(3))["row"], net(planes)["row"].flip(3))


def test_patterns_away_from_the_edge_have_the_same_features(net: MappingNet) -> None:
    planes = torch.zeros(1, 2, 22, 22)
    planes[:, :, 7:12, 7:12] = random_planes(3, 5)[1]
    one, other = net(planes), net(planes.roll((2, 1), (2, 3)))
    for name in DIRECTIONS:
        same(other[name][:, :, 7:17, 6:17], one[name][:, :, 5:15, 5:16])
        assert (other[name] - one[name]).abs().max() > 0.01


def test_features_depend_on_five_cells_per_side(net: MappingNet) -> None:
    planes = torch.zeros(2, 2, 15, 15)
    planes[1, 0, 7, 7] = 1
    for name, (dx, dy) in STEPS.items():
        f = net(planes)[name]
        changed = (f[1] - f[0]).abs().amax(0) > 0
        expected = torch.zeros_like(changed)
        for k in range(-5, 6):
            expected[7 + k * dy, 7 + k * dx] = True
        assert not (changed & ~expected).any()
        assert changed.sum() >= 9


def test_features_stay_in_bounds_and_on_the_grid() -> None:
    loud = MappingNet(8, 16).requires_grad_(False)
    for parameter in loud.parameters():
        parameter.mul_(4)
    for f in loud(random_planes(3, 9), quantised=True).values():
        assert f.abs().max() == 16
        assert torch.equal(f * 32, (f * 32).round())


def test_the_empty_line_starts_with_a_small_feature_everywhere() -> None:
    fresh = MappingNet(32, 64).requires_grad_(False)
    middle = fresh(torch.zeros(1, 2, 15, 15))["diagonal"][0, :, 7, 7]
    torch.testing.assert_close(middle, torch.full((32,), 1 / 16), rtol=0, atol=1e-4)
