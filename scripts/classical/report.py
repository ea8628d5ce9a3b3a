# SPDX-License-Identifier: MIT
"""Losses, accuracy and calibration of the rounded tables of a file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scripts.classical.collect import PolicyData, ValueData
from scripts.classical.fit import (
    CHUNK,
    Vector,
    cross_entropy,
    least_cross_entropy,
    policy_loss,
    special,
    value_logits,
)
from scripts.classical.write import Tables

from tengen.engine.score import EVAL_PER_LOGIT
from tengen.export.combos import COMBOS


@dataclass(frozen=True)
class ValueReport:
    """Losses are mean cross-entropies in nats."""

    positions: int
    loss: float
    constant: float  # loss of the best number that is the same for all positions
    least: float  # entropy of the targets
    deciles: list[tuple[float, float]]  # mean predicted and mean true value of each tenth


@dataclass(frozen=True)
class PolicyReport:
    """Losses are mean cross-entropies in nats."""

    positions: int
    loss: float
    least: float
    top1: float  # how often the highest score is the likeliest move; ties are shared


def value_weights(tables: Tables, side: int) -> Vector:
    """Logits in the order of fit.value_design, for side 0 (black) or 1 to move."""
    parts = (tables.own[side], -tables.opponent[1 - side], tables.mask[side], tables.bias[[side]])
    return np.concatenate(parts) / EVAL_PER_LOGIT


def policy_weights(tables: Tables, side: int) -> Vector:
    """Logits in the order of fit.policy_design, for side 0 (black) or 1 to move."""
    parts = (tables.move_own[side], tables.move_opponent[1 - side])
    return np.concatenate(parts) / EVAL_PER_LOGIT


def value_report(data: ValueData, weights: Vector) -> ValueReport:
    logits = value_logits(data, weights)
    mean = float(data.targets.mean())
    order = np.argsort(logits, kind="stable")
    tenths = [
        (float(special.expit(logits[rows]).mean()), float(data.targets[rows].mean()))
        for rows in np.array_split(order, 10)
        if len(rows)
    ]
    return ValueReport(
        positions=len(logits),
        loss=cross_entropy(logits, data.targets),
        constant=cross_entropy(np.full(len(logits), special.logit(mean)), data.targets),
        least=least_cross_entropy(data.targets),
        deciles=tenths,
    )


def policy_report(data: PolicyData, weights: Vector) -> PolicyReport:
    total, _ = policy_loss(data)(weights)
    hits = sum(_hits(data, start, weights) for start in range(0, len(data), CHUNK))
    return PolicyReport(len(data), total / len(data), data.entropy, hits / len(data))


def _hits(data: PolicyData, start: int, weights: Vector) -> float:
    """In how many positions of a chunk the likeliest move has the highest score."""
    begins = data.starts[start : start + CHUNK + 1]
    entries = slice(begins[0], begins[-1])
    firsts = begins[:-1] - begins[0]
    scores = weights[data.own[entries]] + weights[COMBOS:][data.opponent[entries]]
    highest = np.maximum.reduceat(scores, firsts)
    ties = scores == np.repeat(highest, np.diff(begins))
    chosen = np.add.reduceat(np.where(ties, data.points[entries], 0), firsts)
    best = data.best[start : start + CHUNK]
    wanted = weights[best[:, 0]] + weights[COMBOS:][best[:, 1]]
    return float(((wanted >= highest) / chosen).sum())
