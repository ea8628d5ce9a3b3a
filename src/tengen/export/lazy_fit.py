# SPDX-License-Identifier: MIT
"""Fits the lazy evaluation tables of a net to values of positions from its own searches.

`play_games` plays games of an engine against itself and keeps a sample of the positions that its
searches evaluate; `fit_lazy_tables` fits tables to them. The model sums a row of sixteen numbers
for each combo of each empty point; the first number is a value in evaluation units, the others go
through a hidden layer of sixteen. It is trained with Adam in floats, errors near an even value
weighing more, then rounded to the integers of the file. Imports torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from random import Random
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.cluster import Cluster, Failure, ProgressRecord
from tengen.engine.engine import Engine
from tengen.engine.errors import BadNet
from tengen.engine.limit import Limit
from tengen.export.combos import COMBOS, MASKS, combos, masks
from tengen.export.lazy_tables import HIDDEN, LANES, LazySide, LazyTables
from tengen.game import batch
from tengen.game.board import Board
from tengen.game.rule import Rule

_SAMPLED = 16  # of 1024 evaluated positions
_NODES = (3_000, 8_000, 20_000)  # of a search, chosen at random
_OPENING_STONES = (2, 6)
UNITS = 200.0  # evaluation units per logit
LANE_UNIT, FIRST_UNIT = 512.0, 1024.0
SECOND_UNIT = UNITS * 65536 / 64  # per logit, by the shifts of the file
_MAX_LOGIT = 7.5  # larger values are clipped: their differences do not matter
_HALF_WEIGHT = 2.5  # logits from even at which an error weighs half
_GAIN = 0.2  # of sums over about a hundred points; rows then have ordinary weights
_BATCH, _RATE, _WARMUP = 1024, 4e-3, 100
_MIN_STEPS = 32  # per epoch; few positions mean smaller batches
_CHUNK = 20_000  # positions processed at a time
_INT16_MAX = 2.0**15 - 1

OnStep: TypeAlias = Callable[[int, int, float], None]  # step, number of steps, loss


@dataclass(frozen=True)
class SampleTask:
    """A game to play."""

    net: str
    rule: str
    size: int
    seed: int


@dataclass(frozen=True)
class ValueSamples:
    """Positions with the values that the net gives them."""

    boards: npt.NDArray[np.uint8]  # [n, size, size]: 0 empty, 1 black, 2 white
    to_move: npt.NDArray[np.uint8]  # [n]: 1 black, 2 white
    values: npt.NDArray[np.int32]  # [n]: evaluation units for the side to move

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: npt.NDArray[np.bool_]) -> ValueSamples:
        return ValueSamples(self.boards[rows], self.to_move[rows], self.values[rows])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        names = [part.name for part in fields(cls)]
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


@lru_cache(maxsize=1)
def _engine(net: str) -> Engine:
    """The engine of a worker process, reused for all its games."""
    return Engine("alphabeta", net=net, memory=16)


def play_game(task: SampleTask, progress: ProgressRecord) -> ValueSamples:
    """Play one game of the net against itself; returns samples of its searches."""
    engine, rng = _engine(task.net), Random(task.seed)
    engine.new_game()
    board = _opening(task, rng)
    engine.keep_samples(_SAMPLED)
    while not board.is_over():
        progress.write(board.ply)
        move = engine.play(board, Limit(nodes=rng.choice(_NODES))).move
        board.push(move)
    boards, to_move, values = engine.take_samples()
    return ValueSamples(boards.reshape(-1, task.size, task.size), to_move, values)


def _opening(task: SampleTask, rng: Random) -> Board:
    """A board with a few stones near the centre, each within two points of another stone."""
    board = Board(task.size, Rule.parse(task.rule))
    middle, stones = task.size // 2, rng.randint(*_OPENING_STONES)
    while board.ply < stones and not board.is_over():
        last = board.moves[rng.randrange(board.ply)] if board.ply else None
        x, y = (last.x, last.y) if last is not None else (middle, middle)
        spot = x + rng.randint(-2, 2), y + rng.randint(-2, 2)
        inside = all(0 <= part < task.size for part in spot)
        if inside and board.is_legal(spot):
            board.push(spot)
    return board


def play_games(
    net: str, rule: Rule, size: int, games: int, cluster: Cluster, *, seed: int = 1
) -> Iterator[ValueSamples]:
    """The samples of each game, in the order the games end. Raises BadNet if a game failed."""
    tasks = (SampleTask(net, str(rule), size, seed * 1_000_003 + game) for game in range(games))
    for done in cluster.run(play_game, tasks):
        if done is None:
            continue
        if isinstance(done.result, Failure):
            raise BadNet(f"a game failed: {done.result.message}", net)
        yield done.result


# --- fit ---


@dataclass(frozen=True)
class LazyFitReport:
    """Errors on held-out positions with values within 1,500 evaluation units."""

    trained: int  # positions
    held_out: int
    error_std: float
    error_mean: float  # of the absolute error
    value_std: float  # of the values themselves

    def __str__(self) -> str:
        return (
            f"{self.trained:,} positions, {self.held_out:,} held out: error"
            f" {self.error_std:.0f} (mean {self.error_mean:.0f}), standard deviation of the values"
            f" {self.value_std:.0f}"
        )


@dataclass(frozen=True)
class _Bags:
    """Positions as bags of combos: those of row n start at starts[n]."""

    combos: npt.NDArray[np.int64]  # the opponent's are offset by COMBOS
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


def _bags(samples: ValueSamples, rule: Rule) -> _Bags:
    parts = [
        _bag_chunk(samples, slice(at, at + _CHUNK), rule) for at in range(0, len(samples), _CHUNK)
    ]
    lengths = np.concatenate([part[2] for part in parts])
    targets = np.clip(samples.values / UNITS, -_MAX_LOGIT, _MAX_LOGIT)
    return _Bags(
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate([part[3] for part in parts]),
        targets.astype(np.float32),
    )


def _bag_chunk(samples: ValueSamples, rows: slice, rule: Rule) -> tuple[npt.NDArray[Any], ...]:
    boards, to_move = samples.boards[rows], samples.to_move[rows]
    both = combos(boards, rule).astype(np.int64)
    numbers, width = np.arange(len(boards)), 2 * COMBOS
    empty = boards.reshape(len(boards), -1) == 0
    own, other = both[numbers, to_move - 1], both[numbers, 2 - to_move] + COMBOS
    base = (numbers * width)[:, None]
    keys = np.concatenate([(base + own)[empty], (base + other)[empty]])
    unique, counts = np.unique(keys, return_counts=True)
    lengths = np.bincount(unique // width, minlength=len(boards))
    mask = masks(batch.threats(boards, rule, threads=1), to_move)
    return unique % width, counts.astype(np.float32), lengths, mask.astype(np.int64)


class LazyModel(nn.Module):
    """The model of one colour to move, or of both, in floats."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.randn(2 * COMBOS, LANES) * 0.02)
        self.by_threats = nn.Parameter(torch.randn(MASKS, LANES) * 0.02)
        with torch.no_grad():
            self.rows[:, 0] = 0
            self.by_threats[:, 0] = 0
        self.first = nn.Linear(LANES - 1, HIDDEN)
        self.second = nn.Linear(HIDDEN, 1)

    def forward(self, combos: Tensor, starts: Tensor, counts: Tensor, masks: Tensor) -> Tensor:
        sums = functional.embedding_bag(
            combos, self.rows, starts, mode="sum", per_sample_weights=counts
        )
        lanes = _GAIN * sums + self.by_threats[masks]
        hidden = torch.relu(self.first(torch.relu(lanes[:, 1:])))
        return lanes[:, 0] + torch.squeeze(self.second(hidden), 1)

    def to_side(self) -> LazySide:
        """The integers of the file."""
        units = np.full(LANES, LANE_UNIT)
        units[0] = UNITS
        rows = _GAIN * self.rows.detach().numpy().astype(np.float64) * units
        by_threats = self.by_threats.detach().numpy().astype(np.float64) * units
        by_threats[:, 0] += self.second.bias.detach().numpy()[0] * UNITS
        first = np.zeros((LANES, HIDDEN))
        first[1:] = self.first.weight.detach().numpy().T * FIRST_UNIT
        bias = self.first.bias.detach().numpy().astype(np.float64) * 64 * FIRST_UNIT
        second = self.second.weight.detach().numpy()[0] * SECOND_UNIT
        return LazySide(
            _int16(rows[:COMBOS]), _int16(rows[COMBOS:]), _int16(by_threats), _int16(first),
            np.rint(bias).astype(np.int32), np.rint(second).astype(np.int32),
        )  # fmt: skip


