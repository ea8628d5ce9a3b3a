# SPDX-License-Identifier: MIT
"""Folders of positions, of either format, read into the sets that are learned from and measured
on. Relies on zero15.py, games.py and collect.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scripts.classical import games, zero15
from scripts.classical.collect import Collector, PolicyData, ValueData, sides
from scripts.classical.features import Positions, pick

from tengen.game.errors import TengenError
from tengen.game.rule import Rule

Watch = Callable[[int, int], None]  # files done, files in all


class NoData(TengenError):
    """Folders without positions of the rule."""


@dataclass(frozen=True)
class Wanted:
    """Which positions to read. Counts are what is aimed at: rows are drawn one by one."""

    folders: tuple[Path, ...]
    rule: Rule
    train: int
    held_out: int
    result_share: float  # of the game's result in the value's target, for games of our own
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
    """One set for each side to move in renju, one for both together in the other rules."""
    files = [path for folder in wanted.folders for path in sorted(folder.glob("*.npz"))]
    total = sum(_rows(path) for path in files)
    if not total:
        raise NoData(f"no positions in {', '.join(map(str, wanted.folders))}")
    held_out_rows = total / zero15.HELD_OUT_EVERY
    shares = (wanted.train / (total - held_out_rows), wanted.held_out / held_out_rows)
    rng = np.random.default_rng(wanted.seed)
    collectors = [[Collector(wanted.rule) for _ in range(2)] for _ in range(_models(wanted.rule))]
    first = 0
    for number, path in enumerate(files):
        for chunk in _read(path, first, wanted):
            chosen = rng.random(len(chunk.value)) < np.where(chunk.held_out, shares[1], shares[0])
            _collect(pick(chunk, chosen), wanted.rule, collectors)
            first += len(chunk.value)
        watch(number + 1, len(files))
    return [Sets(_finish(train), _finish(held_out)) for train, held_out in collectors]


def _models(rule: Rule) -> int:
    return 2 if rule is Rule.RENJU else 1


def _is_zero15(path: Path) -> bool:
    with np.load(path) as file:
        return set(file.files) >= zero15.KEYS


def _rows(path: Path) -> int:
    if _is_zero15(path):
        return zero15.rows(path)
    return len(games.load(path).board)


def _read(path: Path, first: int, wanted: Wanted) -> Iterator[Positions]:
    if _is_zero15(path):
        if wanted.rule is not Rule.FREESTYLE:
            raise NoData(f"{path} holds freestyle positions, not {wanted.rule}")
        yield from zero15.read(path, first)
        return
    found = games.load(path)
    if found.rule is not wanted.rule:
        raise NoData(f"{path} holds {found.rule} positions, not {wanted.rule}")
    yield from games.read(found, wanted.result_share)


def _collect(chunk: Positions, rule: Rule, collectors: list[list[Collector]]) -> None:
    for side, pair in zip(sides(rule, chunk.to_move), collectors, strict=True):
        for collector, group in zip(pair, (~chunk.held_out, chunk.held_out), strict=True):
            if (side & group).any():
                collector.add(pick(chunk, side & group))


def _finish(collector: Collector) -> Part | None:
    return Part(collector.values(), collector.policy()) if len(collector) else None
