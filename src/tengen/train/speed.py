# SPDX-License-Identifier: MIT
"""The speed of a run, and its share of the matrix rate of the device.

Work is counted in floating-point operations: two for each multiply-accumulate of the net. A
training step counts as three forward passes (one forward, two for the gradients of weights and of
inputs), a teacher's labels as one. Normalisation, activations, optimiser and data are not counted.
"""

from __future__ import annotations

from time import perf_counter

import torch

_PASSES = 3  # forward, and backward twice
_SIDE = {"cuda": 8192, "cpu": 384}  # of the square matrices of the measurement
_ROUNDS, _TIMES = 4, 4


def step_work(macs: int, batch: int, teacher_macs: int = 0) -> float:
    """Floating-point operations of a step, from the multiply-accumulates for one position."""
    return 2.0 * batch * (_PASSES * macs + teacher_macs)


def matrix_rate(device: torch.device, precision: str) -> float:
    """Operations per second of a product of large square matrices on this device, measured in about
    0.1 seconds. Data sheets usually state a quarter more.
    """
    kind = torch.bfloat16 if precision == "bf16" and device.type == "cuda" else torch.float32
    side = _SIDE.get(device.type, 1024)
    a = torch.ones(side, side, dtype=kind, device=device) / side
    a = a @ a
    best = float("inf")
    for _ in range(_ROUNDS):  # the best counts: other programs may use the device
        _wait(device)
        start = perf_counter()
        for _ in range(_TIMES):
            a = a @ a
        _wait(device)
        best = min(best, perf_counter() - start)
    return 2.0 * _TIMES * side**3 / best


class Speed:
    """Samples per second between two readings, without the time of validations."""

    def __init__(self, device: torch.device, batch: int, work: float, rate: float) -> None:
        self._device = device
        self._batch = batch
        self._work = work  # of a step
        self.rate = rate  # operations per second of the device
        self._steps = 0
        self._start = perf_counter()

    def step(self) -> None:
        self._steps += 1

    def read(self) -> dict[str, float]:
        """Speed since the last reading or `restart`."""
        steps = self.peek() / self._batch
        self.restart()
        return {
            "samples_per_second": round(steps * self._batch, 1),
            "matrix_share": round(steps * self._work / self.rate, 4),
        }

    def peek(self) -> float:
        """Samples per second, without a restart. Waits for the device."""
        _wait(self._device)
        return self._steps * self._batch / max(perf_counter() - self._start, 1e-9)

    def restart(self) -> None:
        """Restart the measurement."""
        self._steps = 0
        self._start = perf_counter()


def _wait(device: torch.device) -> None:
    """Wait for the device: calls on an accelerator return early."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
