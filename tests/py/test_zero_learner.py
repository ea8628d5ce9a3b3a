# SPDX-License-Identifier: MIT
"""The learner's state as a checkpoint and back, without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from data_samples import make_set, random_rows
from tengen import Rule
from tengen.data import Dataset
from tengen.train.checkpoint import read_checkpoint, write_checkpoint
from tengen.train.errors import BadCheckpoint
from tengen.train.unpack import PackedRows, Sample, Unpacker
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


def learner(colours: bool, **learn: Any) -> Learner:
    learn = {"optimiser": {"rate": 0.02}, **learn}
    result = Learner(config(rule="renju", colours=colours, learn=learn), CPU)
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


HUMAN = 0.375  # three rows of a batch of eight


@pytest.fixture
def human(tmp_path: Path) -> dict[str, Any]:
    """Data sets with other policies than those of self-play."""
    paths = []
    for number, moves in enumerate((1, 2)):
        rows = random_rows(90, SIZE, moves, seed=5 + number, extras=True)
        made = make_set(tmp_path / f"human{number}", rows, size=SIZE, rule=Rule.RENJU)
        paths.append({"path": str(made), "weight": 2.0 - number})
    return {"sets": paths, "human_share": HUMAN}


@pytest.mark.parametrize("colours", [False, True])
def test_batches_with_human_games(
    colours: bool, human: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows of the first set and one of the second lead each batch, of the net's colour."""
    batches: list[PackedRows] = []
    unpack = Unpacker.__call__

    def spied(self: Unpacker, rows: PackedRows, *rest: Any) -> Sample:
        batches.append(rows)
        return unpack(self, rows, *rest)

    monkeypatch.setattr(Unpacker, "__call__", spied)
    one = learner(colours, **human)
    boards = [_boards(path["path"], colours) for path in human["sets"]]
    played = random_rows(200, SIZE, extras=True)
    for _ in range(40):
        one.learn(200, 0.0)
    one.close()
    assert one.selfplay_samples == 40 * 5 * len(one.trainers)
    for number, rows in enumerate(batches):
        colour = number % 2 + 1 if colours else 0
        found = [row.tobytes() for row in rows.board.numpy()]
        assert {*found[:2]} <= boards[0][colour]
        assert found[2] in boards[1][colour]
        assert {*found[3:]} <= {row.tobytes() for row in played.board}
        assert rows.move.shape == (8, 4)
    seen = {row.tobytes() for rows in batches for row in rows.board.numpy()[:2]}
    assert len(seen) > 40


def _boards(path: str, colours: bool) -> list[set[bytes]]:
    """The boards of the training rows: all, and with black and with white to move."""
    view = Dataset.open(path).split("train")
    rows = view.rows(np.arange(len(view)))
    assert rows.to_move is not None
    return [
        {row.tobytes() for row in rows.board[(rows.to_move == colour) | (colour == 0)]}
        for colour in range(3 if colours else 1)
    ]


@pytest.mark.parametrize("colours", [False, True])
def test_human_games_continue_after_a_checkpoint(
    colours: bool, human: dict[str, Any], tmp_path: Path
) -> None:
    first, whole = learner(colours, **human), learner(colours, **human)
    for _ in range(STEPS):
        first.learn(200, 0.0)
    second = learner(colours, **human)
    second.restore(read_checkpoint(write_checkpoint(tmp_path, first.snapshot("a run", 3.0))))
    for _ in range(STEPS):
        second.learn(200, 0.0)
    for _ in range(2 * STEPS):
        whole.learn(200, 0.0)
    assert same(states(whole), states(second))
    assert not same(states(whole), states(first))
    second.pop_mean_losses()
    second.learn(200, 0.0)
    losses = second.pop_mean_losses()
    assert {f"{loss}_{kind}" for loss in ("policy", "value") for kind in ("human", "selfplay")} <= {
        *losses
    }
    for one in (first, second, whole):
        one.close()


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
    with pytest.raises(BadCheckpoint, match="belongs to another net"):
        learner(False).restore(learner(True).snapshot("a run", 0.0))
