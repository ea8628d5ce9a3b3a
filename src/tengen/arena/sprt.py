# SPDX-License-Identifier: MIT
"""The sequential test of two hypotheses about a difference in Elo, from counts of pairs.

Pure functions of counts. The arena calls `decide` after each pair; docs/statistics.md explains how
to choose the bounds.

H0 says that the difference is `elo0`, H1 that it is `elo1`. After N pairs, with the part f_i of
them at share x_i of the points,

    LLR = N sum f_i ln(p1_i / p0_i)

where p0 and p1 are the distributions over the five results that make the observed counts most
likely among all that agree with H0 and H1: nothing is assumed about draws or openings. The test
ends when the LLR leaves (ln(beta / (1 - alpha)), ln((1 - beta) / alpha)).

What "agree" means is the model. logistic: sum p_i x_i = s, the expected share of that Elo.
normalised: (mean(p) - 1/2) / deviation(p) = t, where t = elo ln(10) / 800, times sqrt 2 for pairs,
whose share has a deviation smaller by that than a game's. With a multiplier u both are solved by

    p_i = f_i / (1 + u h_i),   sum p_i h_i = 0
    logistic:    h_i = x_i - s
    normalised:  h_i = x_i - 1/2 - t (d + (x_i - m)^2 / d) / 2,   m and d: mean and deviation of p

The first is one equation in u, with one solution. For the second, m and d are put in and computed
again until they stay; the sum over h is then the condition itself, and h its derivative by p_i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tengen.arena.elo import NORMALISED_SCALE, expected_share, moments
from tengen.util.config import Config, setting
from tengen.util.errors import BadConfig

Model = Literal["logistic", "normalised"]
Decision = Literal["H0", "H1"]

# Replaces a count of 0, as in fishtest and fastchess: a result not seen yet is not impossible.
_UNSEEN = 1e-3
_ROUNDS = 200
_SCAN = 50
_FIXED_POINT_ROUNDS = 25
_DEFAULT_VARIANCE = 1 / 12  # of the share before a result is known: evenly spread results


@dataclass(frozen=True, slots=True)
class Sprt(Config):
    """A test that ends by itself: H1, with probability at least 1 - beta if the difference is
    `elo1` or more; H0, with probability at least 1 - alpha if it is `elo0` or less.
    """

    elo0: float = setting(min=-1000, max=1000, help="of H0: A is elo0 better, or less")
    elo1: float = setting(min=-1000, max=1000, help="of H1: A is elo1 better, or more")
    alpha: float = setting(0.05, help="probability of H1 where H0 is true")
    beta: float = setting(0.05, help="probability of H0 where H1 is true")
    model: Model = setting("logistic", help="Elo, or normalised Elo")

    def validate(self) -> None:
        if self.elo0 >= self.elo1:
            raise BadConfig(f"elo0 {self.elo0:g} must be less than elo1 {self.elo1:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise BadConfig(f"{rate:g} must be greater than 0 and less than 0.5", name)

    @property
    def lower(self) -> float:
        """At this LLR or less, H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At this LLR or more, H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float]) -> float:
        """The log-likelihood ratio of H1 to H0; 0 without a result.

        Five counts: pairs by points, 0 to 2. Three: losses, draws and wins of games without pairs.
        """
        _check(counts)
        if not sum(counts):
            return 0.0
        seen = [n or _UNSEEN for n in counts]
        number = sum(seen)
        parts = [n / number for n in seen]
        under0, under1 = (self._likeliest(parts, elo) for elo in (self.elo0, self.elo1))
        return math.fsum(
            n * math.log(p1 / p0) for n, p0, p1 in zip(seen, under0, under1, strict=True)
        )

    def decide(self, counts: Sequence[float]) -> Decision | None:
        """The hypothesis that is accepted; None while more pairs are needed.

        The LLR has to be beyond the bound, also with one more imagined result, half a loss and half
        a win of all points: some dozens of pairs may be alike by chance, which underestimates
        their variance. Errors of quick tests without it: 4.0 to 6.1%, with it 3.3
        to 4.7% (benchmarks/arena_statistics.py). After hundreds of pairs it makes no difference.
        """
        llr = self.llr(counts)
        if self.lower < llr < self.upper:
            return None
        cautious = self.llr([counts[0] + 0.5, *counts[1:-1], counts[-1] + 0.5])
        if min(llr, cautious) >= self.upper:
            return "H1"
        return "H0" if max(llr, cautious) <= self.lower else None

    def expected_pairs(self, elo: float, counts: Sequence[float], llr: float = 0.0) -> float:
        """About how many pairs the test takes from an LLR on, if the true difference is `elo`.

        `counts`, or probabilities, only tell how much pairs vary (three: games, not pairs). The LLR
        is taken for a Brownian motion that stops exactly at the bounds: good to some percent
        for tests of hundreds of pairs and more, too short for quick ones.
        """
        _check(counts)
        low, high = self.lower - llr, self.upper - llr
        if not low < 0 < high:
            return 0.0
        drift, variance = self._motion(elo, counts)
        pull = 2 * drift / variance
        if abs(pull) * max(high, -low) < 1e-6:
            return -low * high / variance
        if pull < 0:  # the same seen from below: no power of e overflows
            low, high, pull, drift = -high, -low, -pull, -drift
        # Probability that the motion ends at `high`.
        ends_high = -math.expm1(pull * low) / (1 - math.exp(pull * (low - high)))
        return (ends_high * high + (1 - ends_high) * low) / drift

    def _motion(self, elo: float, counts: Sequence[float]) -> tuple[float, float]:
        """Drift and variance, per result, of the LLR."""
        if self.model == "normalised":
            unit = _per_result(len(counts))
            step = unit * (self.elo1 - self.elo0)
            return step * unit * (elo - (self.elo0 + self.elo1) / 2), step * step
        variance = (moments(counts)[1] if sum(counts) else 0.0) or _DEFAULT_VARIANCE
        share0, share1 = expected_share(self.elo0), expected_share(self.elo1)
        step = (share1 - share0) / variance
        return step * (expected_share(elo) - (share0 + share1) / 2), step * step * variance

    def _likeliest(self, parts: Sequence[float], elo: float) -> list[float]:
        """The distribution that makes `parts` most likely, of all with this Elo."""
        if self.model == "logistic":
            share, last = expected_share(elo), len(parts) - 1
            return _tilted(parts, [i / last - share for i in range(len(parts))])
        return _likeliest_normalised(parts, elo * _per_result(len(parts)))


