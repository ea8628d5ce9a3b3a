# SPDX-License-Identifier: MIT
"""What the learning loop needs of self-play: `Generator`, and `Games`, what it gives.

`tengen.zero.selfplay` is the real one; tests of the loop have small ones of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tengen.data import Batch

if TYPE_CHECKING:
    from torch import nn

__all__ = ["Enough", "Games", "Generator"]


class Enough(Exception):
    """Raised by the `alive` of `Generator.play`: nobody waits for the rest of the games."""


@dataclass(frozen=True, slots=True)
class Games:
    """Games that have ended, whole: no game is divided among two of these."""

    rows: Batch  # all columns are there; `game` counts from 0 within these
    black: int  # games that black won
    white: int
    drawn: int
    moves: int  # made in these games, those of the opening not counted
    playouts: int  # spent on them

    @property
    def count(self) -> int:
        return self.black + self.white + self.drawn


class Generator(Protocol):
    """Plays many games at once. Not for several threads."""

    def use(self, *nets: nn.Module) -> None:
        """Go on with the weights of this net, or of these two: black's and white's. Games under
        way are played on. The modules are copied: they may change afterwards.
        """

    def play(self, positions: int, alive: Callable[[], None] = lambda: None) -> Games:
        """Play on until games with this many rows in all have ended. Games under way are kept for
        the next call. `alive` is called again and again meanwhile: whoever waits takes a player
        that is silent for too long for one that hangs. It may raise Enough: then the games that
        have ended are given at once; if there are none, Enough is raised here.
        """

    def close(self) -> None:
        """Give threads and memory back. Allowed more than once."""
