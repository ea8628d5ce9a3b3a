# SPDX-License-Identifier: MIT
"""`AnyEngine`: the interface of `Engine` and `ProcessEngine`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Self

from tengen.engine.analysis import Analysis
from tengen.engine.info import PlayResult
from tengen.engine.limit import Limit
from tengen.engine.swap2 import Swap2Choice, choose, opening
from tengen.game.board import Board
from tengen.game.errors import GameOver
from tengen.game.move import MoveLike
from tengen.util.deprecation import renamed_fields

NO_LIMIT = Limit()  # the search runs until `stop`


@renamed_fields(thinking="search")
class AnyEngine(ABC):
    """An engine. It searches one position at a time: a second search raises EngineBusy. After
    `close` every method raises EngineClosed.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The engine's name and version."""

    @property
    @abstractmethod
    def options(self) -> Mapping[str, object]:
        """The values of the options, by name."""

    def prepare(self, board: Board, *, seconds: float | None = 0.0) -> bool:
        """Load what searches of this rule and board size need, in the background. Waits at most
        `seconds` (None: no limit); returns whether it is loaded. A search that starts earlier waits
        for a share of its time.
        """
        return True

    @abstractmethod
    def configure(self, **options: object) -> None:
        """Set options: all, or none if one raises BadOption."""

    @abstractmethod
    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        """Choose a move for the side to move. The board is not changed.

        With `ponder` (None: the option `ponder`) the engine then searches the position after the
        expected reply; if that is played, the next `play` continues the search. Raises GameOver.
        """

    @abstractmethod
    def analyse(
        self,
        board: Board,
        limit: Limit = NO_LIMIT,
        *,
        multipv: int | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Analysis:
        """Start to search a position, and iterate over its infos.

        `multipv` is the number of lines (None: the option `multipv`), `moves` are the only ones to
        consider. Raises GameOver, and IllegalMove for one of `moves` that cannot be played.
        """

    def analyze(self, *args: Any, **kwargs: Any) -> Analysis:
        """Other spelling of `analyse`."""
        return self.analyse(*args, **kwargs)

    def search(self, board: Board, limit: Limit) -> Analysis:
        """The search of `play` with its infos: as `analyse`, but at the level of the options."""
        return self.analyse(board, limit, multipv=1)

    def swap2(self, board: Board, limit: Limit, *, number: int = 0) -> Swap2Choice:
        """Choose in a swap2 opening, on a board with 0, 3 or 5 stones. `number` selects one of the
        engine's openings.
        """
        stones = len(copy_to_search(board).stones())
        if not stones:
            return opening(board.size, number)
        return choose(self.play(board, limit, ponder=False), board.size, stones)

    @abstractmethod
    def ponder(self, board: Board) -> None:
        """Search the board after the expected reply, without a limit. `ponder_hit` continues the
        search with a limit; any other call ends it.
        """

    @abstractmethod
    def ponder_hit(self, limit: Limit) -> PlayResult:
        """The expected reply was played: choose a move on the board of `ponder`, as `play` does."""

    @abstractmethod
    def stop(self) -> None:
        """End the search now, with its result so far. Does nothing if none runs. May be called from
        any thread and from a signal handler.
        """

    @abstractmethod
    def new_game(self) -> None:
        """Clear what searches of earlier positions left in tables."""

    @abstractmethod
    def close(self) -> None:
        """End the search and free all resources. May be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def copy_to_search(board: Board) -> Board:
    """A copy of a board to search. Raises GameOver, TypeError."""
    if not isinstance(board, Board):
        raise TypeError(f"expected a tengen.Board, got {type(board).__name__}")
    if outcome := board.outcome():
        raise GameOver(f"nothing to search: the game is over, {outcome}")
    return board.copy()
