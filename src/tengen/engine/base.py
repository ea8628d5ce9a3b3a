# SPDX-License-Identifier: MIT
"""`AnyEngine`: what every engine can do, whether it runs in this process or in another one.

Relies on the small values of the package; `Engine` and `ProcessEngine` implement it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Self

from tengen.engine.analysis import Analysis
from tengen.engine.info import Played
from tengen.engine.limit import Limit
from tengen.engine.swap2 import Swap2Choice, choose, opening
from tengen.game.board import Board
from tengen.game.errors import GameOver
from tengen.game.move import MoveLike

__all__ = ["ENDLESS", "AnyEngine", "position"]

ENDLESS = Limit()  # until it is stopped


class AnyEngine(ABC):
    """An engine. It searches one position at a time: another `play` or `analyse` meanwhile raises
    EngineBusy. After `close` everything raises EngineClosed.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The engine's name and version."""

    @property
    @abstractmethod
    def options(self) -> Mapping[str, object]:
        """The options with their values, by name."""

    def prepare(self, board: Board, *, seconds: float | None = 0.0) -> bool:
        """Begin to load, in the background, what searches of boards of this rule and size need;
        whether it is there within so many seconds (None: wait for it). A search that comes before
        waits for it, too, but not with all of its time.
        """
        return True

    @abstractmethod
    def configure(self, **options: object) -> None:
        """Set options. Raises BadOption, and then none is set."""

    @abstractmethod
    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> Played:
        """Choose a move for the side to move. The board is not changed.

        With `ponder` (None: as the option says) the engine goes on thinking about the reply that it
        expects; if that is played, the next `play` goes on from there. Raises GameOver.
        """

    @abstractmethod
    def analyse(
        self,
        board: Board,
        limit: Limit = ENDLESS,
        *,
        multipv: int | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Analysis:
        """Start to search a position, and tell about it line by line.

        `multipv` is the number of lines (None: as the option says), `moves` are the only ones to
        consider. Raises GameOver, and IllegalMove for one of `moves` that cannot be played.
        """

    def thinking(self, board: Board, limit: Limit) -> Analysis:
        """The search that `play` makes, told as it goes; its end is the move. As `analyse`, but
        for engines that play below their strength.
        """
        return self.analyse(board, limit, multipv=1)

    def swap2(self, board: Board, limit: Limit, *, number: int = 0) -> Swap2Choice:
        """Choose in a swap2 opening, on a board with no stones, three or five; see `Swap2Choice`.

        `number` is of the opening to begin with, where an engine has several.
        """
        stones = len(position(board).stones())
        if not stones:
            return opening(board.size, number)
        return choose(self.play(board, limit, ponder=False), stones)

    @abstractmethod
    def ponder(self, board: Board) -> None:
        """Start to think, without a limit, about the board after the reply that is expected.

        `ponder_hit` turns it into a search with a limit; anything else ends it.
        """

    @abstractmethod
    def ponder_hit(self, limit: Limit) -> Played:
        """The reply was played: choose a move on the board of `ponder`, as `play` does."""

    @abstractmethod
    def stop(self) -> None:
        """Have the search end now with what it has. From any thread, or a signal handler; nothing
        happens if no search runs.
        """

    @abstractmethod
    def new_game(self) -> None:
        """Forget what was learnt from earlier positions."""

    @abstractmethod
    def close(self) -> None:
        """End the search and give everything back. A second time it does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def position(board: Board) -> Board:
    """A copy of a board that can be searched: nobody else plays on it meanwhile."""
    if not isinstance(board, Board):
        raise TypeError(f"expected a tengen.Board, got {type(board).__name__}")
    if outcome := board.outcome():
        raise GameOver(f"nothing to search: the game is over, {outcome}")
    return board.copy()
