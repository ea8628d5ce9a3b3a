# SPDX-License-Identifier: MIT
"""Boards of the reference implementation from diagrams, for its tests."""

from tengen.reference import BLACK, EMPTY, WHITE, ReferenceBoard

CELL = {".": EMPTY, "?": EMPTY, "X": BLACK, "O": WHITE}
DOUBLE_THREE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . X X ? . . . ."""
FIVE_AND_OVERLINE = """
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . X . . . .
    X X X X ? . . . .
    . . . . X . . . .
    . . . . X . . . ."""


def drawn(drawing: str, rule: str = "renju", to_move: int = BLACK) -> tuple[ReferenceBoard, int]:
    """The board of a diagram and its tested point (-1 if none is marked)."""
    rows = [line.replace(" ", "") for line in drawing.strip().splitlines()]
    size = len(rows[0])
    rows += ["." * size] * (size - len(rows))
    text = "".join(rows[::-1])
    board = ReferenceBoard.from_cells([CELL[mark] for mark in text], size, rule, to_move)
    return board, text.find("?")


def row_board(row: str, side: str) -> tuple[ReferenceBoard, int, int]:
    """A board with one given row in the middle, its tested point, and the colour of X."""
    rule, _, colour_name = side.partition("-")
    colour = WHITE if colour_name == "white" else BLACK
    marks = row.translate(str.maketrans("XO", "OX")) if colour == WHITE else row
    size = len(row)
    start = size // 2 * size
    cells = [EMPTY] * (size * size)
    cells[start : start + size] = [CELL[mark] for mark in marks]
    return ReferenceBoard.from_cells(cells, size, rule), start + row.index("?"), colour
