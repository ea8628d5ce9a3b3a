# SPDX-License-Identifier: MIT
"""Nets with known outputs, and small self-play runs, for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets import ResnetSpec, make_net
from tengen.nets.blocks import BoardNet
from tengen.zero.play.selfplay import SelfPlay, SelfPlaySettings

SMALL = SelfPlaySettings(
    games=24,
    groups=2,
    threads=1,
    playouts=8,
    small_playouts=4,
    considered=4,
    won_share=1.0,
    faced_share=1.0,
)


def small(**changes: Any) -> SelfPlaySettings:
    """Settings of a run of some seconds."""
    return replace(SMALL, **changes)


def generator(**changes: Any) -> SelfPlay:
    return SelfPlay(small(**changes), "cpu")


def tiny_net(seed: int = 1) -> BoardNet:
    torch.manual_seed(seed)
    return make_net(ResnetSpec(blocks=1, filters=4))


class FixedNet(nn.Module):
    """Constant value; the policy prefers one point, if set."""

    def __init__(self, value: tuple[float, float, float], point: int | None = None) -> None:
        super().__init__()
        self.logits = torch.tensor(value).clamp(min=1e-6).log()
        self.point = point
        self.asked: list[Tensor] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> FixedNet:
        return self  # so that tests see the requests

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        self.asked.append(planes.clone())
        count, _, height, width = planes.shape
        policy = torch.zeros(count, height * width)
        if self.point is not None:
            policy[:, self.point] = 8.0
        value = self.logits.expand(count, 3).clone()
        return {"value": value, "policy": policy.view(count, height, width)}


class HolderNet(FixedNet):
    """Evaluates the side that holds a point as winning."""

    def __init__(self, point: int) -> None:
        super().__init__((1 / 3, 1 / 3, 1 / 3))
        self.holder = point

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        reported = super().forward(planes)
        held = planes.flatten(2)[:, :, self.holder]
        reported["value"][:, 0] += 5 * (held[:, 0] - held[:, 1])
        reported["value"][:, 1] -= 5 * (held[:, 0] - held[:, 1])
        return reported


class Neighbours(nn.Module):
    """Likes points beside own stones, and sides with many of them; by a negative `taste`, the
    opposite. `added` to all logits changes no chance.
    """

    def __init__(self, taste: float, added: float = 0.0) -> None:
        super().__init__()
        self.taste, self.added = taste, added

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        beside = functional.conv2d(planes, torch.ones(2, 1, 3, 3), padding=1, groups=2)
        held = (beside * planes).sum((2, 3))
        lead = self.taste * (held[:, 0] - held[:, 1]) / 8
        value = torch.stack((lead, -lead, torch.full_like(lead, -4.0)), 1)
        policy = self.taste * (2 * beside[:, 0] + beside[:, 1]) + self.added
        return {"value": value, "policy": policy}
