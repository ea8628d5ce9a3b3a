# SPDX-License-Identifier: MIT
"""The interface of self-play: `GameGenerator` plays, `SelfPlayGames` is the result. A run names its
generator as "module:function", so that worker processes can import it and tests can replace it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from tengen.data import Batch
from tengen.util.deprecation import deprecated_names
from tengen.zero.errors import BadZero

if TYPE_CHECKING:
    from torch import nn

__getattr__ = deprecated_names(__name__, {"Generator": "GameGenerator", "Games": "SelfPlayGames"})


class StopPlaying(Exception):
    """Raised by the heartbeat of `GameGenerator.play`: no more games are needed."""


@dataclass(frozen=True, slots=True)
class SelfPlayGames:
    """Finished games. A game is never split between two of these."""

    rows: Batch  # all columns are present; `game` counts from 0
    black: int  # games won by black
    white: int
    drawn: int
    moves: int  # of all games, opening moves excluded
    playouts: int  # of all games

    @property
    def count(self) -> int:
        return self.black + self.white + self.drawn


class GameGenerator(Protocol):
    """Plays many games at once. Not thread-safe."""

    def set_nets(self, *nets: nn.Module) -> None:
        """Use the weights of one net, or of two: black's and white's. Games in progress continue.
        The modules are copied.
        """

    def play(self, positions: int, heartbeat: Callable[[], None] = lambda: None) -> SelfPlayGames:
        """Play until finished games have this many positions. Games in progress are kept for the
        next call. `heartbeat` is called at short intervals; a worker that stops calling it counts
        as hung. If it raises StopPlaying, the games finished so far are returned; if there are
        none, StopPlaying propagates.
        """

    def close(self) -> None:
        """Free threads and memory. May be called more than once."""


# Makes a generator from a table of settings and the name of a device.
GameGeneratorFactory: TypeAlias = Callable[[Mapping[str, Any], str], GameGenerator]


def find_game_generator_factory(name: str) -> GameGeneratorFactory:
    """The function of a name such as "package.module:function". Raises BadZero."""
    module, _, function = name.partition(":")
    try:
        factory = getattr(import_module(module), function, None)
    except ImportError as error:
        raise BadZero(f"no generator {name!r}: {error}") from None
    if not callable(factory):
        raise BadZero(f"no generator {name!r}: {module} has no such function")
    return cast(GameGeneratorFactory, factory)
