# SPDX-License-Identifier: MIT
"""The learner's state as a checkpoint and back, without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from data_samples import random_rows
from tengen.train.checkpoint import read_checkpoint, write_checkpoint
from tengen.train.errors import BadCheckpoint
from tengen.zero.learn.learner import Learner
from zero_runs import SIZE, config

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")
STEPS = 5


def same(one: Any, other: Any) -> bool:
    """Whether two states are equal, to the last digit."""
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def states(learner: Learner) -> dict[str, dict[str, Any]]:
    """Weights, average and optimiser of each net."""
    return {
        name: {
            "weights": trainer.net.state_dict(),
            "average": trainer.result(),
            "updates": trainer.average and trainer.average.updates,
            "optimiser": trainer.optimiser.state_dict(),
        }
        for name, trainer in learner.trainers.items()
    }


def learner(colours: bool) -> Learner:
    made = config(rule="renju", colours=colours, learn={"optimiser": {"rate": 0.02}})
    result = Learner(made, CPU)
    result.add(random_rows(200, SIZE, extras=True))
    return result


@pytest.mark.parametrize("colours", [False, True])
def test_a_checkpoint_restores_everything(colours: bool, tmp_path: Path) -> None:
    first = learner(colours)
    for _ in range(STEPS):
        first.learn(200, 0.0)
    reported = states(first)
    if colours:  # or a swap would not be seen
        for part in ("weights", "average", "optimiser"):
            assert not same(reported["black"][part], reported["white"][part])
    for state in reported.values():
        assert not same(state["weights"], state["average"])
    second = learner(colours)
    assert not same(reported, states(second))
    second.restore(read_checkpoint(write_checkpoint(tmp_path, first.snapshot("a run", 3.0))))
    assert same(reported, states(second))
    assert second.step == STEPS
    for one in (first, second):
        one.learn(200, 0.5)
    assert same(states(first), states(second)), "they go on as one"


def test_a_snapshot_stays_as_it_is() -> None:
    """Learning on changes nothing of it."""
    one = learner(True)
    one.learn(200, 0.0)
    result = one.snapshot("a run", 3.0)
    kept = {name: value.clone() for name, value in (result.weights | result.average).items()}
    one.learn(200, 0.0)
    assert same(kept, result.weights | result.average)
    assert not same(states(one)["black"]["weights"], states(learner(True))["black"]["weights"])


def test_a_checkpoint_of_other_nets() -> None:
    with pytest.raises(BadCheckpoint, match="of another net"):
        learner(False).restore(learner(True).snapshot("a run", 0.0))