def _check(counts: Sequence[float]) -> None:
    if len(counts) not in (3, 5) or not all(0 <= n < math.inf for n in counts):
        raise ValueError(
            f"counts {list(counts)}: five (pairs by points) or three (losses, draws, wins), "
            "none negative"
        )


def _per_result(results: int) -> float:
    """(mean - 1/2) / deviation of one result for one normalised Elo."""
    return (math.sqrt(2) if results == 5 else 1) / NORMALISED_SCALE


def _tilted(parts: Sequence[float], heights: Sequence[float]) -> list[float]:
    """parts_i / (1 + u heights_i) with the u for which the heights have mean 0.

    Needs heights on both sides of 0. The mean falls as u grows from -1/max to -1/min, where it is
    infinite: Newton's steps, and halving where they would leave the interval that is left.
    """
    low, high = -1 / max(heights), -1 / min(heights)
    u = 0.0
    for _ in range(_ROUNDS):
        ratios = [h / (1 + u * h) for h in heights]
        mean = sum(f * r for f, r in zip(parts, ratios, strict=True))
        if mean > 0:
            low = u
        else:
            high = u
        step = mean / sum(f * r * r for f, r in zip(parts, ratios, strict=True))
        if not low < u + step < high:
            u = (low + high) / 2
            continue
        u += step
        if abs(step) * max(*ratios, -min(ratios)) < 1e-7:  # what is left is the square of it
            break
    return [f / (1 + u * h) for f, h in zip(parts, heights, strict=True)]


def _likeliest_normalised(parts: Sequence[float], t: float) -> list[float]:
    """As `_tilted`, where (mean - 1/2) / deviation has to be t.

    The deviation d fixes the mean and so p: a fixed-point iteration over d. It converges in some
    rounds unless nearly all results are alike; then all d are scanned.
    """
    d = math.sqrt(moments(parts)[1])
    before, before_off = 0.0, math.inf
    for _ in range(_FIXED_POINT_ROUNDS):
        found = _of_deviation(parts, t, d)
        if found is None:
            break
        p, new = found
        off = new - d
        if abs(off) <= 1e-11 * d:
            return p
        # The secant through the last two, where it leads to somewhere nearby.
        secant = d - off * (d - before) / (off - before_off) if off != before_off else new
        before, before_off = d, off
        d = secant if abs(secant - new) < 0.1 * new else new
    return _likeliest_scanned(parts, t)


def _of_deviation(parts: Sequence[float], t: float, d: float) -> tuple[list[float], float] | None:
    """The distribution that goes with deviation d, and the deviation that it has, from the mean it
    should have. They are the same for the one that is sought. None if there is no such thing.
    """
    last = len(parts) - 1
    squares = [(i / last - 0.5 - t * d) ** 2 for i in range(len(parts))]
    heights = [i / last - 0.5 - t * (d + square / d) / 2 for i, square in enumerate(squares)]
    if not min(heights) < 0 < max(heights):
        return None
    p = _tilted(parts, heights)
    return p, math.sqrt(sum(q * square for q, square in zip(p, squares, strict=True)))


def _likeliest_scanned(parts: Sequence[float], t: float) -> list[float]:
    """The slow method: tries d from 1e-6 to 1/2 in 50 even ratios, bisects wherever d stops being
    too small, and returns the likeliest distribution.
    """
    best, best_value = list(parts), -math.inf
    low, too_small = 0.0, True
    for step in range(_SCAN + 1):
        d = 0.5 * 1e-6 ** (1 - step / _SCAN)
        found = _of_deviation(parts, t, d)
        was_too_small, too_small = too_small, found is None or found[1] > d
        if was_too_small and not too_small:
            p = _between(parts, t, low, d)
            value = sum(f * math.log(q) for f, q in zip(parts, p, strict=True))
            if value > best_value:
                best, best_value = p, value
        low = d
    return best


def _between(parts: Sequence[float], t: float, low: float, high: float) -> list[float]:
    """The distribution between two deviations of which the first is too small."""
    best = list(parts)
    for step in range(45):
        d = (low + high) / 2 if step else high
        found = _of_deviation(parts, t, d)
        if found is None or found[1] > d:
            low = d
        else:
            high, best = d, found[0]
    return best
