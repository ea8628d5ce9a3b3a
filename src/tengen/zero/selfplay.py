# SPDX-License-Identifier: MIT
"""Self-play: `SelfPlay` plays thousands of games of a net against itself on all cores, with the
engine's own rules and solvers, and asks the net about batches of leaves. See docs/selfplay.md.

Relies on the native core, the settings, and `inference`, which is looked up late as it needs torch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.data import Batch
from tengen.train.errors import BadTraining, TrainingFailed
from tengen.zero.generator import Enough, Games
from tengen.zero.settings import SelfPlaySettings

if TYPE_CHECKING:
    from torch import nn

    from tengen.zero.inference import Inference, Lane

__all__ = ["ENDINGS", "SOURCES", "PlayedGame", "SelfPlay", "SelfPlaySettings", "Spent", "mixed"]

# Meanings of the column `source`, and what ended a game.
SOURCES = {1: "search", 2: "solver", 3: "forced", 4: "proven"}
ENDINGS = ("five", "draw", "solver", "proven")
_FULL = 255  # a share of 1

Array: TypeAlias = "npt.NDArray[Any]"


class PlayedGame(NamedTuple):
    """The moves of a game that has ended."""

    moves: tuple[int, ...]  # indices of points (y * size + x), those of the opening first
    opening: int  # stones of the opening
    winner: int  # 1 black, 2 white, 0 nobody
    ending: str  # one of ENDINGS


@dataclass(slots=True)
class Spent:
    """Where the time went, in seconds, and what was done in it."""

    waiting: float = 0.0  # for the net: the cores had nothing to do
    advancing: float = 0.0  # games, on all cores
    starting: float = 0.0  # batches: handing them to the device
    batches: int = 0
    leaves: int = 0


class SelfPlay:
    """A `Generator`: plays many games at once. Not for several threads."""

    def __init__(
        self, settings: SelfPlaySettings, device: str | None = None, *, by_mover: bool = False
    ) -> None:
        """`device`: cpu or cuda; None: a GPU if there is one. Of two nets each answers where its
        colour is to move; `by_mover`: each all of its own colour's searches, so that they play a
        match. Raises BadTraining.
        """
        if by_mover and settings.reuse:
            raise BadTraining("players who share what nets said (reuse) play no match")
        import torch

        from tengen.zero.inference import Inference, Lane

        self.settings = settings
        self.spent = Spent()
        where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._core: _core.SelfPlay | None = _core.SelfPlay(settings.native(by_mover))
        sizes = [self._core.group_size(group) for group in range(settings.groups)]
        options = {
            "compile": settings.compile and where.type == "cuda",
            "graphs": settings.graphs,
            "urgent": by_mover,  # a match is many small batches, each of which waits for the last
        }
        self._net: Inference = Inference(settings.size, max(sizes), where, **options)
        self._lanes: list[Lane] = [Lane(size, settings.size, where) for size in sizes]
        self._next = 0
        self._last: dict[str, Any] | None = None
        self._laid_out: list[tuple[int, ...]] = []

    def use(self, *nets: nn.Module) -> None:
        """Go on with the weights of this net, or of these two: black's and white's. Games under way
        are played on; leaves that are just being judged are judged by the nets from before.
        """
        self._open()
        self._net.use(*nets)

    def play(self, positions: int, alive: Callable[[], None] = lambda: None) -> Games:
        """Play on until games with this many rows in all have ended, or `alive`, which is called
        after each batch, has enough. Raises BadTraining if there is no net yet, TrainingFailed if
        it answers with no numbers, Enough.
        """
        core = self._open()
        if positions < 1:
            raise BadTraining(f"{positions} positions: play for one or more")
        if not self._net.is_ready:
            raise BadTraining("no net to play with: call use() first")
        while core.rows_ready < positions:
            self._advance(core)
            try:
                alive()
            except Enough:
                if not core.rows_ready:
                    raise
                break
        self._last = core.take()
        return self._games(self._last)

    def play_once(self, openings: Sequence[Sequence[int]]) -> list[PlayedGame]:
        """A game from each of these openings (indices of points), in their order; as many as there
        are games at once, and before any other game. Raises as `play` does.
        """
        self.lay_out(openings)
        while self.go_on():
            pass
        return self.laid_out_games()

    def lay_out(self, openings: Sequence[Sequence[int]]) -> None:
        """The beginning of `play_once`, for those who do other things between its batches."""
        core = self._open()
        if not self._net.is_ready:
            raise BadTraining("no net to play with: call use() first")
        given = [list(opening) for opening in openings]
        if len({tuple(opening) for opening in given}) < len(given):
            raise BadTraining("an opening is there twice: its games could not be told apart")
        try:
            core.play_once(given)
        except ValueError as error:
            raise BadTraining(f"these openings cannot be played: {error}") from None
        self._laid_out = [tuple(opening) for opening in given]

    def go_on(self) -> bool:
        """Advance a group of the games that were laid out; whether any of them is still played."""
        core = self._open()
        if core.resting < len(self._laid_out):
            self._advance(core)
        return core.resting < len(self._laid_out)

    def laid_out_games(self) -> list[PlayedGame]:
        """The games from the openings, in their order, once all of them have ended."""
        self._last = self._open().take()
        found = {game.moves[: game.opening]: game for game in self.last_games()}
        return [found[opening] for opening in self._laid_out]

    def _open(self) -> _core.SelfPlay:
        if self._core is None:
            raise BadTraining("self-play is closed: make another one")
        return self._core

    def _advance(self, core: _core.SelfPlay) -> None:
        """One group: its answers, its games, its next leaves. May be interrupted anywhere."""
        lane, spent = self._lanes[self._next], self.spent
        if not lane.is_asked:
            self._ask(core, lane)
        begun = time.perf_counter()
        lane.wait()
        waited = time.perf_counter()
        lane.is_asked = False
        try:
            core.advance(self._next, lane.values, lane.policies, lane.boards)
        except RuntimeError as error:
            raise TrainingFailed(f"{error}: the weights of the net are of no use") from None
        advanced = time.perf_counter()
        self._ask(core, lane)
        spent.waiting += waited - begun
        spent.advancing += advanced - waited
        spent.starting += time.perf_counter() - advanced
        self._next = (self._next + 1) % len(self._lanes)

    def _ask(self, core: _core.SelfPlay, lane: Lane) -> None:
        """Begin with the leaves of the group whose turn it is."""
        count, black = core.leaves(self._next)
        if count:
            self._net.start(lane, count, black)
            self.spent.batches += 1
            self.spent.leaves += count
        lane.is_asked = True

    def _games(self, found: dict[str, Any]) -> Games:
        rows = Batch(
            **{name: found[name] for name in ("board", "move", "prob")},
            value=mixed(found["result"], found["root"], self.settings.result_share),
            **{name: found[name] for name in ("to_move", "ply", "game", "source")},
            **{name: found[name] for name in ("result", "root")},
        )
        wins = np.bincount(found["winner"], minlength=3)
        moves = int(found["length"].sum() - found["opening"].sum())
        return Games(rows, int(wins[1]), int(wins[2]), int(wins[0]), moves, found["playouts"])

    def last_games(self) -> Iterator[PlayedGame]:
        """The moves of the games that the last play() gave, in the order of the column `game`."""
        if (found := self._last) is None:
            return
        ends = np.cumsum(found["length"])
        for n, (end, length) in enumerate(zip(ends, found["length"], strict=True)):
            moves = tuple(int(move) for move in found["line"][end - length : end])
            winner, ending = int(found["winner"][n]), ENDINGS[found["ending"][n]]
            yield PlayedGame(moves, int(found["opening"][n]), winner, ending)

    @property
    def threads(self) -> int:
        """Threads that advance games."""
        return self._open().threads

    def work(self) -> dict[str, int]:
        """What was done since the beginning: leaves, playouts, searches, moves, rows
        (of games under way, too), solver_plays."""
        return self._open().work()

    def close(self) -> None:
        """Give threads and memory back. Allowed more than once."""
        if self._core is not None:
            self._net.close()
            self._lanes.clear()
            self._core = None

    def __enter__(self) -> SelfPlay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def mixed(result: Array, root: Array, share: float) -> Array:
    """uint8 [B, 2], win and loss out of 255: `share` of the game's result (0 loss, 1 draw, 2 win),
    the rest of the search's value. Draws stay what is left of both.
    """
    ended = np.stack((result == 2, result == 0), 1) * float(_FULL)
    value = np.rint(share * ended + (1 - share) * root).astype(np.int16)
    over = np.maximum(value.sum(1) - _FULL, 0)  # both were rounded up
    value[np.arange(len(value)), value.argmax(1)] -= over
    return value.astype(np.uint8)
