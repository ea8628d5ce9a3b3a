# SPDX-License-Identifier: MIT
"""Nets at work for self-play: packed leaves in, chances and policies out, several batches under way
at once. On a GPU the answers of one batch are worked out while the cores are busy with another.

Relies on torch and the nets; `selfplay` relies on it. Shapes: B leaves, P = size * size points.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from tengen.data.packing import bytes_of
from tengen.nets.resnet import ResidualBlock
from tengen.train.errors import BadTraining

__all__ = ["LOGIT_STEPS", "Inference", "Lane"]

LOGIT_STEPS = 256  # of a logit of the policy, which is told as a whole number
_MOST_LOGIT = 32767
_PARTS = 8  # two nets: sub-batches are filled up to so many different lengths
_WARM_UP = 3  # runs before a CUDA graph is recorded


class Lane:
    """A batch on its way: leaves for the net, and its answers. The arrays are the memory that both
    sides use, pinned where there is a GPU.
    """

    def __init__(self, rows: int, size: int, device: torch.device) -> None:
        pin = device.type == "cuda"
        self.is_asked = False  # whether answers to the leaves are there or on their way
        self._boards = torch.zeros(rows, bytes_of(size), dtype=torch.uint8, pin_memory=pin)
        self._values = torch.zeros(rows, 3, pin_memory=pin)
        self._policies = torch.zeros(rows, size * size, dtype=torch.int16, pin_memory=pin)
        # Waiting for it leaves the core to the games.
        self._done = torch.cuda.Event(blocking=True) if pin else None  # type: ignore[no-untyped-call]

    @property
    def boards(self) -> npt.NDArray[np.uint8]:
        """uint8 [B, bytes_of(size)], as `tengen.data.packing` has them."""
        return self._boards.numpy()

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """float32 [B, 3]: chances of win, loss and draw of the side to move."""
        return self._values.numpy()

    @property
    def policies(self) -> npt.NDArray[np.int16]:
        """int16 [B, P]: logits below the largest one, LOGIT_STEPS to one."""
        return self._policies.numpy()

    def wait(self) -> None:
        """Until the answers are there."""
        if self._done is not None:
            self._done.synchronize()

    def mark(self) -> None:
        """The answers are there when all that was begun so far is done."""
        if self._done is not None:
            self._done.record()

    def ask(self, runner: _Runner, first: int, last: int) -> None:
        """Begin with the leaves first … last - 1."""
        part = slice(first, last)
        runner.run(self._boards[part], self._values[part], self._policies[part])


class Inference:
    """Answers lanes with one net, or with one for each colour."""

    def __init__(self, size: int, rows: int, device: torch.device, **options: bool) -> None:
        """`rows`: the most leaves of a lane. `options`: compile, graphs, and urgent, which lets
        its batches go before other work of this process, such as learning.
        """
        self.size, self.rows, self.device = size, rows, device
        self._options = options
        on_gpu = device.type == "cuda"
        if on_gpu:  # for the whole process: batches always have the same length
            torch.backends.cudnn.benchmark = True
        first = {"priority": -1 if options.get("urgent") else 0}  # lower numbers go first
        self._stream = torch.cuda.Stream(device, **first) if on_gpu else None  # type: ignore[no-untyped-call]
        self._nets: list[nn.Module] = []
        self._runners: dict[tuple[int, int], _Runner] = {}

    def use(self, *nets: nn.Module) -> None:
        """Take over the weights of one net, or of two: black's and white's."""
        if len(nets) not in (1, 2):
            raise BadTraining(
                f"self-play uses one net, or two: black's and white's; not {len(nets)}"
            )
        fresh = [_for_inference(net) for net in nets]
        if self._stream is not None:  # the weights may still be on their way
            self._stream.wait_stream(torch.cuda.current_stream(self.device))
        with self._on_stream(), torch.no_grad():
            if len(fresh) == len(self._nets) and all(map(_fit, self._nets, fresh)):
                for old, new in zip(self._nets, fresh, strict=True):
                    _copy(old, new)  # in place: graphs that were recorded see it
            else:
                self._runners.clear()
                self._nets = [_placed(net, self.device) for net in fresh]
        if self._stream is not None:  # before the copies are gone
            self._stream.synchronize()

    @property
    def is_ready(self) -> bool:
        """Whether there is a net."""
        return bool(self._nets)

    def start(self, lane: Lane, count: int, black: int) -> None:
        """Begin with a lane's first `count` leaves, of which the first `black` have black to move.
        `Lane.wait` waits for the answers.
        """
        with self._on_stream(), torch.inference_mode():
            if len(self._nets) == 1:
                self._ask(lane, 0, 0, count, self.rows)
            else:
                step = -(-self.rows // _PARTS)
                for net, first, last in ((0, 0, black), (1, black, count)):
                    length = min(self.rows, -(-(last - first) // step) * step)
                    self._ask(lane, net, first, last, length)
            lane.mark()

    def _ask(self, lane: Lane, net: int, first: int, last: int, length: int) -> None:
        if first == last:
            return
        if self.device.type == "cpu":
            length = last - first  # nothing is gained by equal lengths
            runner = _Runner(self._nets[net], length, self.size, self.device, {})
        elif (net, length) in self._runners:
            runner = self._runners[net, length]
        else:
            runner = _Runner(self._nets[net], length, self.size, self.device, self._options)
            self._runners[net, length] = runner
        lane.ask(runner, first, last)

    def _on_stream(self) -> Any:
        return torch.cuda.stream(self._stream)  # without a stream: nothing

    def close(self) -> None:
        """Give the memory back."""
        if self._stream is not None:
            self._stream.synchronize()
        self._runners.clear()
        self._nets.clear()


class _Runner:
    """A net on batches of one length, with memory of its own on the device."""

    def __init__(
        self, net: nn.Module, rows: int, size: int, device: torch.device, options: dict[str, bool]
    ) -> None:
        self._device = device
        self._boards = torch.zeros(rows, bytes_of(size), dtype=torch.uint8, device=device)
        self._shifts = torch.tensor([0, 2, 4, 6], dtype=torch.uint8, device=device)
        self._net, self._size = net, size
        self._forward: Callable[[Tensor], tuple[Tensor, Tensor]] = self._answer
        self._graph: torch.cuda.CUDAGraph | None = None
        if options.get("compile"):
            mode = "max-autotune-no-cudagraphs"
            self._forward = torch.compile(self._answer, mode=mode, dynamic=False)
        if device.type == "cuda" and options.get("graphs"):
            self._record()

    def _record(self) -> None:
        for _ in range(_WARM_UP):
            self._forward(self._boards)
        torch.cuda.current_stream().synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=torch.cuda.current_stream()):
            self._values, self._policies = self._forward(self._boards)

    def run(self, boards: Tensor, values: Tensor, policies: Tensor) -> None:
        """From and to the memory of the host; on a GPU it only begins."""
        count = len(boards)
        self._boards[:count].copy_(boards, non_blocking=True)
        if self._graph is not None:
            self._graph.replay()
        else:
            self._values, self._policies = self._forward(self._boards)
        values.copy_(self._values[:count], non_blocking=True)
        policies.copy_(self._policies[:count], non_blocking=True)

    def _answer(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Packed boards [B, …] to chances [B, 3] and whole logits [B, P]. Where the logits are no
        numbers the chances are none either.
        """
        area = self._size * self._size
        cells = ((boards[:, :, None] >> self._shifts) & 3).flatten(1)[:, :area]
        planes = torch.stack((cells == 1, cells == 2), 1).float()
        planes = planes.view(-1, 2, self._size, self._size)
        # No cache: the copies of weights would outlive a change of them.
        with torch.autocast(
            self._device.type, torch.bfloat16, self._device.type == "cuda", cache_enabled=False
        ):
            told = self._net(planes)
        logits = told["policy"].float().flatten(1)
        most = logits.amax(1, keepdim=True)  # NaN if one of them is
        # Whole numbers are never NaN: chances that are none tell the games of a broken policy.
        values = torch.softmax(told["value"].float(), 1)
        values = values.masked_fill(~most.isfinite(), torch.nan)
        # What is added to all logits says nothing, and may grow out of range in a long training.
        logits = (logits - most) * LOGIT_STEPS
        whole = logits.clamp(-_MOST_LOGIT, _MOST_LOGIT).round().to(torch.int16)
        return values, whole


