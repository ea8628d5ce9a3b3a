# SPDX-License-Identifier: MIT
"""A player's nets as one module with the outputs that self-play reads: `value`, the logits of win,
loss and draw, and `policy`. Relies on `tengen.nets`; matches and ONNX export rely on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from tengen.nets.blocks import BoardNet
from tengen.nets.heads import value_logits
from tengen.nets.weights import NetWeights
from tengen.zero.errors import BadZero

_VALUE_HEADS = frozenset(("value", "scalar", "win"))


class ThreeWayValue(nn.Module):
    """A net with another value head, or none, as one with logits of win, loss and draw. `scalar` is
    a head whose tanh is win minus loss, `win` one whose sigmoid is the win rate.
    """

    outputs = ("value", "policy")

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        outputs = self.net(planes)
        policy = outputs["policy"]
        heads = _VALUE_HEADS.intersection(outputs)
        values = {name: outputs[name].float().reshape(-1, 1) for name in heads}
        even = {"scalar": torch.zeros(len(policy), 1, device=policy.device)}
        return {"value": value_logits(values or even), "policy": policy}


class BothColours(nn.Module):
    """Two nets as one: black's is used where both sides have equally many stones."""

    outputs = ("value", "policy")

    def __init__(self, black: nn.Module, white: nn.Module) -> None:
        super().__init__()
        self.black, self.white = black, white

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        stones = planes.sum((2, 3))
        turn = stones[:, 0] >= stones[:, 1]
        first, second = self.black(planes), self.white(planes)
        return {
            name: torch.where(
                turn.view(-1, *[1] * (first[name].dim() - 1)), first[name], second[name]
            )
            for name in self.outputs
        }


def join_nets(nets: Sequence[NetWeights]) -> BoardNet:
    """A player's net, or black's and white's, as one module. Both evaluate every leaf: batches are
    so small that half of one takes as long, and splitting would need a synchronisation with the
    device. Raises BadSpec, BadWeights, BadZero.
    """
    return _joined([net.make() for net in nets])


def _joined(nets: Sequence[BoardNet]) -> BoardNet:
    if len(nets) not in (1, 2):
        raise BadZero(f"a player has one net, or two (black's and white's), not {len(nets)}")
    made = [net if "value" in net.outputs else ThreeWayValue(net).eval() for net in nets]
    return cast("BoardNet", made[0] if len(made) == 1 else BothColours(*made))


def join_checked(nets: Sequence[NetWeights], name: str, size: int, *, searches: bool) -> BoardNet:
    """The same, after an evaluation of the empty board of this size. `searches`: a value head is
    needed. Raises BadZero, which names the player, BadSpec, BadWeights.
    """
    made = [net.make() for net in nets]
    if any("policy" not in net.outputs for net in made):
        raise BadZero(f"{name} has no policy head: it cannot choose moves")
    if searches and any(_VALUE_HEADS.isdisjoint(net.outputs) for net in made):
        raise BadZero(f"{name} has no value head, which a search needs: use 0 playouts")
    joined = _joined(made)
    try:
        with torch.inference_mode():
            outputs = joined(torch.zeros(1, 2, size, size))
    except (RuntimeError, ValueError) as error:  # of torch; or of a net for other boards
        problem = str(error).strip().partition("\n")[0]
        raise BadZero(f"{name} cannot play on {size}x{size}: {problem:.200}") from None
    value, policy = (tuple(outputs[head].shape) for head in ("value", "policy"))
    if value != (1, 3) or policy != (1, size, size):
        problem = f"its value has the shape {value}, its policy {policy}"
        raise BadZero(f"{name} cannot play on {size}x{size}: {problem}")
    return joined