def _int16(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    return np.clip(np.rint(numbers), -_INT16_MAX, _INT16_MAX).astype(np.int16)


def fit_lazy_tables(
    samples: ValueSamples,
    rule: Rule,
    *,
    epochs: int = 6,
    seed: int = 1,
    on_step: OnStep = lambda step, steps, loss: None,
) -> tuple[LazyTables, LazyFitReport]:
    """Tables fitted to the samples. One in ten positions, in blocks, is held out. Raises ValueError
    for fewer than a thousand positions.
    """
    if len(samples) < 1000:
        raise ValueError(f"{len(samples):,} positions are too few to fit tables to")
    held_out = np.arange(len(samples)) * 50 // len(samples) % 10 == 9
    models: Sequence[npt.NDArray[np.bool_]] = [np.ones(len(samples), bool)]
    if rule is Rule.RENJU:  # the colours have different moves
        models = [samples.to_move == 1, samples.to_move == 2]
    fits = []
    for n, mine in enumerate(models):
        bags = _bags(samples[mine & ~held_out], rule)
        fits.append(_fit(bags, epochs, seed + n, on_step))
    tables = _assemble(rule, fits)
    return tables, _report(tables, samples[held_out], int((~held_out).sum()))


def _fit(bags: _Bags, epochs: int, seed: int, on_step: OnStep) -> LazyModel:
    torch.manual_seed(seed)
    model, rng = LazyModel(), np.random.default_rng(seed)
    optimiser = torch.optim.Adam(model.parameters(), _RATE)
    size = max(1, min(_BATCH, len(bags.masks) // _MIN_STEPS))
    batches = len(bags.masks) // size
    steps, step = epochs * batches, 0
    targets = torch.from_numpy(bags.targets)
    weights = 1 / (1 + (targets / _HALF_WEIGHT) ** 2)
    for _ in range(epochs):
        order = rng.permutation(len(bags.masks))
        for n in range(batches):
            rows = order[n * size : (n + 1) * size]
            rate = _RATE * min(1.0, (step + 1) / _WARMUP) * 0.5
            optimiser.param_groups[0]["lr"] = rate * (1 + math.cos(math.pi * step / steps))
            chosen = torch.from_numpy(rows)
            error = model(*bags.batch(rows)) - targets[chosen]
            loss = (weights[chosen] * error**2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step += 1
            on_step(step, steps, loss.item())
    return model


def _assemble(rule: Rule, fits: Sequence[LazyModel]) -> LazyTables:
    """A model is for one side to move; the rows of the waiting side are in the other model."""
    sides = [fit.to_side() for fit in fits]
    if len(sides) == 2:
        black, white = sides
        sides = [
            replace(own, waiting=other.waiting) for own, other in ((black, white), (white, black))
        ]
    return LazyTables(rule, sides)


def _report(tables: LazyTables, samples: ValueSamples, trained: int) -> LazyFitReport:
    estimates = tables.values(samples.boards, samples.to_move)
    near = np.abs(samples.values) <= _MAX_LOGIT * UNITS
    error = (samples.values - estimates)[near].astype(float)
    return LazyFitReport(
        trained, len(samples), float(error.std()), float(np.abs(error).mean()),
        float(samples.values[near].std()),
    )  # fmt: skip
