# SPDX-License-Identifier: MIT
"""The mapping nets of Mixnet: a feature for each point and direction, from the line through it.

All lines of a direction are the rows of one image. So a directional convolution is an ordinary 1x3
convolution, and each layer is one large operation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.blocks import IntegerLayer, full_precision, round_even, widened
from tengen.nets.scales import MIXNET_SCALES

# Names in the order of the codebook's directions: (dx, dy) = (1, 0), (0, 1), (1, 1), (1, -1).
DIRECTIONS = ("row", "column", "diagonal", "antidiagonal")
OFF_BOARD = 3  # the state of a cell beyond the edge, in explicit lines
_LINES_AT_ONCE = 16384
_S = MIXNET_SCALES


def _half(weight: Tensor) -> Tensor:
    """The weight rounded to fp16, as net files store it; the gradient passes straight through."""
    return weight + (weight.to(torch.float16).to(weight.dtype) - weight).detach()


class LineConv(IntegerLayer, nn.Conv2d):
    """[B, I, R, L] -> [B, O, R, L]: `taps` (1 or 3) along each of the R rows, the first tap being
    the cell before; zero padding.
    """

    def __init__(self, inputs: int, outputs: int, taps: int, gain: float) -> None:
        super().__init__(inputs, outputs, (1, taps), padding=(0, taps // 2))
        nn.init.normal_(self.weight, std=gain / math.sqrt(inputs * taps))
        nn.init.zeros_(cast("Tensor", self.bias))

    def forward(self, x: Tensor, quantised: bool = False) -> Tensor:
        weight = _half(self.weight) if quantised else self.weight
        return functional.conv2d(x, weight, self.bias, padding=self.padding)

    def integer_parameters(self) -> Iterator[tuple[Tensor, int, int]]:
        """Real numbers within bounds in which baking cannot overflow."""
        yield self.weight, 1, _S.mapping_limit
        yield cast("Tensor", self.bias), 1, _S.mapping_limit

    @torch.no_grad()
    def round_(self) -> None:
        """Round the weights to fp16."""
        self.weight.copy_(_half(self.weight))


class LineBlock(nn.Module):
    """[B, M, R, L] -> the same: x + ReLU(pw(ReLU(dir(x)))).

    The sum grows with each block, since the added part is never negative; `pw` starts so small that
    four blocks little more than double the features.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.dir = LineConv(channels, channels, 3, gain=math.sqrt(2))
        self.pw = LineConv(channels, channels, 1, gain=math.sqrt(0.5))

    def forward(self, x: Tensor, on_board: Tensor | None, quantised: bool = False) -> Tensor:
        y = functional.relu(self.dir(x, quantised))
        y = functional.relu(self.pw(y, quantised))
        return x + (y if on_board is None else y * on_board)


