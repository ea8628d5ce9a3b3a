# SPDX-License-Identifier: MIT
"""SPSA, simultaneous perturbation stochastic approximation: each iteration moves all parameters at
once, in random directions, to both sides, and then a little towards the side that won. Pure.

Iteration k of N, with a parameter's value t, its step c_end, and a random sign d:

    c_k = c_end (N / k)^gamma                    how far games are played from t
    a_k = r_end c_end^2 ((A + N) / (A + k))^alpha
    t+  = t + c_k d,   t- = t - c_k d            the two sides of the games, whole and in the range
    t  <- t + a_k / c_k * (wins - losses of t+) * d,   kept in the range

so that at the end c_N = c_end and a_N / c_N^2 = r_end. The sign depends on the seed and on k alone:
the values are a function of the settings and of the (iteration, difference) in the order in which
they were applied, which is what the event log stores.

Rounding. "stochastic": t+ and t- are rounded down after one random part of 1 was added to both, so
that a value played is right on average, and a value between two integers differs from
its neighbours. "nearest": the same with one half. Either way t+ and t- differ by 1 or more, except
where the end of the range stops them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tengen.tune.parameters import BadTuning, Parameter
from tengen.util.config import Config, setting

Rounding = Literal["stochastic", "nearest"]
Values = tuple[int, ...]  # in the order of the parameters


@dataclass(frozen=True, slots=True)
class Spsa(Config):
    """The settings of a run, apart from how its games are played."""

    ERROR = BadTuning

    parameters: tuple[Parameter, ...] = setting(help="what is tuned")
    iterations: int = setting(min=1, max=10_000_000, help="N")
    r_end: float = setting(0.002, min=1e-9, max=10, help="learning rate at the end")
    alpha: float = setting(0.602, min=0, max=1, help="how fast the learning rate falls")
    gamma: float = setting(0.101, min=0, max=1, help="how fast the distance of both sides falls")
    stability: float = setting(
        0.1, min=0, max=10, help="A, as a share of N: limits the first updates"
    )
    seed: int = setting(1, min=0, max=2**31 - 1, help="of the signs and of the rounding")
    rounding: Rounding = setting("stochastic", help="of the values that are played")

    def validate(self) -> None:
        if not self.parameters:
            raise BadTuning("nothing to tune", "parameters")
        if len({entry.name for entry in self.parameters}) < len(self.parameters):
            raise BadTuning("a parameter occurs twice", "parameters")

    @property
    def start(self) -> list[float]:
        return [entry.start for entry in self.parameters]

    def reach(self, iteration: int) -> float:
        """c_k, in steps: distance of both sides from the values. 1 at the end."""
        return float((self.iterations / iteration) ** self.gamma)

    def rate(self, iteration: int) -> float:
        """a_k / c_k, in steps: how far one more win than losses moves a value."""
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


class SpsaState:
    """The current values of the parameters. Only `apply` changes them."""

    def __init__(self, spsa: Spsa) -> None:
        self.spsa = spsa
        self.theta = spsa.start
        self._squared_moves = 0.0

    def apply(self, iteration: int, difference: int) -> None:
        """Apply the result of an iteration: wins minus losses of t+."""
        moved = self.spsa.rate(iteration) * difference
        self._squared_moves += moved * moved
        signs = self.spsa.signs(iteration)
        for n, (entry, sign) in enumerate(zip(self.spsa.parameters, signs, strict=True)):
            self.theta[n] = entry.clip(self.theta[n] + moved * entry.step * sign)

    @property
    def noise(self) -> list[float]:
        """The standard deviation of each value if it has no effect on strength: of the sum of its
        moves, each with a random sign.
        """
        return [math.sqrt(self._squared_moves) * entry.step for entry in self.spsa.parameters]

    @property
    def values(self) -> Values:
        """The nearest whole values."""
        entries = zip(self.spsa.parameters, self.theta, strict=True)
        return tuple(int(entry.clip(math.floor(value + 0.5))) for entry, value in entries)
