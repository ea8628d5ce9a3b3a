# SPDX-License-Identifier: MIT
"""`Mixture`: rows of several data sets in fixed shares. A batch takes the same number of rows of
each set every time, so that what a step sees depends on nothing but its number.

Relies on views; batches rely on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tengen.data.dataset import View
from tengen.data.errors import BadData
from tengen.data.rows import OPTIONAL, REQUIRED, Batch, Column
from tengen.game.rule import Rule

__all__ = ["Mixture"]


class Mixture:
    """Views with weights, of one board size and rule. A smaller set is gone through more often.

    `policy_moves` is the largest of them: shorter policies are filled up with weight 0. A column
    that one of them lacks is left out.
    """

    def __init__(self, parts: Sequence[tuple[View, float]], *, any_rule: bool = False) -> None:
        """Raises BadData for sets that do not fit together; with `any_rule` rules may differ."""
        if not parts:
            raise BadData("a mixture of nothing: give one data set or more")
        self.views = tuple(view for view, _ in parts)
        self.weights = _shares([weight for _, weight in parts])
        sets = [view.dataset for view in self.views]
        for other in sets[1:]:
            other.require(size=sets[0].size)
            if not any_rule:
                other.require(rule=sets[0].rule)
        for view in self.views:
            if not len(view):
                raise BadData(f"{view.dataset.folder}: no rows in this split; use a larger set")
        common = set.intersection(*(set(one.columns) for one in sets))
        self.columns = tuple(name for name in REQUIRED + OPTIONAL if name in common)
        self.policy_moves = max(one.policy_moves for one in sets)

    @property
    def size(self) -> int:
        """Of the board."""
        return self.views[0].dataset.size

    @property
    def rules(self) -> set[Rule]:
        return {view.dataset.rule for view in self.views}

    @property
    def ships(self) -> bool:
        """Whether a net trained on it may ship: the terms of every set must allow it."""
        return all(view.dataset.manifest.ships for view in self.views)

    def portions(self, batch_size: int) -> tuple[int, ...]:
        """Rows of each set in a batch, as near to the weights as whole numbers come. Raises BadData
        if a set would get none.
        """
        exact = [weight * batch_size for weight in self.weights]
        found = [math.floor(one) for one in exact]
        by_rest = sorted(range(len(exact)), key=lambda i: (found[i] - exact[i], i))
        for i in by_rest[: batch_size - sum(found)]:
            found[i] += 1
        for view, portion in zip(self.views, found, strict=True):
            if not portion:
                words = f"{view.dataset.folder} has too small a weight"
                raise BadData(f"{words} for batches of {batch_size}: raise one of them")
        return tuple(found)

    def join(self, batches: Sequence[Batch]) -> Batch:
        """A batch of each set, one after the other, with the columns and moves of the mixture."""
        columns = {name: [getattr(batch, name) for batch in batches] for name in self.columns}
        for name in ("move", "prob"):
            columns[name] = [_widened(column, self.policy_moves) for column in columns[name]]
        if len(batches) == 1:
            return Batch(**{name: column[0] for name, column in columns.items()})
        return Batch(**{name: np.concatenate(column) for name, column in columns.items()})


def _shares(weights: Sequence[float]) -> tuple[float, ...]:
    """The weights, made to add up to 1."""
    for weight in weights:
        if not (math.isfinite(weight) and weight > 0):
            raise BadData(f"no weight {weight!r}: use a number greater than 0")
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


def _widened(column: Column, moves: int) -> Column:
    lacking = moves - column.shape[1]
    return np.pad(column, ((0, 0), (0, lacking))) if lacking else column