class LineNet(nn.Module):
    """One mapping net on lines: [B, 2, R, L] (own, opponent) -> [B, C, R, L], within ±16.

    `on_board` [1 or B, 1, R, L] is 0 at cells off the board, which every layer reads as zeros;
    None: all cells are on the board.
    """

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        # Most inputs are 0, so the scale is that of one stone in three cells. Random biases let the
        # later layers distinguish empty cells from those off the board.
        self.dir0 = LineConv(2, hidden, 3, gain=math.sqrt(6))
        nn.init.uniform_(cast("Tensor", self.dir0.bias), -0.5, 0.5)
        self.blocks = nn.ModuleList(LineBlock(hidden) for _ in range(4))
        self.out = LineConv(hidden, channels, 1, gain=0.4)
        self.centre_()

    @torch.no_grad()
    def centre_(self, channels: Tensor | None = None) -> None:
        """Set the biases so that an empty line has the feature 1/16 in every channel, or in those
        of a mask. Most lines are empty: with random features of them half of the channels would be
        0 on the whole board and means of others would be clamped, without gradient.
        """
        kind = self.out.weight
        empty = self.features_of_lines(torch.zeros(1, 11, dtype=torch.long, device=kind.device))
        change = empty[0] - 1 / 16
        bias = cast("Tensor", self.out.bias)
        bias.sub_(change if channels is None else torch.where(channels, change, 0.0))

    def forward(self, x: Tensor, on_board: Tensor | None, quantised: bool = False) -> Tensor:
        x = x.contiguous(memory_format=torch.channels_last)
        x = functional.relu(self.dir0(x, quantised))
        if on_board is not None:
            on_board = on_board.to(x.dtype)
            x = x * on_board
        for block in self.blocks:
            x = block(x, on_board, quantised)
        with full_precision(x):
            f = widened(self.out(widened(x), quantised))
        if quantised:
            f = round_even(f, _S.feature)
        limit = _S.feature_limit / _S.feature
        return f.clamp(-limit, limit)

    def features_of_lines(self, lines: Tensor, quantised: bool = False) -> Tensor:
        """[N, L] states (0 empty, 1 own, 2 opponent, 3 off the board), L odd -> [N, C]: the
        features of the middle cells. Cells beyond the ends of a line are off the board.
        """
        if lines.dim() != 2 or lines.shape[1] % 2 != 1:
            raise ValueError(f"lines must be [N, L] with an odd L, not {tuple(lines.shape)}")
        parts = [self._middles(part, quantised) for part in torch.split(lines, _LINES_AT_ONCE)]
        return torch.cat(parts)

    def _middles(self, lines: Tensor, quantised: bool) -> Tensor:
        kind = self.out.weight.dtype
        x = torch.stack([lines == 1, lines == 2]).to(kind)[None]
        f = self(x, (lines != OFF_BOARD).to(kind)[None, None], quantised)
        return cast("Tensor", f[0, :, :, lines.shape[1] // 2].t())


class _Diagonals(NamedTuple):
    """The layout of both diagonal directions of an n x n board in an image of 2n rows and n + 1
    columns. A row has two diagonals, of k and n - k cells, separated by one cell that is off the
    board.

    diagonal, n = 3, numbers are points y * 3 + x, # is off the board:      0 4 8 #
                                                                            1 5 # 6
                                                                            2 # 3 7
    """

    point_of_cell: Tensor  # [2n(n+1)] the point at each cell of the image
    cell_of_point: Tensor  # [2, n*n] the cell of each point in the image, by direction
    on_board: Tensor  # [1, 1, 2n, n+1] False at the separating cells


def _diagonals(n: int, device: torch.device) -> _Diagonals:
    row = torch.arange(n, device=device)[:, None]
    column = torch.arange(n + 1, device=device)[None, :]
    # Row r of the diagonal continues at x = 0 after y = n - 1 - r, that of the antidiagonal at
    # y = n - 1 after x = r; the gap is between.
    gaps = (n - row, row + 1)
    at = [(column - (column > gap).long()).clamp(max=n - 1) for gap in gaps]
    diagonal = at[0] * n + (row + at[0]) % n  # y is the index in the row
    antidiagonal = (row - at[1]) % n * n + at[1]  # x is the index in the row
    y = torch.arange(n, device=device)[:, None]
    x = torch.arange(n, device=device)[None, :]
    first, second = (x - y) % n, (x + y) % n  # the rows of the image
    cells = [
        first * (n + 1) + y + (y >= n - first).long(),
        (second + n) * (n + 1) + x + (x > second).long(),
    ]
    return _Diagonals(
        torch.cat([diagonal, antidiagonal]).flatten(),
        torch.stack([index.flatten() for index in cells]),
        torch.cat([column != gap for gap in gaps])[None, None],
    )


class MappingNet(nn.Module):
    """Planes [B, 2, H, W] -> a feature [B, C, H, W] for each of the four directions, by name.

    `hv` is for rows and columns, `di` for both diagonals. Boards are square.
    """

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.hv = LineNet(channels, hidden)
        self.di = LineNet(channels, hidden)

    def forward(self, planes: Tensor, quantised: bool = False) -> dict[str, Tensor]:
        size = planes.shape[2]
        straight = torch.cat([planes, planes.transpose(2, 3)], dim=2)
        f = self.hv(straight, None, quantised)
        row, column = f[:, :, :size], f[:, :, size:].transpose(2, 3)
        return dict(
            zip(DIRECTIONS, (row, column, *self._diagonal_features(planes, quantised)), strict=True)
        )

    def _diagonal_features(self, planes: Tensor, quantised: bool) -> tuple[Tensor, Tensor]:
        size = planes.shape[2]
        point_of_cell, cell_of_point, on_board = _diagonals(size, planes.device)
        cells = planes.permute(0, 2, 3, 1).flatten(1, 2).index_select(1, point_of_cell)
        image = cells.view(-1, 2 * size, size + 1, 2).permute(0, 3, 1, 2)
        f = self.di(image * on_board.to(image.dtype), on_board, quantised)
        points = f.permute(0, 2, 3, 1).flatten(1, 2)  # [B, 2n(n+1), C]
        channels = f.shape[1]
        diagonal, antidiagonal = (
            points.index_select(1, index).view(-1, size, size, channels).permute(0, 3, 1, 2)
            for index in cell_of_point
        )
        return diagonal, antidiagonal
