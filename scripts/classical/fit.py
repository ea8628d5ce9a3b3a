# SPDX-License-Identifier: MIT
"""The two regressions: the value by logistic regression on counts of combos, the policy by softmax
regression over the playable points, both by L-BFGS.

Weights of combos are not free numbers: each is the sum of a weight for each of its four shapes and
its own remainder. The penalty of shape weights is small and that of remainders large, so a combo
that is not in the data gets the sum of its shapes. Masks have the same structure,
with a weight for each bit. The penalties are those of Gaussian priors: a parameter with penalty
`l` is expected within about 1 / sqrt(l) logits of zero.

`assemble` joins the fits of both sides to move into the tables of one file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scripts.classical.collect import PolicyData, ValueData, sparse
from scripts.classical.write import EvalUnits, Tables, to_eval

from tengen.export.combos import COMBOS, MASK_BITS, MASKS, background_combos, combo_shapes
from tengen.game.threat import Shape

minimize: Any = import_module("scipy.optimize").minimize
special: Any = import_module("scipy.special")
Vector: TypeAlias = "npt.NDArray[np.float64]"
Loss: TypeAlias = "Callable[[Vector], tuple[float, Vector]]"
Watch: TypeAlias = "Callable[[int, float], None]"

CHUNK = 20_000  # positions worked on at a time: bounds the memory


@dataclass(frozen=True)
class Penalties:
    """How strongly parameters are pulled towards zero; see above for the unit."""

    shared: float = 0.1  # weights of shapes and of mask bits
    combo: float = 5.0  # remainders of the value's combos
    mask: float = 5.0  # remainders of masks
    move: float = 2.0  # remainders of the policy's combos


@dataclass(frozen=True)
class Design:
    """Weights as a linear map of parameters, and the penalty of each parameter."""

    matrix: Any  # scipy CSR [weights, parameters]
    penalty: Vector  # [parameters]


@dataclass(frozen=True)
class ValueFit:
    """Logits of the value for one side to move."""

    own: Vector  # [COMBOS]
    opponent: Vector  # [COMBOS], to be subtracted
    mask: Vector  # [MASKS]
    bias: float


@dataclass(frozen=True)
class PolicyFit:
    """Logits of moves for one side to move."""

    own: Vector  # [COMBOS]
    opponent: Vector  # [COMBOS]


def value_design(penalties: Penalties) -> Design:
    """Weights: own combos, opponent's combos with their sign, masks, bias.

    Combos of points far from a colour's stones weigh the same for both sides. Otherwise a larger
    board, which has more of them, would look better for one side than the same stones on a small
    one.
    """
    quiet = background_combos()
    shapes = combo_shapes().astype(float)
    shapes[quiet] = 0
    tied = sparse.identity(COMBOS, format="csc")[:, quiet]
    free = sparse.identity(COMBOS, format="csc")[:, ~quiet]
    bits = ((np.arange(MASKS)[:, None] >> np.arange(MASK_BITS)) & 1).astype(float)
    matrix = sparse.bmat(
        [
            [tied, shapes, free, None, None, None, None, None],
            [-tied, None, None, -shapes, -free, None, None, None],
            [None, None, None, None, None, bits, sparse.identity(MASKS), None],
            [None, None, None, None, None, None, None, np.ones((1, 1))],
        ],
        format="csr",
    )
    side = [np.full(shapes.shape[1], penalties.shared), np.full(free.shape[1], penalties.combo)]
    tail = [np.full(MASK_BITS, penalties.shared), np.full(MASKS, penalties.mask), [1e-3]]
    penalty = np.concatenate([np.full(tied.shape[1], penalties.combo), *side, *side, *tail])
    return Design(matrix, penalty)


def policy_design(penalties: Penalties) -> Design:
    """Weights: own combos, then the opponent's."""
    shapes = combo_shapes().astype(float)
    side = sparse.hstack([shapes, sparse.identity(COMBOS)])
    penalty = np.concatenate(
        [np.full(shapes.shape[1], penalties.shared), np.full(COMBOS, penalties.move)]
    )
    return Design(sparse.block_diag([side, side], format="csr"), np.concatenate([penalty, penalty]))


def value_loss(data: ValueData) -> Loss:
    """Summed cross-entropy in nats and its gradient, by weights in the order of the design."""
    transposed = data.counts.T  # CSC: adds a position at a time, into weights that stay in cache

    def loss(weights: Vector) -> tuple[float, Vector]:
        logits = value_logits(data, weights)
        slope = special.expit(logits) - data.targets
        gradient = np.empty_like(weights)
        gradient[: 2 * COMBOS] = transposed @ slope.astype(np.float32)
        gradient[2 * COMBOS : -1] = np.bincount(data.masks, slope, MASKS)
        gradient[-1] = slope.sum()
        return float((np.logaddexp(0, logits) - data.targets * logits).sum()), gradient

    return loss


def value_logits(data: ValueData, weights: Vector) -> Vector:
    """Logits of the side to move winning, `[n]`."""
    sums = data.counts @ weights[: 2 * COMBOS]
    return np.asarray(sums + weights[2 * COMBOS : -1][data.masks] + weights[-1])


def policy_loss(data: PolicyData) -> Loss:
    """Summed cross-entropy in nats and its gradient, by weights in the order of the design."""

    def loss(weights: Vector) -> tuple[float, Vector]:
        gradient = -data.wanted.copy()
        total = float((gradient.ravel() * weights).sum())
        for start in range(0, len(data), CHUNK):
            total += _add_partition(data, start, weights, gradient)
        return total, gradient.ravel()

    return loss


