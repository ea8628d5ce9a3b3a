# SPDX-License-Identifier: MIT
"""The residual net of the pilot that made the data set zero15, to serve as a teacher: its weights
come with the data. Relies on torch; distillation relies on it. It is not trained here and is not
one of the named nets.

It differs from the baselines of `resnet`: a 5x5 stem that also sees a plane of ones (so that it
knows the edge of the board), and heads that look at means and maxima of the whole board.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["PilotNet", "pilot_from_weights"]

_POLICY = 48  # channels of the policy head
_HIDDEN = 128  # width of the value head


class _Block(nn.Module):
    """Two 3x3 convolutions beside a shortcut."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.a = nn.Conv2d(filters, filters, 3, padding=1)
        self.b = nn.Conv2d(filters, filters, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.b(functional.relu(self.a(x))))


class PilotNet(nn.Module):
    """planes [B, 2, H, W] -> value [B, 3], policy [B, H, W]: the keys and shapes of all nets. The
    names of the layers are those of the weights file.
    """

    def __init__(self, blocks: int = 6, filters: int = 128) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, filters, 5, padding=2)
        self.blocks = nn.Sequential(*(_Block(filters) for _ in range(blocks)))
        self.p1 = nn.Conv2d(filters, _POLICY, 1)
        self.pg = nn.Linear(2 * _POLICY, _POLICY)
        self.p2 = nn.Conv2d(_POLICY, 1, 1)
        self.v1 = nn.Linear(2 * filters, _HIDDEN)
        self.v2 = nn.Linear(_HIDDEN, 3)

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        x = torch.cat((planes, torch.ones_like(planes[:, :1])), 1)
        x = self.blocks(functional.relu(self.stem(x)))
        h = functional.relu(self.p1(x))
        h = functional.relu(h + self.pg(_pooled(h))[:, :, None, None])
        value = self.v2(functional.relu(self.v1(_pooled(x))))
        return {"value": value, "policy": self.p2(h)[:, 0]}


def pilot_from_weights(weights: Mapping[str, Tensor]) -> PilotNet:
    """The net that a file's weights are of; its size is read off them. Raises KeyError or
    RuntimeError for weights of another net.
    """
    filters = weights["stem.weight"].shape[0]
    blocks = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blocks."))
    net = PilotNet(blocks, filters)
    net.load_state_dict({name: value.float() for name, value in weights.items()})
    return net


def _pooled(x: Tensor) -> Tensor:
    """[B, C, H, W] -> [B, 2C]: means, then maxima."""
    return torch.cat((x.mean((2, 3)), x.amax((2, 3))), 1)
