# SPDX-License-Identifier: MIT
"""Unpacks rows on the device: boards to planes, sparse moves to a distribution over points, with
one of the eight symmetries for each sample.

Shapes: B samples, P = size * size points, row by row from y = 0, K listed moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from tengen.data.symmetry import board_table

_FULL = 255.0  # a share of 1 in the columns `prob` and `value`


class PackedRows(NamedTuple):
    """Rows of a data set as tensors: the columns of the shards."""

    board: Tensor  # uint8 [B, ceil(P / 4)], four points to a byte
    move: Tensor  # int16 [B, K], points; of unused entries any
    prob: Tensor  # uint8 [B, K], out of 255; 0: unused
    value: Tensor  # uint8 [B, 2], win and loss out of 255

    def to(self, device: torch.device) -> PackedRows:
        """A copy on the device; asynchronous from pinned memory."""
        return PackedRows(*(column.to(device, non_blocking=True) for column in self))

    def padded(self, moves: int) -> PackedRows:
        """With so many policy moves per row, the new ones of weight 0."""
        lacking = moves - self.move.shape[1]
        if not lacking:
            return self
        move, prob = (functional.pad(column, (0, lacking)) for column in (self.move, self.prob))
        return self._replace(move=move, prob=prob)


def join_packed(parts: Sequence[PackedRows]) -> PackedRows:
    """The rows of all parts, padded to the longest policy."""
    moves = max(rows.move.shape[1] for rows in parts)
    padded = [rows.padded(moves) for rows in parts]
    if len(padded) == 1:
        return padded[0]
    return PackedRows(*(torch.cat(column) for column in zip(*padded, strict=True)))


class Labels(NamedTuple):
    """Targets of a net."""

    policy: Tensor  # float [B, P], a distribution over empty points; all 0: unknown
    value: Tensor  # float [B, 3], win, loss, draw of the side to move


class Sample(NamedTuple):
    """A batch as the loop uses it."""

    planes: Tensor  # float [B, 2, size, size], stones of the side to move and of the other
    labels: Labels  # of the data
    empty: Tensor  # bool [B, P]
    weight: Tensor  # float [B]; 0 for padding
    image: Tensor | None  # int64 [B, P], the symmetry of each sample: new[p] = old[image[p]]


class Unpacker:
    """Unpacks batches of boards of one size on one device."""

    def __init__(self, size: int, device: torch.device) -> None:
        self.size = size
        self.points = size * size
        self._shifts = torch.tensor([0, 2, 4, 6], dtype=torch.uint8, device=device)
        self._images = torch.tensor(board_table(size), device=device)  # int64 [8, P]

    def __call__(
        self, rows: PackedRows, symmetry: Tensor | None = None, weight: Tensor | None = None
    ) -> Sample:
        """A batch; `symmetry` [B] is the number of the symmetry of each sample."""
        cells = self._cells(rows.board)
        policy = self._policy(rows, cells)
        image = None if symmetry is None else self._images[symmetry]
        if image is not None:
            cells, policy = cells.gather(1, image), policy.gather(1, image)
        planes = torch.stack((cells == 1, cells == 2), 1).float()
        if weight is None:
            weight = torch.ones(len(cells), device=cells.device)
        return Sample(
            planes.view(-1, 2, self.size, self.size),
            Labels(policy, _value(rows.value)),
            cells == 0,
            weight,
            image,
        )

    def _cells(self, board: Tensor) -> Tensor:
        """uint8 [B, P]: 0 empty, 1 own, 2 the other's."""
        quarters = (board[:, :, None] >> self._shifts) & 3
        return quarters.flatten(1)[:, : self.points]

    def _policy(self, rows: PackedRows, cells: Tensor) -> Tensor:
        """The listed moves as a distribution, without moves on stones."""
        move = rows.move.to(torch.int64).clamp(0, self.points - 1)
        policy = torch.zeros(cells.shape, device=cells.device)
        policy.scatter_add_(1, move, rows.prob.float())
        policy = torch.where(cells == 0, policy, 0.0)
        return policy / policy.sum(1, keepdim=True).clamp(min=1.0)


def _value(packed: Tensor) -> Tensor:
    """Win, loss and the rest as draw."""
    known = packed.float() / _FULL
    draw = (1.0 - known.sum(1, keepdim=True)).clamp(min=0.0)
    value = torch.cat((known, draw), 1)
    return value / value.sum(1, keepdim=True)
