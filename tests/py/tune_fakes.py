# SPDX-License-Identifier: MIT
"""Tuning without games: artificial parameters, a function with a known maximum, and a cluster in
this process that completes tasks out of order.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tengen.cluster import Cluster, Failure, ProgressRecord, TaskOutcome
from tengen.cluster.base import Work
from tengen.tune.parameters import Parameter
from tengen.tune.plan import TrialResult, TunePlan, TuneTrial, match_of
from tengen.tune.spsa import Spsa, SpsaState

T = TypeVar("T")
R = TypeVar("R")

OPENINGS = (("h8",), ("h8", "i9"), ("h8", "h9", "i9"))
PARAMETERS = (
    Parameter("ALPHA", 100, 0, 400, 10, "the first"),
    Parameter("BETA", 5, 1, 20, 1, "the <second> & last"),
)


def made_plan(
    iterations: int = 20,
    pairs: int = 1,
    parameters: tuple[Parameter, ...] = PARAMETERS,
    **settings: Any,
) -> TunePlan:
    spsa = Spsa(parameters, iterations, **settings)
    return TunePlan(spsa, match_of({"limit": {"nodes": 100}}), OPENINGS, pairs)


@dataclass(frozen=True)
class Hill:
    """Plays trials by chance: a set of values is worth less Elo the farther it is from the top, by
    the square of its distance in steps. Each game is won or lost; the same trial ends the same.
    """

    top: Mapping[str, float]
    steps: Mapping[str, float]
    elo: float = 6.0  # lost a step from the top
    seed: int = 0
    seconds: float = 0.0  # that a trial takes

    def __call__(self, trial: TuneTrial, progress: ProgressRecord) -> TrialResult:
        time.sleep(self.seconds)
        progress.write(trial.iteration)
        better = self.worth(trial.plus) - self.worth(trial.minus)
        chance = 1 / (1 + 10 ** (-better / 400))
        rng = random.Random(f"{self.seed} {trial.iteration}")
        games = 2 * len(trial.openings)
        wins = sum(rng.random() < chance for _ in range(games))
        return TrialResult(wins, 0, games - wins)

    def worth(self, values: Mapping[str, float]) -> float:
        away = ((values[name] - top) / self.steps[name] for name, top in self.top.items())
        return -self.elo * sum(distance**2 for distance in away)


def hill_of(plan: TunePlan, *top: float, **settings: Any) -> Hill:
    """A hill over the parameters of a plan."""
    parameters = plan.spsa.parameters
    names = [entry.name for entry in parameters]
    steps = {entry.name: entry.step for entry in parameters}
    return Hill(dict(zip(names, top, strict=True)), steps, **settings)


class NoProgressRecord:
    def write(self, *numbers: int) -> None:
        pass


@dataclass
class HereCluster(Cluster):
    """Runs in this process. `failures` replace the first results."""

    size: int = 1
    failures: list[Failure] = field(default_factory=list)
    seed: int = 0

    @property
    def workers(self) -> int:
        return self.size

    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T | None],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[TaskOutcome[T, R] | None]:
        waiting, under_way, rng = iter(tasks), list[T](), random.Random(self.seed)
        while not stop():
            while len(under_way) < self.size and (task := next(waiting, None)) is not None:
                under_way.append(task)
            if not under_way:
                return
            task = under_way.pop(rng.randrange(len(under_way)))
            if self.failures:
                yield TaskOutcome(task, self.failures.pop(0))
            else:
                yield TaskOutcome(task, work(task, NoProgressRecord()))
            yield None

    def dismiss(self, worker: str) -> None:
        raise AssertionError(f"nobody here dismisses workers, but {worker} was")

    def close(self) -> None:
        pass


def replay(spsa: Spsa, results: Iterable[tuple[int, int]]) -> SpsaState:
    """The values after (iteration, difference)s in the order of their application."""
    spsa_state = SpsaState(spsa)
    for iteration, difference in results:
        spsa_state.apply(iteration, difference)
    return spsa_state
