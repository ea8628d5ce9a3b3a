# SPDX-License-Identifier: MIT
"""The mapping nets of Mixnet: a feature for each point and direction, from the line through it.

All lines of a direction are laid out as the rows of one image; a directional convolution is then
an ordinary 1x3 convolution, and a whole layer is one large operation. Relies on the scales and
blocks; mixnet and export rely on it.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.blocks import full_precision, round_even, widened
from tengen.nets.scales import MIXNET_SCALES

__all__ = ["DIRECTIONS", "OFF_BOARD", "LineConv", "LineNet", "MappingNet"]

# Names in the order of the codebook's directions: (dx, dy) = (1, 0), (0, 1), (1, 1), (1, -1).
DIRECTIONS = ("row", "column", "diagonal", "antidiagonal")
OFF_BOARD = 3  # the state of a cell beyond the edge, in explicit lines
_LINES_AT_ONCE = 16384
_S = MIXNET_SCALES


def _half(weight: Tensor) -> Tensor:
    """The weight as net files keep it, in fp16; the gradient passes as if it were not rounded."""
    return weight + (weight.to(torch.float16).to(weight.dtype) - weight).detach()


class LineConv(nn.Conv2d):
    """[B, I, R, L] -> [B, O, R, L]: `taps` (1 or 3) along each of the R rows; the first tap is the
    cell before. Zeros stand beyond the ends.
    """

    def __init__(self, inputs: int, outputs: int, taps: int, gain: float) -> None:
        super().__init__(inputs, outputs, (1, taps), padding=(0, taps // 2))
        nn.init.normal_(self.weight, std=gain / math.sqrt(inputs * taps))
        nn.init.zeros_(cast("Tensor", self.bias))

    def forward(self, x: Tensor, quantised: bool = False) -> Tensor:
        weight = _half(self.weight) if quantised else self.weight
        return functional.conv2d(x, weight, self.bias, padding=self.padding)

    @torch.no_grad()
    def clamp_(self) -> None:
        """Puts weights and bias back into the bounds within which baking cannot overflow."""
        self.weight.clamp_(-_S.mapping_limit, _S.mapping_limit)
        cast("Tensor", self.bias).clamp_(-_S.mapping_limit, _S.mapping_limit)

    @torch.no_grad()
    def round_(self) -> None:
        """Gives the weights the values that fp16 can hold."""
        self.weight.copy_(_half(self.weight))


class LineBlock(nn.Module):
    """[B, M, R, L] -> the same: x + ReLU(pw(ReLU(dir(x)))).

    What is added is never negative, so features would grow with each block; pw begins small enough
    that four blocks little more than double them.
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
    """One mapping net, on lines: [B, 2, R, L] (own, opponent) -> [B, C, R, L], within ±16.

    `on_board` [1 or B, 1, R, L] is 1 on the board and 0 beyond its edge, where every layer
    reads zeros; None: all cells are on the board.
    """

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        # Most inputs are 0, so the scale is set for one stone among three cells; random biases
        # make the empty cell known to the layers above, and with it the edge.
        self.dir0 = LineConv(2, hidden, 3, gain=math.sqrt(6))
        nn.init.uniform_(cast("Tensor", self.dir0.bias), -0.5, 0.5)
        self.blocks = nn.ModuleList(LineBlock(hidden) for _ in range(4))
        self.out = LineConv(hidden, channels, 1, gain=0.4)
        self.centre_()

    @torch.no_grad()
    def centre_(self, channels: Tensor | None = None) -> None:
        """Lets the empty line have the feature 1/16 in every channel, or in those of a mask. Most
        lines are empty ones: left to chance, they would hold half of the channels at 0 over the
        whole board and the means of others at their upper bound, where nothing is learned.
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
        """[N, L] states (0 empty, 1 own, 2 opponent, 3 beyond the edge), L odd -> [N, C]: the
        features of the cells in the middle. Cells beyond the ends of a line count as off the board.
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
    """How the two diagonal directions of an n x n board lie in an image of 2n rows and n + 1
    columns. A row holds two diagonals, k cells and n - k, with one cell between them that is off
    the board; nothing else is wasted.

    diagonal, n = 3, numbers are points y * 3 + x, # is off the board:      0 4 8 #
                                                                            1 5 # 6
                                                                            2 # 3 7
    """

    take: Tensor  # [2n(n+1)] the point that each cell of the image holds
    place: Tensor  # [2, n*n] the cell of the image that each point is in, by direction
    on_board: Tensor  # [1, 1, 2n, n+1] False at the cells between


def _diagonals(n: int, device: torch.device) -> _Diagonals:
    row = torch.arange(n, device=device)[:, None]
    column = torch.arange(n + 1, device=device)[None, :]
    # Row r of the diagonal goes on at x = 0 after y = n - 1 - r; of the other at y = n - 1 after
    # x = r. There the gap is.
    gaps = (n - row, row + 1)
    at = [(column - (column > gap).long()).clamp(max=n - 1) for gap in gaps]
    diagonal = at[0] * n + (row + at[0]) % n  # y is the place in the row
    antidiagonal = (row - at[1]) % n * n + at[1]  # x is the place in the row
    y = torch.arange(n, device=device)[:, None]
    x = torch.arange(n, device=device)[None, :]
    first, second = (x - y) % n, (x + y) % n  # the rows of the image
    places = [
        first * (n + 1) + y + (y >= n - first).long(),
        (second + n) * (n + 1) + x + (x > second).long(),
    ]
    return _Diagonals(
        torch.cat([diagonal, antidiagonal]).flatten(),
        torch.stack([place.flatten() for place in places]),
        torch.cat([column != gap for gap in gaps])[None, None],
    )


class MappingNet(nn.Module):
    """Planes [B, 2, H, W] -> a feature [B, C, H, W] for each of the four directions, by name.

    `hv` serves rows and columns, `di` both diagonals. Boards are square.
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
        return dict(zip(DIRECTIONS, (row, column, *self._slanted(planes, quantised)), strict=True))

    def _slanted(self, planes: Tensor, quantised: bool) -> tuple[Tensor, Tensor]:
        size = planes.shape[2]
        take, place, on_board = _diagonals(size, planes.device)
        cells = planes.permute(0, 2, 3, 1).flatten(1, 2).index_select(1, take)
        image = cells.view(-1, 2 * size, size + 1, 2).permute(0, 3, 1, 2)
        f = self.di(image * on_board.to(image.dtype), on_board, quantised)
        points = f.permute(0, 2, 3, 1).flatten(1, 2)  # [B, 2n(n+1), C]
        channels = f.shape[1]
        one, other = (
            points.index_select(1, index).view(-1, size, size, channels).permute(0, 3, 1, 2)
            for index in place
        )
        return one, other
