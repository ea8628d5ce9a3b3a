# SPDX-License-Identifier: MIT
"""Quick matches between nets on the accelerator: all games at once, moves by the policy and the
value one ply deep. Relies on the board's rules for many positions and on the arena's openings; the
gate and the ladder rely on it.

A move: a five if there is one, else the answer to the other's five, else an open four; else of the
moves that the policy likes best the one with the best sum of its logit and of the value after it
(and after the answer that a four forces), weighed as Gumbel's completed values are after one visit.
Seconds for hundreds of games; what such a
match says of two nets of one run is what a search of few playouts would. The numbers that are
published come from the arena.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from tengen.arena.make_openings import Opening, draw_openings
from tengen.arena.openings import shipped_openings
from tengen.game import batch as rules
from tengen.game.rule import Rule
from tengen.game.threat import Threat

__all__ = ["Mover", "Team", "openings_for_pairs", "play_pairs"]

Boards: TypeAlias = "npt.NDArray[np.uint8]"
Numbers: TypeAlias = "npt.NDArray[np.int64]"
_VALUE_WEIGHT = 51.0  # logits for a value from lost to won: (50 + 1 visit), as in Gumbel search
_LEAST = 64  # positions of a batch: those of other numbers are filled up to a power of two
_AT_ONCE = 16_384  # positions of a batch at most


class Mover(Protocol):
    """A side of a match."""

    def choose(self, boards: Boards, sides: Boards, rule: Rule) -> Numbers:
        """Moves for positions `boards` [B, size, size] with `sides` [B] to move, as indices of
        points [B]; -1 where there is none.
        """


class Team:
    """One net, or one for black and one for white, ready to be asked. A move is chosen among
    `candidates`.
    """

    def __init__(
        self, nets: Sequence[nn.Module], device: torch.device, short: bool, candidates: int = 8
    ) -> None:
        self._nets = [net.to(device).eval() for net in nets]
        self._device = device
        self._short = short and device.type != "cpu"
        self._candidates = candidates

    def choose(self, boards: Boards, sides: Boards, rule: Rule) -> Numbers:
        return _choose(self, boards, sides, rule, self._candidates)

    @torch.no_grad()
    def evaluate(self, boards: Boards, sides: Boards) -> tuple[Tensor, Tensor]:
        """Of positions `boards` [B, size, size] with `sides` [B] to move: logits [B, P], and the
        expected result -1 to 1 of the side to move [B]; both on the CPU.
        """
        policy = torch.empty(len(boards), boards[0].size)
        value = torch.empty(len(boards))
        for number, net in enumerate(self._nets, 1):
            mine = np.flatnonzero(sides == number) if len(self._nets) > 1 else np.arange(len(sides))
            for start in range(0, len(mine), _AT_ONCE):
                places = mine[start : start + _AT_ONCE]
                found = self._asked(net, boards[places], sides[places])
                policy[places], value[places] = found
        return policy, value

    def _asked(self, net: nn.Module, boards: Boards, sides: Boards) -> tuple[Tensor, Tensor]:
        count = len(boards)
        padded = max(_LEAST, 1 << (count - 1).bit_length())  # few shapes: each is tuned anew
        cells = torch.zeros(padded, *boards.shape[1:], dtype=torch.uint8)
        cells[:count] = torch.from_numpy(boards)
        own = torch.ones(padded, 1, 1, dtype=torch.uint8)
        own[:count, 0, 0] = torch.from_numpy(sides)
        cells, own = cells.to(self._device), own.to(self._device)
        planes = torch.stack((cells == own, cells == 3 - own), 1).float()
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._short):
            found = cast("dict[str, Tensor]", net(planes))
        shares = found["value"].float().softmax(1)
        policy = found["policy"].float().flatten(1)
        return policy[:count].cpu(), (shares[:, 0] - shares[:, 1])[:count].cpu()


def openings_for_pairs(rule: Rule, size: int, pairs: int, seed: int) -> list[Opening]:
    """Balanced openings of the package where there are some, else drawn ones; as many as asked for,
    some of them twice if there are too few.
    """
    chance = random.Random(f"pairs {seed}")
    found = list(shipped_openings(rule, size))
    if not found:
        drawn = draw_openings(seed, size, rule, (3, 5), 2)
        found = [opening for _, opening in zip(range(pairs), drawn, strict=False)]
    chance.shuffle(found)
    return [found[n % len(found)] for n in range(pairs)]


def play_pairs(
    first: Mover,
    second: Mover,
    openings: Sequence[Opening],
    rule: Rule,
    size: int,
    *,
    stop: Callable[[], bool] = lambda: False,
) -> list[tuple[float, float]] | None:
    """Each opening twice, with colours swapped: the points of the first side, 0 to 1, in both. None
    if it was stopped.
    """
    table = _Table(openings, rule, size)
    while len(table.active):
        if stop():
            return None
        # In even games the first side is black.
        turn_of_first = (table.sides == 1) == (np.arange(len(table.sides)) % 2 == 0)
        for team, turn in ((first, turn_of_first), (second, ~turn_of_first)):
            mine = table.active[turn[table.active]]
            if len(mine):
                moves = team.choose(table.boards[mine], table.sides[mine], rule)
                table.play(mine, moves)
    black = table.black_points
    return [(float(black[n]), 1.0 - float(black[n + 1])) for n in range(0, len(black), 2)]


class _Table:
    """Games side by side."""

    def __init__(self, openings: Sequence[Opening], rule: Rule, size: int) -> None:
        count = 2 * len(openings)
        self._rule = rule
        self.boards: Boards = np.zeros((count, size, size), np.uint8)
        self.sides: Boards = np.ones(count, np.uint8)
        self.black_points = np.full(count, 0.5)
        self.active: Numbers = np.arange(count)
        for number, opening in enumerate(openings):
            for ply, move in enumerate(opening):
                self.boards[2 * number : 2 * number + 2, move.y, move.x] = 1 + ply % 2
            self.sides[2 * number : 2 * number + 2] = 1 + len(opening) % 2

    def play(self, games: Numbers, moves: Numbers) -> None:
        """A move in each of these games; -1: there is none, and the game is drawn."""
        size = self.boards.shape[1]
        made = games[moves >= 0]
        points = moves[moves >= 0]
        self.boards[made, points // size, points % size] = self.sides[made]
        self.sides[made] = 3 - self.sides[made]
        over = games[moves < 0]
        if len(made):
            results = rules.outcome(self.boards[made], self._rule, self.sides[made])
            self.black_points[made[results == 1]] = 1.0
            self.black_points[made[results == 2]] = 0.0
            over = np.concatenate([over, made[results > 0]])
        self.active = np.setdiff1d(self.active, over, assume_unique=True)


def _choose(team: Team, boards: Boards, sides: Boards, rule: Rule, candidates: int) -> Numbers:
    """A move of the team for each position [B]; -1 where it may not move at all."""
    count, size = len(boards), boards.shape[1]
    allowed, sure = _tactics(boards, sides, rule)
    moves = np.where(allowed.any(axis=1), allowed.argmax(axis=1), -1)
    asked = np.flatnonzero(~sure & (allowed.sum(axis=1) > 1))
    if not len(asked):
        return moves
    policy, _ = team.evaluate(boards[asked], sides[asked])
    logits = torch.where(torch.from_numpy(allowed[asked]), policy, -torch.inf)
    some = min(candidates, size * size)
    best, points = logits.topk(some, 1)
    if some > 1:
        after = np.repeat(boards[asked], some, axis=0)
        movers = np.repeat(sides[asked], some)
        flat = points.flatten().numpy()
        after[np.arange(len(after)), flat // size, flat % size] = movers
        value = _values_after(team, after, movers, rule)
        best = best + _VALUE_WEIGHT * (1.0 + value.view(-1, some)) / 2.0
    chosen = points.gather(1, best.argmax(1, keepdim=True)).flatten()
    moves[asked] = chosen.numpy()
    assert len(moves) == count
    return moves


def _values_after(team: Team, boards: Boards, movers: Boards, rule: Rule) -> Tensor:
    """[B] what positions are worth to who has just moved, -1 to 1. Where threats decide they do; a
    four is answered first: nets learn nothing of positions with a forced move.
    """
    count, size = len(boards), boards.shape[1]
    others: Boards = (3 - movers).astype(np.uint8)
    threats = rules.threats(boards, rule).reshape(count, 2, -1)
    every = np.arange(count)
    mine, theirs = threats[every, movers - 1], threats[every, others - 1]
    legal = rules.legal(boards, rule, others).reshape(count, -1)
    lost = (legal & (theirs == Threat.FIVE)).any(axis=1)
    fours = mine == Threat.FIVE
    blocks = legal & fours
    won = ~lost & fours.any(axis=1) & ((fours.sum(axis=1) > 1) | ~blocks.any(axis=1))
    forced = np.flatnonzero(~lost & ~won & fours.any(axis=1))
    lost |= ~fours.any(axis=1) & (legal & (theirs == Threat.OPEN_FOUR)).any(axis=1)
    after, sides = boards.copy(), others.copy()
    points = blocks[forced].argmax(axis=1)
    after[forced, points // size, points % size] = others[forced]
    sides[forced] = movers[forced]
    _, value = team.evaluate(after, sides)
    value = torch.where(torch.from_numpy(sides == movers), value, -value)
    value[torch.from_numpy(lost)] = -1.0
    value[torch.from_numpy(won)] = 1.0
    return value


def _tactics(
    boards: Boards, sides: Boards, rule: Rule
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The moves to choose from [B, P], and where any of them will do [B]."""
    count = len(boards)
    threats = rules.threats(boards, rule).reshape(count, 2, -1)
    every = np.arange(count)
    mine, theirs = threats[every, sides - 1], threats[every, 2 - sides]
    legal = rules.legal(boards, rule, sides).reshape(count, -1)
    five = legal & (mine == Threat.FIVE)
    danger = theirs == Threat.FIVE
    block = legal & danger
    win = five | (legal & (mine == Threat.OPEN_FOUR) & ~danger.any(axis=1, keepdims=True))
    win = np.where(five.any(axis=1, keepdims=True), five, win)
    allowed = np.where(block.any(axis=1, keepdims=True), block, legal)
    sure = win.any(axis=1)
    return np.where(sure[:, None], win, allowed), sure
