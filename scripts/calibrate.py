# SPDX-License-Identifier: MIT
"""Calibration of a net's value on the validation rows of a data set: expected win rates against
results, and the scale that fits best.

    python scripts/calibrate.py my.net data/zero15
    python scripts/calibrate.py my.net data/zero15 --positions 100000 --json

The engine's curve is win rate = 1 / (1 + e^(-value / 200)), a draw is half a win
(docs/evaluation.md). The fit is 1 / (1 + e^(-(value + shift) / scale)) with the least
cross-entropy: a scale other than 200 means that the net is over- or underconfident, a shift that
it favours one side to move. Static evaluations only, no search.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data import Dataset
from tengen.data.packing import unpack
from tengen.engine.nets import net_path
from tengen.engine.score import EVAL_PER_LOGIT
from tengen.export.quantise import NativeNet

Numbers: TypeAlias = "npt.NDArray[np.float64]"

_LOGIT_SCALE = 4096  # of the core's value logits
_BATCH = 1000  # positions evaluated in one call
_STEPS = 15  # of Newton's method


class Curve(NamedTuple):
    """From evaluation units to a win rate; both numbers are in evaluation units."""

    scale: float = EVAL_PER_LOGIT
    shift: float = 0.0

    def logits(self, values: Numbers) -> Numbers:
        return (values + self.shift) / self.scale


ENGINE = Curve()


def values_of(logits: npt.NDArray[np.int32]) -> Numbers:
    """Logits of win, loss, draw [N, 3] as evaluation units, as in the core, without rounding."""
    win, loss, draw = (logits / _LOGIT_SCALE).T
    half = draw - np.log(2.0)
    return np.asarray(EVAL_PER_LOGIT * (np.logaddexp(win, half) - np.logaddexp(loss, half)))


def win_rates(values: Numbers, curve: Curve = ENGINE) -> Numbers:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(curve.logits(values), -500, 500))))


def cross_entropy(values: Numbers, results: Numbers, curve: Curve = ENGINE) -> float:
    """Mean, in nats."""
    logits = curve.logits(values)
    return float(np.mean(np.logaddexp(0, logits) - results * logits))


def fit(values: Numbers, results: Numbers) -> Curve:
    """The curve with the least cross-entropy, by Newton's method: there is one minimum."""
    inputs = np.stack([values / EVAL_PER_LOGIT, np.ones_like(values)])

    def loss(weights: Numbers) -> float:
        return cross_entropy(weights @ inputs, results, Curve(1.0))

    weights = np.zeros(2)  # the flat curve: from there it converges
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(-np.clip(weights @ inputs, -500, 500)))
        curvature = (inputs * (expected * (1 - expected))) @ inputs.T
        step = np.linalg.solve(curvature, inputs @ (expected - results))
        while loss(weights - step) > loss(weights) and np.abs(step).max() > 1e-12:
            step /= 2
        weights = weights - step
    scale = EVAL_PER_LOGIT / weights[0]
    return Curve(float(scale), float(weights[1] * scale))


def errors_of_fit(values: Numbers, results: Numbers, rounds: int = 50) -> Curve:
    """Standard errors of the fitted numbers, by bootstrap."""
    rng = np.random.default_rng(2)
    drawn = (rng.integers(0, len(values), len(values)) for _ in range(rounds))
    fits = [fit(values[rows], results[rows]) for rows in drawn]
    return Curve(*(float(np.std(numbers)) for numbers in zip(*fits, strict=True)))


def reliability(expected: Numbers, results: Numbers, bins: int) -> list[dict[str, float]]:
    """By expected win rate, bins of the same width: how many, the mean expected, the mean result,
    and its standard error.
    """
    places = np.minimum((expected * bins).astype(int), bins - 1)
    rows = []
    for place in range(bins):
        inside = places == place
        count = int(inside.sum())
        if count == 0:
            continue
        rows.append(
            {
                "from": place / bins,
                "to": (place + 1) / bins,
                "positions": count,
                "expected": float(expected[inside].mean()),
                "found": float(results[inside].mean()),
                "error": float(results[inside].std()) / count**0.5,
            }
        )
    return rows


def sample(net: Path, data: Path, count: int) -> tuple[Numbers, Numbers]:
    """Evaluations of random rows, and their results for the side to move, 0 to 1."""
    view = Dataset.open(data).split("validation")
    rng = np.random.default_rng(1)
    rows = np.sort(rng.choice(len(view), min(count, len(view)), replace=False))
    batch = view.rows(rows)
    boards = unpack(batch.board, Dataset.open(data).size)
    native = NativeNet(net.read_bytes())
    logits = [native.evaluate(boards[i : i + _BATCH])[0] for i in range(0, len(rows), _BATCH)]
    value = batch.value.astype(np.float64) / 255
    return values_of(np.concatenate(logits)), (1 + value[:, 0] - value[:, 1]) / 2


def calibrate(values: Numbers, results: Numbers, bins: int) -> dict[str, Any]:
    best = fit(values, results)
    return {
        "positions": len(values),
        "mean_expected": float(win_rates(values).mean()),
        "mean_found": float(results.mean()),
        "cross_entropy": cross_entropy(values, results),
        "fitted": best._asdict(),
        "errors": errors_of_fit(values, results)._asdict(),
        "fitted_cross_entropy": cross_entropy(values, results, best),
        "bins": reliability(win_rates(values), results, bins),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("net", metavar="NET", help="name or file")
    parser.add_argument("data", type=Path, metavar="DIR", help="a data set")
    parser.add_argument("--positions", type=int, default=20_000, metavar="N", help="to draw")
    parser.add_argument("--bins", type=int, default=10, metavar="N", help="of the table")
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    args = parser.parse_args()
    found = calibrate(*sample(net_path(args.net), args.data, args.positions), args.bins)
    if args.json:
        print(json.dumps(found))
        return 0
    print("| win rate | positions | expected | found |\n|---|---|---|---|")
    for row in found["bins"]:
        print(
            f"| {row['from']:.1f} to {row['to']:.1f} | {row['positions']:,} | {row['expected']:.3f}"
            f" | {row['found']:.3f} ± {row['error']:.3f} |"
        )
    best, errors = found["fitted"], found["errors"]
    print(
        f"{found['positions']:,} positions: {found['mean_expected']:.4f} expected,"
        f" {found['mean_found']:.4f} found, cross-entropy {found['cross_entropy']:.4f}\n"
        f"fitted: {best['scale']:.1f} ± {errors['scale']:.1f} units per logit, shift"
        f" {best['shift']:+.1f} ± {errors['shift']:.1f} units, cross-entropy"
        f" {found['fitted_cross_entropy']:.4f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
