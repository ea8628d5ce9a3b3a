# SPDX-License-Identifier: MIT
"""Draws the pictures of the documents, next to this file: `python docs/make_pictures.py`.

Run it again after a change of the drawings; the same code makes the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import tengen

# Black to move, and a forbidden point of every kind: g7 would make six in a row, j8 and g11 two
# fours, j10 two threes.
GAME = "h8 h7 i6 i7 i8 h5 g9 f8 i9 f5 g6 i5 g5 h11 g10 e5 g8 d6 h10 e8 j5 d4 j6 h6 k7 f11"


def board_picture() -> str:
    """The picture at the head of the README."""
    board = tengen.Board(size=15, rule="renju")
    for move in GAME.split():
        board.push(move)
    title = "A renju game after 26 moves: black may not play the crossed points"
    return board.svg(numbers=True, width=560, title=title)


# File name: how it is drawn.
PICTURES = {"board.svg": board_picture}


def main() -> None:
    for name, draw in PICTURES.items():
        path = Path(__file__).with_name(name)
        path.write_text(draw(), encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
