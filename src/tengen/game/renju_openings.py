# SPDX-License-Identifier: MIT
"""The 26 classical openings of renju: number, name, and the point of the third stone.

Black begins in the centre, white answers beside it (direct) or diagonally (indirect), and black's
second stone stands within two lines of the centre. Up to turning and mirroring that gives 13 and
13, each with a name.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tengen.game.errors import BadNotation
from tengen.game.move import Move
from tengen.game.rule import MAX_SIZE, MIN_SIZE

Kind = Literal["direct", "indirect"]
# Where white's stone stands, as `third` below; of all its images the one of the usual diagrams.
_SECOND: dict[Kind, tuple[int, int]] = {"direct": (0, 1), "indirect": (1, 1)}


class RenjuOpening(NamedTuple):
    """One opening. Places are offsets from the centre, to the right and upwards."""

    number: int  # 1 to 13 among those of its kind, in the order of the renju world
    kind: Kind
    name: str  # in Latin letters, without marks for long vowels
    kanji: str
    third: tuple[int, int]  # black's second stone

    @property
    def code(self) -> str:
        """The usual short name: `4D`, `7I`."""
        return f"{self.number}{self.kind[0].upper()}"

    @property
    def second(self) -> tuple[int, int]:
        """White's stone."""
        return _SECOND[self.kind]

    def moves(self, size: int = 15) -> tuple[Move, Move, Move]:
        """The three moves on a board of `size`. Raises BadNotation."""
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise BadNotation(f"no board of size {size}: sizes are {MIN_SIZE} to {MAX_SIZE}")
        middle = size // 2
        first, second, third = (
            Move(middle + dx, middle + dy) for dx, dy in ((0, 0), self.second, self.third)
        )
        return first, second, third


RENJU_OPENINGS: tuple[RenjuOpening, ...] = (
    RenjuOpening(1, "direct", "Kansei", "寒星", (0, 2)),
    RenjuOpening(2, "direct", "Keigetsu", "溪月", (1, 2)),
    RenjuOpening(3, "direct", "Sosei", "疎星", (2, 2)),
    RenjuOpening(4, "direct", "Kagetsu", "花月", (1, 1)),
    RenjuOpening(5, "direct", "Zangetsu", "残月", (2, 1)),
    RenjuOpening(6, "direct", "Ugetsu", "雨月", (1, 0)),
    RenjuOpening(7, "direct", "Kinsei", "金星", (2, 0)),
    RenjuOpening(8, "direct", "Shougetsu", "松月", (0, -1)),
    RenjuOpening(9, "direct", "Kyugetsu", "丘月", (1, -1)),
    RenjuOpening(10, "direct", "Shingetsu", "新月", (2, -1)),
    RenjuOpening(11, "direct", "Zuisei", "瑞星", (0, -2)),
    RenjuOpening(12, "direct", "Sangetsu", "山月", (1, -2)),
    RenjuOpening(13, "direct", "Yusei", "遊星", (2, -2)),
    RenjuOpening(1, "indirect", "Chosei", "長星", (2, 2)),
    RenjuOpening(2, "indirect", "Kyogetsu", "峡月", (2, 1)),
    RenjuOpening(3, "indirect", "Kosei", "恒星", (2, 0)),
    RenjuOpening(4, "indirect", "Suigetsu", "水月", (2, -1)),
    RenjuOpening(5, "indirect", "Ryusei", "流星", (2, -2)),
    RenjuOpening(6, "indirect", "Ungetsu", "雲月", (1, 0)),
    RenjuOpening(7, "indirect", "Hogetsu", "浦月", (1, -1)),
    RenjuOpening(8, "indirect", "Rangetsu", "嵐月", (1, -2)),
    RenjuOpening(9, "indirect", "Gingetsu", "銀月", (0, -1)),
    RenjuOpening(10, "indirect", "Myojo", "明星", (0, -2)),
    RenjuOpening(11, "indirect", "Shagetsu", "斜月", (-1, -1)),
    RenjuOpening(12, "indirect", "Meigetsu", "名月", (-1, -2)),
    RenjuOpening(13, "indirect", "Suisei", "彗星", (-2, -2)),
)
