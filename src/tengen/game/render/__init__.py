# SPDX-License-Identifier: MIT
"""Drawings of a position as text and as SVG: pure functions over plain data, without Board."""

from tengen.game.render.svg import board_svg
from tengen.game.render.text import board_text

__all__ = ["board_svg", "board_text"]