def _add_partition(data: PolicyData, start: int, weights: Vector, gradient: Vector) -> float:
    """Summed log of the partition functions of a chunk; adds the chances of moves to gradient."""
    begins = data.starts[start : start + CHUNK + 1]
    entries = slice(begins[0], begins[-1])
    own, opponent = data.own[entries], data.opponent[entries]
    lengths, firsts = np.diff(begins), begins[:-1] - begins[0]
    scores = weights[own] + weights[COMBOS:][opponent]
    highest = np.maximum.reduceat(scores, firsts)
    chances = np.exp(scores - np.repeat(highest, lengths)) * data.points[entries]
    sums = np.add.reduceat(chances, firsts)
    chances /= np.repeat(sums, lengths)
    gradient[0] += np.bincount(own, chances, COMBOS)
    gradient[1] += np.bincount(opponent, chances, COMBOS)
    return float((highest + np.log(sums)).sum())


@dataclass(frozen=True)
class Search:
    """When a regression ends, and its progress callback."""

    steps: int  # at most
    watch: Watch  # called after each step with its number and the loss
    tolerance: float = 1e-8  # relative gain of a step below which the search ends


def minimise(loss: Loss, design: Design, curvature: Vector, count: int, search: Search) -> Vector:
    """Weights that minimise the loss of `count` positions and the penalties.

    `curvature` is the rough second derivative of the loss by each parameter; the search runs in
    parameters scaled by it, since counts of combos differ by orders of magnitude.
    """
    scale = 1 / np.sqrt(curvature + design.penalty)
    done = 0

    def objective(scaled: Vector) -> tuple[float, Vector]:
        parameters = scaled * scale
        total, gradient = loss(design.matrix @ parameters)
        total += 0.5 * float((design.penalty * parameters**2).sum())
        slope = design.matrix.T @ gradient + design.penalty * parameters
        return total / count, slope * scale / count

    def callback(intermediate_result: Any) -> None:
        nonlocal done
        done += 1
        search.watch(done, float(intermediate_result.fun))

    found = minimize(
        objective,
        np.zeros(len(scale)),
        jac=True,
        method="L-BFGS-B",
        callback=callback,
        options={"maxiter": search.steps, "maxcor": 20, "ftol": search.tolerance, "gtol": 1e-9},
    )
    return np.asarray(design.matrix @ (found.x * scale))


def fit_value(data: ValueData, penalties: Penalties, search: Search) -> ValueFit:
    """The value's tables for one side to move."""
    design = value_design(penalties)
    count = len(data.targets)
    seen = sparse.csr_matrix(
        (np.ones(count, dtype=np.float32), data.masks, np.arange(count + 1)), shape=(count, MASKS)
    )
    curvature = np.zeros(design.matrix.shape[1])
    for start in range(0, count, CHUNK):
        rows = slice(start, start + CHUNK)
        ones = np.ones((data.counts[rows].shape[0], 1), dtype=np.float32)
        inputs = sparse.hstack([data.counts[rows], seen[rows], ones]) @ design.matrix
        curvature += 0.2 * np.asarray(inputs.multiply(inputs).sum(axis=0)).ravel()
    weights = minimise(value_loss(data), design, curvature, count, search)
    own, opponent, mask, bias = np.split(weights, [COMBOS, 2 * COMBOS, 2 * COMBOS + MASKS])
    return ValueFit(own, -opponent, mask, float(bias[0]))


def settled_bias(data: ValueData, weights: Vector) -> float:
    """The bias with which the other weights, rounded since they were fitted, are right in the
    mean.
    """
    logits = value_logits(data, weights) - weights[-1]
    bias, mean = float(weights[-1]), float(data.targets.mean())
    for _ in range(8):  # Newton's steps; the function is smooth and the start is near
        chances = special.expit(logits + bias)
        bias += (mean - float(chances.mean())) / float((chances * (1 - chances)).mean())
    return bias


def fit_policy(data: PolicyData, penalties: Penalties, search: Search) -> PolicyFit:
    """The tables of moves for one side to move."""
    design = policy_design(penalties)
    curvature = design.matrix.power(2).T @ data.wanted.ravel()
    weights = minimise(policy_loss(data), design, curvature, len(data), search)
    return PolicyFit(weights[:COMBOS], weights[COMBOS:])


def cross_entropy(logits: Vector, targets: npt.NDArray[Any]) -> float:
    """Mean cross-entropy of a value, nats."""
    return float((np.logaddexp(0, logits) - targets * logits).mean())


def least_cross_entropy(targets: npt.NDArray[Any]) -> float:
    """Mean entropy of the targets themselves: no value has a lower loss."""
    wide = targets.astype(np.float64)
    return float(-(special.xlogy(wide, wide) + special.xlogy(1 - wide, 1 - wide)).mean())


# --- tables ---

# Logits. The data have no positions in which a five can be made or must be stopped.
OWN_FIVE = 40.0
OPPONENT_FIVE = 30.0
# An own open four wins unless the opponent has a five; too rare for the fit.
OWN_OPEN_FOUR = (14.0, 18.0)
# No single point is worth more than this: the sum of a few must stay below a proven win.
VALUE_LIMIT = 6.0


def with_forced_moves(fit: PolicyFit) -> PolicyFit:
    """The scores of moves, with fixed scores for points that make or stop a five, and bounds for
    those that make an open four.
    """
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

    def limited(weights: list[Vector]) -> EvalUnits:
        return to_eval(np.clip(np.stack(weights), -VALUE_LIMIT, VALUE_LIMIT))

    return Tables(
        own=limited([value.own for value in values]),
        opponent=limited([value.opponent for value in reversed(values)]),
        move_own=to_eval([policy.own for policy in policies]),
        move_opponent=to_eval([policy.opponent for policy in reversed(policies)]),
        mask=limited([value.mask for value in values]),
        bias=to_eval([value.bias for value in values]),
    )
