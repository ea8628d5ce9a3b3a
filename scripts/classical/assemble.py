# SPDX-License-Identifier: MIT
"""Fits of the sides to move put together as the tables of one file, with the moves that hardly
occur in data set by hand. Relies on fit.py and write.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scripts.classical.fit import PolicyFit, ValueFit, Vector
from scripts.classical.write import Points, Tables, to_points

from tengen.export.combos import combo_shapes
from tengen.game.threat import Shape

# Logits. Games end before a five can be made or must be stopped, so that data do not teach these.
OWN_FIVE = 40.0
OPPONENT_FIVE = 30.0
# An own open four wins unless the opponent has a five; seen so rarely that the fit runs off.
OWN_OPEN_FOUR = (14.0, 18.0)
# No single point is worth more than this: a sum of few must not look like a proven win.
VALUE_LIMIT = 6.0


def with_forced_moves(fit: PolicyFit) -> PolicyFit:
    """The same scores of moves, but for points that make or stop a five, or make an open four."""
    shapes = combo_shapes()
    five, open_four = shapes[:, Shape.FIVE] > 0, shapes[:, Shape.OPEN_FOUR] > 0
    low, high = OWN_OPEN_FOUR
    own = np.where(open_four, np.clip(fit.own, low, high), np.minimum(fit.own, low))
    return PolicyFit(
        own=np.where(five, OWN_FIVE, own),
        opponent=np.where(five, OPPONENT_FIVE, np.minimum(fit.opponent, low)),
    )


def assemble(fits: Sequence[tuple[ValueFit, PolicyFit]]) -> Tables:
    """Tables of the fits for black to move and for white to move, or of one fit for both."""
    both = fits if len(fits) == 2 else (fits[0], fits[0])
    values = [value for value, _ in both]
    policies = [with_forced_moves(policy) for _, policy in both]

    def limited(weights: list[Vector]) -> Points:
        return to_points(np.clip(np.stack(weights), -VALUE_LIMIT, VALUE_LIMIT))

    return Tables(
        own=limited([value.own for value in values]),
        opponent=limited([value.opponent for value in reversed(values)]),
        move_own=to_points([policy.own for policy in policies]),
        move_opponent=to_points([policy.opponent for policy in reversed(policies)]),
        mask=limited([value.mask for value in values]),
        bias=to_points([value.bias for value in values]),
    )
