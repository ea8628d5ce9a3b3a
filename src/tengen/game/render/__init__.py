# SPDX-License-Identifier: MIT
"""Drawings of a position as text and as SVG: pure functions over plain data, without Board.

Relies on moves and rules; Board and the command line rely on it.
"""

from tengen.game.render.svg import board_svg
from tengen.game.render.text import board_text

__all__ = ["board_svg", "board_text"]
