# SPDX-License-Identifier: MIT
"""Tables that guess what a net would say, learned from samples of its own searches. Loads torch.
Relies on `guess_samples` for the data and on `guess_tables` for the result.

A row of sixteen numbers for each combo of each empty point is summed; the first is a value in
points, the others go through a layer of sixteen. Learned with Adam in floats, errors near an even
value counting more; then rounded to the whole numbers of the file, which costs next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.export.combos import COMBOS, MASKS, combos, masks
from tengen.export.guess_samples import Samples
from tengen.export.guess_tables import HIDDEN, LANES, GuessSide, GuessTables
from tengen.game import batch
from tengen.game.rule import Rule

__all__ = ["FitReport", "GuessFit", "fit_guesses"]

POINTS = 200.0  # a logit
LANE_UNIT, FIRST_UNIT = 512.0, 1024.0
SECOND_UNIT = POINTS * 65536 / 64  # of a logit, by the shifts of the file
_MOST = 7.5  # logits; beyond, a guess need not tell values apart
_SPREAD = 2.5  # logits from even at which an error counts half
_GAIN = 0.2  # of sums over a hundred points, so that rows begin with ordinary weights
_BATCH, _RATE, _WARMUP = 1024, 4e-3, 100
_LEAST_STEPS = 32  # of a round: batches of few positions are smaller
_CHUNK = 20_000  # positions seen at a time
_LAST = 2.0**15 - 1

OnStep: TypeAlias = Callable[[int, int, float], None]  # step, of how many, loss


@dataclass(frozen=True)
class FitReport:
    """Errors in points on positions that were held out, of values within 1,500 points."""

    learned_from: int
    held_out: int
    guess: float  # standard deviation of the error
    guess_mean: float  # mean of its size
    spread: float  # standard deviation of the values themselves

    def words(self) -> str:
        return (
            f"{self.learned_from:,} positions, {self.held_out:,} held out: error"
            f" {self.guess:.0f} points (mean size {self.guess_mean:.0f}); the values themselves"
            f" spread by {self.spread:.0f}"
        )


@dataclass(frozen=True)
class _Seen:
    """Positions as bags of combos: those of row n begin at starts[n]."""

    combos: npt.NDArray[np.int64]  # the opponent's from COMBOS on
    counts: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int64]  # [n + 1]
    masks: npt.NDArray[np.int64]  # [n]
    targets: npt.NDArray[np.float32]  # [n], logits

    def batch(self, rows: npt.NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        begins, lengths = self.starts[rows], np.diff(self.starts)[rows]
        firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        at = np.repeat(begins - firsts, lengths) + np.arange(lengths.sum())
        return (
            torch.from_numpy(self.combos[at]),
            torch.from_numpy(firsts),
            torch.from_numpy(self.counts[at]),
            torch.from_numpy(self.masks[rows]),
        )


def _see(samples: Samples, rule: Rule) -> _Seen:
    parts = [
        _see_chunk(samples, slice(at, at + _CHUNK), rule) for at in range(0, len(samples), _CHUNK)
    ]
    lengths = np.concatenate([part[2] for part in parts])
    targets = np.clip(samples.values / POINTS, -_MOST, _MOST)
    return _Seen(
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate([part[3] for part in parts]),
        targets.astype(np.float32),
    )


def _see_chunk(samples: Samples, rows: slice, rule: Rule) -> tuple[npt.NDArray[np.generic], ...]:
    boards, to_move = samples.boards[rows], samples.to_move[rows]
    both = combos(boards, rule).astype(np.int64)
    numbers, width = np.arange(len(boards)), 2 * COMBOS
    empty = boards.reshape(len(boards), -1) == 0
    own, other = both[numbers, to_move - 1], both[numbers, 2 - to_move] + COMBOS
    base = (numbers * width)[:, None]
    keys = np.concatenate([(base + own)[empty], (base + other)[empty]])
    found, counts = np.unique(keys, return_counts=True)
    lengths = np.bincount(found // width, minlength=len(boards))
    mask = masks(batch.threats(boards, rule, threads=1), to_move)
    return found % width, counts.astype(np.float32), lengths, mask.astype(np.int64)


class GuessFit(nn.Module):
    """The guesses of one colour to move, or of both, in floats."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.randn(2 * COMBOS, LANES) * 0.02)
        self.by_threats = nn.Parameter(torch.randn(MASKS, LANES) * 0.02)
        with torch.no_grad():
            self.rows[:, 0] = 0
            self.by_threats[:, 0] = 0
        self.first = nn.Linear(LANES - 1, HIDDEN)
        self.second = nn.Linear(HIDDEN, 1)

    def lanes(self, combos: Tensor, starts: Tensor, counts: Tensor, masks: Tensor) -> Tensor:
        sums = functional.embedding_bag(
            combos, self.rows, starts, mode="sum", per_sample_weights=counts
        )
        return _GAIN * sums + self.by_threats[masks]

    def forward(self, combos: Tensor, starts: Tensor, counts: Tensor, masks: Tensor) -> Tensor:
        lanes = self.lanes(combos, starts, counts, masks)
        hidden = torch.relu(self.first(torch.relu(lanes[:, 1:])))
        return lanes[:, 0] + torch.squeeze(self.second(hidden), 1)

    def to_side(self) -> GuessSide:
        """The whole numbers of the file."""
        units = np.full(LANES, LANE_UNIT)
        units[0] = POINTS
        rows = _GAIN * self.rows.detach().numpy().astype(np.float64) * units
        by_threats = self.by_threats.detach().numpy().astype(np.float64) * units
        by_threats[:, 0] += self.second.bias.detach().numpy()[0] * POINTS
        first = np.zeros((LANES, HIDDEN))
        first[1:] = self.first.weight.detach().numpy().T * FIRST_UNIT
        bias = self.first.bias.detach().numpy().astype(np.float64) * 64 * FIRST_UNIT
        second = self.second.weight.detach().numpy()[0] * SECOND_UNIT
        return GuessSide(
            _whole(rows[:COMBOS]), _whole(rows[COMBOS:]), _whole(by_threats), _whole(first),
            np.rint(bias).astype(np.int32), np.rint(second).astype(np.int32),
        )  # fmt: skip


