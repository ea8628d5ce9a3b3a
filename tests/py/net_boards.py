# SPDX-License-Identifier: MIT
"""Random boards as input planes, for the tests of nets."""

from __future__ import annotations

import torch
from torch import Tensor


def random_stones(count: int, size: int, seed: int = 0) -> Tensor:
    """States [B, H, W] (0 empty, 1 own, 2 opponent); the first board is empty, the last is full."""
    make = torch.Generator().manual_seed(seed)
    fill = torch.linspace(0, 1, count)[:, None, None]
    stones = torch.randint(1, 3, (count, size, size), generator=make)
    return stones * (torch.rand(count, size, size, generator=make) < fill)


def planes_of(stones: Tensor) -> Tensor:
    """Planes [B, 2, H, W] of states."""
    return torch.stack([stones == 1, stones == 2], 1).float()


def random_planes(count: int, size: int, seed: int = 0) -> Tensor:
    """Planes [B, 2, H, W] of random boards."""
    return planes_of(random_stones(count, size, seed))
