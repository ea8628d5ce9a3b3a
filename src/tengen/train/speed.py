# SPDX-License-Identifier: MIT
"""How fast a run is, and which share of the device's matrix rate it uses. Relies on torch and the
counts of nets; the loop relies on it.

Work is counted in floating-point operations: two for each multiply-accumulate of the net. A step of
training counts three forward passes (one forward, two for the gradients of weights and of inputs),
a teacher's labels one. Normalisation, activations, optimiser and data count nothing, so the share
is what the step's matrix products alone would take.
"""

from __future__ import annotations

from time import perf_counter

import torch

__all__ = ["Speed", "matrix_rate", "step_work"]

_PASSES = 3  # forward, and backward twice
_SIDE = {"cuda": 8192, "cpu": 384}  # of the square matrices of the measurement
_ROUNDS, _TIMES = 4, 4


def step_work(macs: int, batch: int, teacher_macs: int = 0) -> float:
    """Floating-point operations of a step, from the multiply-accumulates for one position."""
    return 2.0 * batch * (_PASSES * macs + teacher_macs)


def matrix_rate(device: torch.device, precision: str) -> float:
    """Operations a second of a plain product of large square matrices on this device, measured in
    a tenth of a second. What a card's data sheet promises is usually a quarter more.
    """
    kind = torch.bfloat16 if precision == "bf16" and device.type == "cuda" else torch.float32
    side = _SIDE.get(device.type, 1024)
    a = torch.ones(side, side, dtype=kind, device=device) / side
    a = a @ a
    best = float("inf")
    for _ in range(_ROUNDS):  # the best of them: other programs may have had the device
        _wait(device)
        start = perf_counter()
        for _ in range(_TIMES):
            a = a @ a
        _wait(device)
        best = min(best, perf_counter() - start)
    return 2.0 * _TIMES * side**3 / best


class Speed:
    """Samples a second between two readings, time spent elsewhere (validation) left out."""

    def __init__(self, device: torch.device, batch: int, work: float, rate: float) -> None:
        self._device = device
        self._batch = batch
        self._work = work  # of a step
        self._rate = rate  # of the device
        self._steps = 0
        self._start = perf_counter()

    def step(self) -> None:
        self._steps += 1

    def read(self) -> dict[str, float]:
        """What was done since the last reading or `skip`."""
        steps = self.peek() / self._batch
        self.skip()
        return {
            "samples_per_second": round(steps * self._batch, 1),
            "matrix_share": round(steps * self._work / self._rate, 4),
        }

    def peek(self) -> float:
        """Samples a second since then, and no new beginning. Waits for the device."""
        _wait(self._device)
        return self._steps * self._batch / max(perf_counter() - self._start, 1e-9)

    def skip(self) -> None:
        """Begin anew here."""
        self._steps = 0
        self._start = perf_counter()


def _wait(device: torch.device) -> None:
    """For work under way: on an accelerator calls return before it is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
