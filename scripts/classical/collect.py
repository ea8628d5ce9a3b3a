# SPDX-License-Identifier: MIT
"""Reads data sets (docs/data.md) into the sparse training and validation data of the regressions.

The model of a position depends only on the side to move: with black to move it is made of black's
own tables, white's opponent tables, black's masks and bias. So renju, where the rule treats the
colours differently, has one model per side to move, the other rules have one for both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scripts.classical.features import Array, Floats, Positions, View, Words, pick, view

from tengen.data import BadData, Batch, Dataset, DatasetView, own_view, unpack
from tengen.export.combos import COMBOS
from tengen.game import batch
from tengen.game.rule import Rule

sparse: Any = import_module("scipy.sparse")  # it has no types
Watch = Callable[[int, int], None]  # rows done, rows in all
_CHUNK = 5000  # rows


@dataclass(frozen=True)
class ValueData:
    """Positions with a known value. Row n of `counts` says how many empty points have each combo
    for the side to move, then for the opponent.
    """

    counts: Any  # scipy CSR [n, 2 * COMBOS] float32
    masks: Words  # [n]
    targets: Floats  # [n], share of the points, 0..1


@dataclass(frozen=True)
class PolicyData:
    """Positions with known moves. Points of a position with the same pair of combos have the same
    score, so they are kept as one entry; entries of position n are starts[n] to starts[n + 1].
    """

    starts: npt.NDArray[np.int64]  # [n + 1]
    own: Words  # [entries]
    opponent: Words  # [entries]
    points: Words  # [entries], how many points the entry stands for
    wanted: npt.NDArray[np.float64]  # [2, COMBOS], summed weight of the moves by combo
    best: Words  # [n, 2], combos of the likeliest move
    entropy: float  # mean, nats, of the moves' weights: no policy has a lower loss

    def __len__(self) -> int:
        return len(self.best)


@dataclass
class Collector:
    """Joins positions."""

    rule: Rule
    _counts: list[Any] = field(default_factory=list)
    _masks: list[Words] = field(default_factory=list)
    _targets: list[Floats] = field(default_factory=list)
    _lengths: list[npt.NDArray[np.int64]] = field(default_factory=list)
    _entries: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _points: list[Words] = field(default_factory=list)
    _best: list[Words] = field(default_factory=list)
    _wanted: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((2, COMBOS)))
    _entropy: float = 0.0

    def __len__(self) -> int:
        return sum(len(lengths) for lengths in self._lengths)

    def add(self, positions: Positions) -> None:
        """Add the positions in which nobody can make a five: the search plays and stops fives
        without the evaluation.
        """
        seen = view(positions.boards, positions.to_move, self.rule)
        quiet = ~seen.has_five
        if quiet.any():
            self._add(pick(positions, quiet), pick(seen, quiet))

    def _add(self, positions: Positions, seen: View) -> None:
        known = ~np.isnan(positions.value)
        self._counts.append(_counts(pick(seen, known)))
        self._masks.append(seen.mask[known])
        self._targets.append(positions.value[known].astype(np.float32))
        self._add_moves(positions, seen)

    def _add_moves(self, positions: Positions, seen: View) -> None:
        playable = seen.empty
        if self.rule is Rule.RENJU:
            legal = batch.legal(positions.boards, self.rule, positions.to_move, threads=1)
            playable = playable & legal.reshape(playable.shape)
        rows = np.arange(len(playable))[:, None]
        weights = np.where(playable[rows, positions.moves], positions.weights, 0)
        take = weights.sum(axis=1) > 0
        if not take.any():
            return
        weights = weights[take] / weights[take].sum(axis=1, keepdims=True)
        moves = positions.moves[take]
        pairs = seen.own.astype(np.int32) * COMBOS + seen.opponent
        self._add_entries(pairs[take], playable[take])
        self._add_wanted(pairs[take][np.arange(len(moves))[:, None], moves], weights)

    def _add_entries(self, pairs: npt.NDArray[np.int32], playable: npt.NDArray[np.bool_]) -> None:
        none = COMBOS * COMBOS
        ordered = np.sort(np.where(playable, pairs, none), axis=1)
        first = np.ones(ordered.shape, dtype=bool)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        at = np.flatnonzero(first)
        points = np.diff(np.append(at, ordered.size))
        entries = ordered.reshape(-1)[at]
        self._lengths.append((first & (ordered != none)).sum(axis=1))
        self._entries.append(entries[entries != none])
        self._points.append(points[entries != none].astype(np.uint16))

    def _add_wanted(self, pairs: npt.NDArray[np.int32], weights: Floats) -> None:
        for row, combo in enumerate((pairs // COMBOS, pairs % COMBOS)):
            self._wanted[row] += np.bincount(combo.ravel(), weights.ravel(), COMBOS)
        best = pairs[np.arange(len(pairs)), weights.argmax(axis=1)]
        self._best.append(np.stack([best // COMBOS, best % COMBOS], axis=1).astype(np.uint16))
        self._entropy -= float((weights * np.log(np.maximum(weights, 1e-30))).sum())

    def values(self) -> ValueData:
        """Everything added, as data of the value; frees the parts."""
        counts = sparse.vstack(self._counts, format="csr")
        self._counts.clear()
        return ValueData(counts, np.concatenate(self._masks), np.concatenate(self._targets))

    def policy(self) -> PolicyData:
        """Everything added, as data of the policy; frees the parts."""
        lengths = np.concatenate(self._lengths)
        entries = np.concatenate(self._entries)
        self._entries.clear()
        return PolicyData(
            starts=np.concatenate([[0], np.cumsum(lengths)]),
            own=(entries // COMBOS).astype(np.uint16),
            opponent=(entries % COMBOS).astype(np.uint16),
            points=np.concatenate(self._points),
            wanted=self._wanted,
            best=np.concatenate(self._best),
            entropy=self._entropy / len(lengths),
        )


def _counts(seen: View) -> Any:
    """Counts of combos over the empty points of positions, CSR [n, 2 * COMBOS]."""
    width = 2 * COMBOS
    rows = np.repeat(np.arange(len(seen.mask)) * width, seen.empty.sum(axis=1))
    own = rows + seen.own[seen.empty]
    opponent = rows + seen.opponent[seen.empty] + COMBOS
    found, number = np.unique(np.concatenate([own, opponent]), return_counts=True)
    starts = np.searchsorted(found // width, np.arange(len(seen.mask) + 1))
    return sparse.csr_matrix(
        (
            number.astype(np.float32),
            (found % width).astype(np.int32),
            starts.astype(np.int32),
        ),
        shape=(len(seen.mask), width),
    )


def sides(rule: Rule, to_move: Array) -> list[npt.NDArray[np.bool_]]:
    """Which positions belong to the first and to the second model: [black, white] in renju, else
    all to the first.
    """
    if rule is Rule.RENJU:
        return [to_move == 1, to_move == 2]
    return [np.ones(len(to_move), dtype=bool)]


@dataclass(frozen=True)
class Wanted:
    """Which positions to read: at most `train` and `held_out`, drawn at random."""

    folders: tuple[Path, ...]
    rule: Rule
    train: int
    held_out: int
    seed: int


@dataclass(frozen=True)
class Part:
    """Data of the value and of the policy."""

    value: ValueData
    policy: PolicyData


@dataclass(frozen=True)
class Sets:
    """Data of one side to move; None where no position was drawn."""

    train: Part | None
    held_out: Part | None


def load(wanted: Wanted, watch: Watch) -> list[Sets]:
    """One set for each side to move in renju, one for both in the other rules. Raises BadData."""
    sets = [Dataset.open(folder).require(rule=wanted.rule) for folder in wanted.folders]
    rng = np.random.default_rng(wanted.seed)
    models = len(sides(wanted.rule, np.ones(1, np.uint8)))
    collectors = [[Collector(wanted.rule) for _ in range(2)] for _ in range(models)]
    done, total = 0, wanted.train + wanted.held_out
    for which, limit in ((0, wanted.train), (1, wanted.held_out)):
        views = [one.split("validation" if which else "train") for one in sets]
        rows = sum(map(len, views))
        for split in views if rows else ():
            count = min(len(split), round(limit * len(split) / rows))
            chosen = np.sort(rng.choice(len(split), count, replace=False))
            for start in range(0, count, _CHUNK):
                positions = _positions(split, split.rows(chosen[start : start + _CHUNK]))
                for side, pair in zip(
                    sides(wanted.rule, positions.to_move), collectors, strict=True
                ):
                    if side.any():
                        pair[which].add(pick(positions, side))
                done += len(positions.value)
                watch(done, total)
    if not any(len(one) for pair in collectors for one in pair):
        raise BadData(f"no positions in {', '.join(map(str, wanted.folders))}")
    return [Sets(_finish(train), _finish(held_out)) for train, held_out in collectors]


def _positions(view: DatasetView, rows: Batch) -> Positions:
    """Rows with stones by colour. Without the column `to_move` the side to move counts as black."""
    own = unpack(rows.board, view.dataset.size)
    to_move = np.ones(len(own), np.uint8) if rows.to_move is None else rows.to_move
    value = rows.value.astype(np.float32) / 255
    weights = rows.prob.astype(np.float32)
    return Positions(
        boards=own_view(own, to_move),
        to_move=to_move,
        value=((1 + value[:, 0] - value[:, 1]) / 2).astype(np.float32, copy=False),
        moves=rows.move.astype(np.int32),
        weights=weights / np.maximum(weights.sum(axis=1, keepdims=True), 1),
    )


def _finish(collector: Collector) -> Part | None:
    return Part(collector.values(), collector.policy()) if len(collector) else None
