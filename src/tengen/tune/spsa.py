# SPDX-License-Identifier: MIT
"""SPSA, simultaneous perturbation stochastic approximation: all parameters are moved at once, at
random, to both sides, and go a little towards the side that won. Pure; relies on parameters alone.

Iteration k of N, with a parameter's value t, its step c_end, and a random sign d:

    c_k = c_end (N / k)^gamma                    how far games are played from t
    a_k = r_end c_end^2 ((A + N) / (A + k))^alpha
    t+  = t + c_k d,   t- = t - c_k d            the two sides of the games, whole and in the range
    t  <- t + a_k / c_k * (wins - losses of t+) * d,   kept in the range

so that at the end c_N = c_end and a_N / c_N^2 = r_end. The sign depends on the seed and on k alone:
the values after some updates are a function of the settings and of the list of (iteration,
difference) in the order in which they were applied, which is what a journal keeps.

Rounding. "stochastic": t+ and t- are rounded down after one random part of 1 was added to both, so
that a value played is right on average, and a value that lies between two whole ones is told from
its neighbours. "nearest": the same with one half. Either way t+ and t- differ by 1 or more, except
where the end of the range stops them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from tengen.game.errors import BadLimit
from tengen.game.limits import whole
from tengen.tune.parameters import BadTuning, Parameter

__all__ = ["Rounding", "Spsa", "Values", "Walk"]

Rounding = Literal["stochastic", "nearest"]
Values = tuple[int, ...]  # in the order of the parameters

_MOST_ITERATIONS = 10_000_000


@dataclass(frozen=True, slots=True)
class Spsa:
    """The settings of a run, apart from how its games are played."""

    parameters: tuple[Parameter, ...]
    iterations: int  # N
    r_end: float = 0.002  # learning rate at the end
    alpha: float = 0.602  # how fast it falls
    gamma: float = 0.101  # how fast the distance of the two sides does
    stability: float = 0.1  # A, in parts of N: keeps the first updates from being huge
    seed: int = 1  # of the signs and of the rounding
    rounding: Rounding = "stochastic"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "parameters", tuple(self.parameters))
        if not self.parameters:
            raise BadTuning("no parameters to be tuned")
        if len({entry.name for entry in self.parameters}) < len(self.parameters):
            raise BadTuning("a parameter is there twice")
        try:
            whole("number of iterations", self.iterations, 1, _MOST_ITERATIONS)
            whole("seed", self.seed, 0, 2**31 - 1)
        except BadLimit as error:
            raise BadTuning(str(error)) from None
        for name, least, most in (
            ("r_end", 1e-9, 10.0),
            ("alpha", 0.0, 1.0),
            ("gamma", 0.0, 1.0),
            ("stability", 0.0, 10.0),
        ):
            put(self, name, _within(name, getattr(self, name), least, most))
        if self.rounding not in get_args(Rounding):
            known = ", ".join(get_args(Rounding))
            raise BadTuning(f"no rounding {self.rounding!r}: known are {known}")

    @property
    def start(self) -> list[float]:
        return [entry.start for entry in self.parameters]

    def reach(self, iteration: int) -> float:
        """c_k, in steps: how far from the values an iteration is played. 1 at the end."""
        return float((self.iterations / iteration) ** self.gamma)

    def rate(self, iteration: int) -> float:
        """a_k / c_k, in steps: how far one game more that was won than lost moves a value."""
        shift = self.stability * self.iterations
        falling = ((shift + self.iterations) / (shift + iteration)) ** self.alpha
        return float(self.r_end * falling / self.reach(iteration))

    def signs(self, iteration: int) -> list[int]:
        """The side to which each parameter's t+ lies."""
        rng = random.Random(f"signs {self.seed} {iteration}")
        return [1 if rng.random() < 0.5 else -1 for _ in self.parameters]

    def sides(self, theta: Iterable[float], iteration: int) -> tuple[Values, Values]:
        """What is played in an iteration: t+ and t-."""
        reach = self.reach(iteration)
        rng = random.Random(f"rounding {self.seed} {iteration}")
        plus, minus = [], []
        for entry, value, sign in zip(self.parameters, theta, self.signs(iteration), strict=True):
            part = rng.random() if self.rounding == "stochastic" else 0.5
            away = sign * reach * entry.step
            plus.append(int(entry.clip(math.floor(value + away + part))))
            minus.append(int(entry.clip(math.floor(value - away + part))))
        return tuple(plus), tuple(minus)

    def to_dict(self) -> dict[str, Any]:
        data = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return data | {"parameters": [entry.to_dict() for entry in self.parameters]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Spsa:
        """Raises BadTuning."""
        known = {entry.name for entry in fields(cls)}
        if unknown := sorted(set(data) - known):
            raise BadTuning(f"unknown: {unknown[0]}; known are {', '.join(sorted(known))}")
        try:
            parameters = tuple(Parameter.from_dict(entry) for entry in data["parameters"])
            return cls(**(dict(data) | {"parameters": parameters}))
        except (KeyError, TypeError) as error:
            raise BadTuning(f"no settings of a run: {error}") from None


class Walk:
    """The values on their way. Only `apply` changes them."""

    def __init__(self, spsa: Spsa) -> None:
        self.spsa = spsa
        self.theta = spsa.start
        self._spread = 0.0

    def apply(self, iteration: int, difference: int) -> None:
        """Take in an iteration's wins of t+ less its losses."""
        moved = self.spsa.rate(iteration) * difference
        self._spread += moved * moved
        signs = self.spsa.signs(iteration)
        for n, (entry, sign) in enumerate(zip(self.spsa.parameters, signs, strict=True)):
            self.theta[n] = entry.clip(self.theta[n] + moved * entry.step * sign)

    @property
    def noise(self) -> list[float]:
        """How far each value would have wandered by chance alone if it had no effect: the standard
        deviation of the sum of its moves, each with a random sign.
        """
        return [math.sqrt(self._spread) * entry.step for entry in self.spsa.parameters]

    @property
    def values(self) -> Values:
        """The nearest whole values."""
        entries = zip(self.spsa.parameters, self.theta, strict=True)
        return tuple(int(entry.clip(math.floor(value + 0.5))) for entry, value in entries)

    @classmethod
    def replay(cls, spsa: Spsa, results: Iterable[tuple[int, int]]) -> Walk:
        """The values after (iteration, difference)s in the order of their application."""
        walk = cls(spsa)
        for iteration, difference in results:
            walk.apply(iteration, difference)
        return walk


def _within(name: str, value: object, least: float, most: float) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not least <= float(value) <= most:  # type: ignore[arg-type]
        raise BadTuning(f"no {name} of {value!r}: use a number from {least:g} to {most:g}")
    return float(value)  # type: ignore[arg-type]