def _for_inference(net: nn.Module) -> nn.Module:
    """A copy that only answers: norms of residual blocks become part of their convolutions."""
    copied = copy.deepcopy(net).eval().requires_grad_(False)
    missing = {"value", "policy"} - set(getattr(copied, "outputs", ("value", "policy")))
    if missing:
        raise BadTraining(f"self-play needs a net with the heads value and policy: no {missing}")
    for block in copied.modules():
        if isinstance(block, ResidualBlock) and isinstance(block.norm1, nn.BatchNorm2d):
            for number in ("1", "2"):
                conv, norm = getattr(block, f"conv{number}"), getattr(block, f"norm{number}")
                setattr(block, f"conv{number}", fuse_conv_bn_eval(conv, norm))
                setattr(block, f"norm{number}", nn.Identity())
    return copied.requires_grad_(False)


def _placed(net: nn.Module, device: torch.device) -> nn.Module:
    """On the device, in the order of memory that its convolutions like best."""
    moved: Any = net.to(device)
    placed: nn.Module = moved.to(memory_format=torch.channels_last)
    return placed


def _fit(old: nn.Module, new: nn.Module) -> bool:
    """Whether the weights of one can be put into the other: nets of the same spec and heads."""
    spec = getattr(old, "spec", None)
    ours, theirs = old.state_dict(), new.state_dict()
    return (
        spec is not None
        and type(old) is type(new)
        and spec == getattr(new, "spec", None)
        and ours.keys() == theirs.keys()
        and all(ours[name].shape == theirs[name].shape for name in ours)
    )


def _copy(old: nn.Module, new: nn.Module) -> None:
    theirs = new.state_dict()
    for name, tensor in old.state_dict().items():
        tensor.copy_(theirs[name])
