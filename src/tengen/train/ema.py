# SPDX-License-Identifier: MIT
"""The average of a net's weights over the steps, with decaying weights: less noisy than the last
ones, and what a run gives as its result. Relies on torch; the loop relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

__all__ = ["Average"]


class Average:
    """An exponential moving average of all parameters, and of buffers that are real numbers (the
    running means of a normalisation); other buffers are taken as they are.

    In the first steps the decay is smaller, (1 + n) / (10 + n) after n updates, so that the random
    weights of the start are soon forgotten.
    """

    def __init__(self, net: nn.Module, decay: float) -> None:
        self.decay = decay
        self.updates = 0
        self._live: dict[str, Tensor] = dict(net.named_parameters()) | dict(net.named_buffers())
        self._mean = {name: value.detach().clone() for name, value in self._live.items()}
        self._real = [name for name, value in self._live.items() if value.is_floating_point()]

    @torch.no_grad()
    def update(self) -> None:
        """Take in the weights as they are now."""
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        means = [self._mean[name] for name in self._real]
        torch._foreach_lerp_(means, [self._live[name] for name in self._real], 1.0 - decay)
        for name in self._live.keys() - set(self._real):
            self._mean[name].copy_(self._live[name])

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The net has the averaged weights while this is entered. The tensors stay the same ones,
        so a compiled net stays compiled.
        """
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for name, value in self._live.items():
            kept = value.detach().clone()
            value.copy_(self._mean[name])
            self._mean[name].copy_(kept)

    def state(self) -> dict[str, Tensor]:
        """The averaged weights, as the net's own state has them."""
        return dict(self._mean)

    @torch.no_grad()
    def load(self, state: dict[str, Tensor], updates: int) -> None:
        for name, value in self._mean.items():
            value.copy_(state[name])
        self.updates = updates