def _whole(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    return np.clip(np.rint(numbers), -_LAST, _LAST).astype(np.int16)


def fit_guesses(
    samples: Samples,
    rule: Rule,
    *,
    epochs: int = 6,
    seed: int = 1,
    on_step: OnStep = lambda step, steps, loss: None,
) -> tuple[GuessTables, FitReport]:
    """Tables that guess the samples' values. One in ten positions, in blocks, is held out. Needs at
    least a thousand positions; raises ValueError if there are fewer.
    """
    if len(samples) < 1000:
        raise ValueError(f"{len(samples):,} positions are too few to learn guesses from")
    held_out = np.arange(len(samples)) * 50 // len(samples) % 10 == 9
    models: Sequence[npt.NDArray[np.bool_]] = [np.ones(len(samples), bool)]
    if rule is Rule.RENJU:  # what black and white may do differs
        models = [samples.to_move == 1, samples.to_move == 2]
    fits = []
    for place, mine in enumerate(models):
        learn = _part(samples, mine & ~held_out)
        fits.append(_fit(_see(learn, rule), epochs, seed + place, on_step))
    tables = _assemble(rule, fits)
    return tables, _report(tables, _part(samples, held_out), int((~held_out).sum()))


def _part(samples: Samples, rows: npt.NDArray[np.bool_]) -> Samples:
    return Samples(samples.boards[rows], samples.to_move[rows], samples.values[rows])


def _fit(seen: _Seen, epochs: int, seed: int, on_step: OnStep) -> GuessFit:
    torch.manual_seed(seed)
    model, chance = GuessFit(), np.random.default_rng(seed)
    optimiser = torch.optim.Adam(model.parameters(), _RATE)
    size = max(1, min(_BATCH, len(seen.masks) // _LEAST_STEPS))
    a_round = len(seen.masks) // size
    steps, step = epochs * a_round, 0
    targets = torch.from_numpy(seen.targets)
    weights = 1 / (1 + (targets / _SPREAD) ** 2)
    for _ in range(epochs):
        order = chance.permutation(len(seen.masks))
        for n in range(a_round):
            rows = order[n * size : (n + 1) * size]
            rate = _RATE * min(1.0, (step + 1) / _WARMUP) * 0.5
            optimiser.param_groups[0]["lr"] = rate * (1 + math.cos(math.pi * step / steps))
            chosen = torch.from_numpy(rows)
            error = model(*seen.batch(rows)) - targets[chosen]
            loss = (weights[chosen] * error**2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step += 1
            on_step(step, steps, loss.item())
    return model


def _assemble(rule: Rule, fits: Sequence[GuessFit]) -> GuessTables:
    """A model is of one side to move: the rows of those who wait are in the other's."""
    sides = [fit.to_side() for fit in fits]
    if len(sides) == 2:
        black, white = sides
        sides = [
            GuessSide(
                own.to_move, other.waiting, own.by_threats, own.first, own.first_bias, own.second
            )
            for own, other in ((black, white), (white, black))
        ]
    return GuessTables(rule, sides)


def _report(tables: GuessTables, samples: Samples, learned_from: int) -> FitReport:
    found = tables.values(samples.boards, samples.to_move)
    near = np.abs(samples.values) <= _MOST * POINTS
    error = (samples.values - found)[near].astype(float)
    return FitReport(
        learned_from, len(samples), float(error.std()), float(np.abs(error).mean()),
        float(samples.values[near].std()),
    )  # fmt: skip
