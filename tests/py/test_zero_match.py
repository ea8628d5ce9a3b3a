# SPDX-License-Identifier: MIT
"""Nets that play a match: which moves are made, and, of two nets, which one is asked: black's
answers where black is to move, here and in the file for the engine.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
import torch
from torch import nn

from selfplay_nets import FixedNet
from tengen.game.rule import Rule
from tengen.nets.blocks import BoardNet
from tengen.zero.gate import hold_match
from tengen.zero.learner import Learner
from tengen.zero.match import Team
from tengen.zero.versus import BothColours
from zero_runs import SIZE, config, stop_after

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")


@pytest.mark.parametrize("rule", ["freestyle", "renju"])
@pytest.mark.parametrize("colours", [False, True])
def test_a_real_match(rule: str, colours: bool) -> None:
    """Whole pairs; a net against itself gets half of the points, whatever its colours are."""
    made = config(rule=rule, colours=colours, gate={"candidates": 3})
    nets = list(Learner(made, CPU).result({}).values())
    verdict = hold_match(made, CPU)(nets, nets, 8, 1, lambda: False)
    assert verdict is not None
    assert verdict.games == 8
    assert verdict.share == 0.5
    assert verdict.pairs == (0, 0, 4, 0, 0)
    assert hold_match(made, CPU)(nets, nets, 8, 1, stop_after(2)) is None


class Fixed(nn.Module):
    """Says the same of every position: it likes points in their order, or in the other one."""

    def __init__(self, sign: float) -> None:
        super().__init__()
        self.policy = sign * torch.arange(SIZE * SIZE).view(1, SIZE, SIZE)

    def forward(self, planes: torch.Tensor) -> dict[str, torch.Tensor]:
        count = len(planes)
        return {"policy": self.policy.expand(count, -1, -1), "value": torch.zeros(count, 3)}


def test_moves_of_a_match() -> None:
    """A five is made, one of the other is stopped, else the policy decides."""
    board = np.zeros((3, SIZE, SIZE), np.uint8)
    board[0, 3, 1:5] = 1  # black makes five at either end
    board[1, 3, 0] = 1
    board[1, 3, 1:5] = 2  # white would: black must stop it
    sides = np.array([1, 1, 2], np.uint8)
    moves = Team([Fixed(1.0)], CPU, False, 4).choose(board, sides, Rule.FREESTYLE)
    assert moves[0] in (SIZE * 3, SIZE * 3 + 5)
    assert moves[1] == SIZE * 3 + 5
    assert moves[2] == SIZE * SIZE - 1
    threes = np.zeros((1, SIZE, SIZE), np.uint8)
    threes[0, 3, 2:5] = 2  # an open three of the other: whoever lets it be loses
    (stop,) = Team([Fixed(0.01)], CPU, False, SIZE * SIZE).choose(
        threes, np.array([1], np.uint8), Rule.FREESTYLE
    )
    assert stop in {SIZE * 3 + x for x in (0, 1, 5, 6)}
    (other,) = Team([Fixed(-1.0)], CPU, False, 1).choose(board[2:], sides[2:], Rule.FREESTYLE)
    assert other == 0


# --- one net a colour ---

BLACK, WHITE = 10, 20  # the points that each net likes


class Told(FixedNet):
    outputs = ("value", "policy")


def two_nets() -> tuple[Told, Told]:
    """Black's thinks well of itself, white's does not."""
    return Told((0.7, 0.2, 0.1), BLACK), Told((0.1, 0.5, 0.4), WHITE)


def positions() -> list[tuple[np.ndarray, int]]:
    """Boards [1, size, size] of none, one and two stones, and whose turn it is."""
    found = []
    for stones in range(3):
        board = np.zeros((1, SIZE, SIZE), np.uint8)
        board.reshape(-1)[[0, 6][:stones]] = [1, 2][:stones]
        found.append((board, 1 + stones % 2))
    return found


def test_each_colour_is_told_by_its_net() -> None:
    team = Team(two_nets(), CPU, False, 1)
    for board, side in positions():
        sides = np.array([side], np.uint8)
        policy, value = team.evaluate(board, sides)
        assert policy.argmax() == (BLACK if side == 1 else WHITE)
        assert value.item() == pytest.approx(0.5 if side == 1 else -0.4, abs=1e-4)
        (move,) = team.choose(board, sides, Rule.FREESTYLE)
        assert move == (BLACK if side == 1 else WHITE)


def test_both_colours_in_one_batch() -> None:
    boards = np.concatenate([board for board, _ in positions()])
    sides = np.array([side for _, side in positions()], np.uint8)
    policy, value = Team(two_nets(), CPU, False).evaluate(boards, sides)
    assert policy.argmax(1).tolist() == [BLACK, WHITE, BLACK]
    assert value.numpy() == pytest.approx([0.5, -0.4, 0.5], abs=1e-4)


def test_what_a_move_is_worth_is_asked_of_the_other_net() -> None:
    """After a move the other colour is to move: black's candidates are weighed by white's net."""

    class Holder(Told):
        """Thinks that whoever is to move loses if the other one holds a point."""

        def forward(self, planes: torch.Tensor) -> dict[str, torch.Tensor]:
            told = super().forward(planes)
            told["value"][:, 1] += 9 * planes.flatten(2)[:, 1, BLACK + 1]
            return told

    black, white = Told((0.3, 0.3, 0.4)), Holder((0.3, 0.3, 0.4))
    board = np.zeros((1, SIZE, SIZE), np.uint8)
    team = Team((black, white), CPU, False, SIZE * SIZE)
    (move,) = team.choose(board, np.array([1], np.uint8), Rule.FREESTYLE)
    assert move == BLACK + 1
    asked = torch.cat([planes.flatten(1).sum(1) for planes in black.asked])
    assert asked.max() == 0, "black's net saw the empty board alone"


def test_two_nets_in_one_file() -> None:
    """The stones tell whose turn it is: planes are of the side to move and of the other."""
    both = BothColours(*(cast("BoardNet", net) for net in two_nets()))
    for board, side in positions():
        planes = np.stack((board == side, board == 3 - side), 1)
        told = both(torch.tensor(planes).float())
        assert told["policy"].flatten().argmax() == (BLACK if side == 1 else WHITE)
        shares = told["value"].softmax(1).flatten().tolist()
        assert shares == pytest.approx([0.7, 0.2, 0.1] if side == 1 else [0.1, 0.5, 0.4], abs=1e-4)
