# SPDX-License-Identifier: MIT
"""Net inference for self-play and matches: packed leaves in; win, draw and loss, and policies out.
Several batches are in progress at once: the GPU evaluates one while the cores advance the games of
another. Shapes: B leaves, P = size * size points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from tengen.data.packing import bytes_of
from tengen.nets.blocks import compiled, fused
from tengen.zero.errors import BadZero

LOGIT_STEPS = 256  # steps per logit of the policy, which is passed as integers
_MAX_LOGIT = 32767
_LENGTHS = 8  # with several nets, parts of a batch are padded to one of this many lengths
_SHARED_LENGTHS = 4  # fewer: each is a CUDA graph of each net
_WARM_UP = 3  # runs before a CUDA graph is captured


class BatchBuffer:
    """A batch in progress: leaves for the net and its results, in host memory (pinned if there is a
    GPU) that the core and torch share.
    """

    def __init__(self, rows: int, size: int, device: torch.device) -> None:
        pin = device.type == "cuda"
        self.is_started = False  # results are ready or in progress
        self._boards = torch.zeros(rows, bytes_of(size), dtype=torch.uint8, pin_memory=pin)
        self._values = torch.zeros(rows, 3, pin_memory=pin)
        self._policies = torch.zeros(rows, size * size, dtype=torch.int16, pin_memory=pin)
        # The same memory as arrays: boards [B, bytes_of(size)] in the format of
        # `tengen.data.packing`; values [B, 3], probabilities of win, loss and draw for the side to
        # move; policies [B, P], logits relative to the largest one, in 1/LOGIT_STEPS.
        self.boards, self.values = self._boards.numpy(), self._values.numpy()
        self.policies = self._policies.numpy()
        # Blocking: waiting frees the core for the games.
        self._done = torch.cuda.Event(blocking=True) if pin else None  # type: ignore[no-untyped-call]

    def wait(self) -> None:
        """Wait for the results."""
        if self._done is not None:
            self._done.synchronize()

    def mark(self) -> None:
        """The results are ready when all work started so far is done."""
        if self._done is not None:
            self._done.record()

    def run(self, runner: _Runner, first: int, last: int) -> None:
        """Start the evaluation of leaves first … last - 1."""
        part = slice(first, last)
        runner.run(self._boards[part], self._values[part], self._policies[part])


class Evaluator(Protocol):
    """What games need of their nets."""

    @property
    def is_ready(self) -> bool: ...
    def set_nets(self, *nets: nn.Module) -> None: ...
    def start(self, buffer: BatchBuffer, *counts: int) -> None: ...
    def close(self) -> None: ...


class Inference:
    """An `Evaluator` with one net or several: each evaluates a part of a batch."""

    def __init__(
        self,
        size: int,
        rows: int,
        device: torch.device,
        *,
        lengths: int = _LENGTHS,
        **options: bool,
    ) -> None:
        """`rows`: maximum leaves of a net per batch. `options`: compile, graphs, and urgent: its
        batches get priority over other work of this process, such as training.
        """
        self.size, self.rows, self.device, self._lengths = size, rows, device, lengths
        self._options = options
        on_gpu = device.type == "cuda"
        if on_gpu:  # process-wide: all batches have the same length
            torch.backends.cudnn.benchmark = True
        priority = {"priority": -1 if options.get("urgent") else 0}  # lower is first
        self._stream = torch.cuda.Stream(device, **priority) if on_gpu else None  # type: ignore[no-untyped-call]
        self._nets: list[nn.Module] = []
        self._runners: dict[tuple[int, int], _Runner] = {}

    def set_nets(self, *nets: nn.Module) -> None:
        """Copy the weights of these nets."""
        fresh = [_inference_copy(net) for net in nets]
        if self._stream is not None:  # the weights may still be being written
            self._stream.wait_stream(torch.cuda.current_stream(self.device))
        with self._on_stream(), torch.no_grad():
            if len(fresh) == len(self._nets) and all(map(_same_shape, self._nets, fresh)):
                for old, new in zip(self._nets, fresh, strict=True):
                    _copy(old, new)  # in place: captured graphs use the same memory
            else:
                self._runners.clear()
                self._nets = [_placed(net, self.device) for net in fresh]
        if self._stream is not None:  # before the copies are freed
            self._stream.synchronize()

    @property
    def is_ready(self) -> bool:
        """Whether there is a net."""
        return bool(self._nets)

    def start(self, buffer: BatchBuffer, *counts: int) -> None:
        """Start the evaluation of the first leaves: `counts` by each net in turn. One net evaluates
        all of them. `BatchBuffer.wait` waits for the results.
        """
        with self._on_stream(), torch.inference_mode():
            if len(self._nets) == 1:
                self._evaluate(buffer, 0, 0, sum(counts), self.rows)
            else:
                step = -(-self.rows // self._lengths)
                for net, (count, last) in enumerate(zip(counts, accumulate(counts), strict=True)):
                    length = min(self.rows, -(-count // step) * step)
                    self._evaluate(buffer, net, last - count, last, length)
            buffer.mark()

    def _evaluate(self, buffer: BatchBuffer, net: int, first: int, last: int, length: int) -> None:
        if first == last:
            return
        if self.device.type == "cpu":
            length = last - first  # padding gains nothing
            runner = _Runner(self._nets[net], length, self.size, self.device, {})
        elif (net, length) in self._runners:
            runner = self._runners[net, length]
        else:
            runner = _Runner(self._nets[net], length, self.size, self.device, self._options)
            self._runners[net, length] = runner
        buffer.run(runner, first, last)

    def _on_stream(self) -> Any:
        return torch.cuda.stream(self._stream)  # no-op without a stream

    def close(self) -> None:
        """Free the memory."""
        if self._stream is not None:
            self._stream.synchronize()
        self._runners.clear()
        self._nets.clear()


class SharedInference:
    """Evaluates the leaves of many sets of games together, those of each net as one batch: sets of
    a few games would leave a GPU idle. A set gets an `Evaluator` by `share`; `start` evaluates what
    all of them have asked for, `finish` waits and hands out the results.
    """

    def __init__(
        self, nets: Sequence[nn.Module], size: int, rows: Sequence[int], device: torch.device,
        **options: bool,
    ) -> None:  # fmt: skip
        """`rows`: maximum leaves of each net; `options` as of `Inference`."""
        lengths = _SHARED_LENGTHS if options.get("graphs") else _LENGTHS
        self._inference = Inference(size, max(rows), device, lengths=lengths, **options)
        self._inference.set_nets(*nets)
        self._nets = len(nets)
        self._buffer = BatchBuffer(sum(rows), size, device)
        self._shares = 0
        # What sets of games ask for: the number of the set, a net, leaves in a buffer.
        self._asked: list[tuple[int, int, BatchBuffer, slice]] = []
        self._started: list[tuple[BatchBuffer, slice, slice]] = []  # and their rows in `_buffer`

    def share(self, *nets: int) -> Evaluator:
        """For a set of games of these nets, by their places: black's and white's."""
        self._shares += 1
        return _Share(self, self._shares, nets)

    def ask(self, number: int, net: int, buffer: BatchBuffer, leaves: slice) -> None:
        """Add leaves of a set to the next batch. May be called by several threads."""
        self._asked.append((number, net, buffer, leaves))

    def start(self) -> None:
        """Start the evaluation of all that was asked for, in an order that no timing changes."""
        counts, row = [0] * self._nets, 0
        for _, net, buffer, leaves in sorted(self._asked, key=lambda one: (one[1], one[0])):
            count = leaves.stop - leaves.start
            rows = slice(row, row + count)
            self._buffer.boards[rows] = buffer.boards[leaves]
            self._started.append((buffer, leaves, rows))
            counts[net] += count
            row += count
        self._asked.clear()
        if row:
            self._inference.start(self._buffer, *counts)

    def finish(self) -> None:
        """Wait for the results, and hand them out."""
        self._buffer.wait()
        for buffer, leaves, rows in self._started:
            buffer.values[leaves] = self._buffer.values[rows]
            buffer.policies[leaves] = self._buffer.policies[rows]
        self._started.clear()

    def close(self) -> None:
        """Free the memory."""
        self._inference.close()


class _Share:
    """The part of a set of games in a `SharedInference`."""

    is_ready = True

    def __init__(self, shared: SharedInference, number: int, nets: Sequence[int]) -> None:
        self._shared, self._number, self._nets = shared, number, nets

    def set_nets(self, *nets: nn.Module) -> None:
        raise BadZero("the nets of shared inference are set once for all games")

    def start(self, buffer: BatchBuffer, *counts: int) -> None:
        for net, count, last in zip(self._nets, counts, accumulate(counts), strict=True):
            if count:
                self._shared.ask(self._number, net, buffer, slice(last - count, last))

    def close(self) -> None:
        """The memory belongs to all sets."""


class _Runner:
    """A net for batches of one length, with its own memory on the device."""

    def __init__(
        self, net: nn.Module, rows: int, size: int, device: torch.device, options: dict[str, bool]
    ) -> None:
        self._device = device
        self._boards = torch.zeros(rows, bytes_of(size), dtype=torch.uint8, device=device)
        self._shifts = torch.tensor([0, 2, 4, 6], dtype=torch.uint8, device=device)
        self._net, self._size = net, size
        self._forward: Callable[[Tensor], tuple[Tensor, Tensor]] = self._evaluate
        self._graph: torch.cuda.CUDAGraph | None = None
        if options.get("compile"):
            mode = "max-autotune-no-cudagraphs"
            self._forward = compiled(self._evaluate, mode=mode)
        if device.type == "cuda" and options.get("graphs"):
            self._capture()

    def _capture(self) -> None:
        for _ in range(_WARM_UP):
            self._forward(self._boards)
        torch.cuda.current_stream().synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=torch.cuda.current_stream()):
            self._values, self._policies = self._forward(self._boards)

    def run(self, boards: Tensor, values: Tensor, policies: Tensor) -> None:
        """From and to host memory; asynchronous on a GPU."""
        count = len(boards)
        self._boards[:count].copy_(boards, non_blocking=True)
        if self._graph is not None:
            self._graph.replay()
        else:
            self._values, self._policies = self._forward(self._boards)
        values.copy_(self._values[:count], non_blocking=True)
        policies.copy_(self._policies[:count], non_blocking=True)

    def _evaluate(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Packed boards [B, …] to probabilities [B, 3] and integer logits [B, P]. If a logit is
        NaN, so are the probabilities.
        """
        area = self._size * self._size
        cells = ((boards[:, :, None] >> self._shifts) & 3).flatten(1)[:, :area]
        planes = torch.stack((cells == 1, cells == 2), 1).float()
        planes = planes.view(-1, 2, self._size, self._size)
        # No cache: cast weights would stay in use after the weights change.
        with torch.autocast(
            self._device.type, torch.bfloat16, self._device.type == "cuda", cache_enabled=False
        ):
            outputs = self._net(planes)
        logits = outputs["policy"].float().flatten(1)
        largest = logits.amax(1, keepdim=True)  # NaN if one of them is
        # Integers cannot be NaN: NaN probabilities report a broken policy to the core.
        values = torch.softmax(outputs["value"].float(), 1)
        values = values.masked_fill(~largest.isfinite(), torch.nan)
        # An offset of all logits has no meaning, and may grow out of range in a long training.
        logits = (logits - largest) * LOGIT_STEPS
        integers = logits.clamp(-_MAX_LOGIT, _MAX_LOGIT).round().to(torch.int16)
        return values, integers


def _inference_copy(net: nn.Module) -> nn.Module:
    """A copy for inference, with its norms folded into convolutions."""
    missing = {"value", "policy"} - set(getattr(net, "outputs", ("value", "policy")))
    if missing:
        raise BadZero(f"self-play needs a net with heads value and policy: missing {missing}")
    return fused(net)


def _placed(net: nn.Module, device: torch.device) -> nn.Module:
    """On the device, in the memory format that its convolutions prefer."""
    moved: Any = net.to(device)
    placed: nn.Module = moved.to(memory_format=torch.channels_last)
    return placed


def _same_shape(old: nn.Module, new: nn.Module) -> bool:
    """Whether the weights of one fit into the other: same spec and heads."""
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
