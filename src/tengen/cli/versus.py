# SPDX-License-Identifier: MIT
"""The terminal board against the engine: a `Table` with a second chair for it.

`handle` answers the person, `think` makes the engine's move when it is its turn. Relies on the
engine and on `terminal`; `play` is the loop around it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tengen.cli import wording
from tengen.cli.analyze_words import cells, percent, short
from tengen.cli.game import Game
from tengen.cli.interrupt import Interrupt
from tengen.cli.search_display import SearchDisplay
from tengen.cli.terminal import COMMANDS, Command, Fault, Reply, Table, how_many, stands_alone
from tengen.engine import AnyEngine, Info, Limit, Played
from tengen.game.board import Board
from tengen.game.errors import GameOver
from tengen.game.move import Move
from tengen.game.rule import Colour

__all__ = ["Opponent", "Versus"]

HUMAN = "Human"


class Opponent:
    """The engine in its chair."""

    def __init__(self, engine: AnyEngine, limit: Limit) -> None:
        self.engine = engine
        self.limit = limit
        self.name = engine.name

    def think(self, board: Board) -> Played:
        """A move. Ctrl-C has it made at once; a second one raises KeyboardInterrupt."""
        with (
            Interrupt(self.engine.stop) as interrupt,
            SearchDisplay() as display,
            self.engine.thinking(board, self.limit) as analysis,
        ):
            if interrupt.happened:  # before there was anything to stop
                analysis.stop()
            for info in analysis:
                display.show(f"thinking: {_on_the_way(info)}")
        return analysis.played

    def pace(self) -> str:
        """How long it may think about a move, in words."""
        limit = self.limit
        parts = [f"{limit.time:g} s"] if limit.time is not None else []
        parts += [f"{limit.nodes:,} nodes"] if limit.nodes is not None else []
        parts += [f"depth {limit.depth}"] if limit.depth is not None else []
        return f"{', '.join(parts) or 'all the time it wants'} a move"


class Versus(Table):
    """A person and the engine at one board."""

    def __init__(
        self,
        game: Game,
        opponent: Opponent,
        person: Colour = Colour.BLACK,
        *,
        autosave: Path | None = None,
        unicode: bool = False,
        colour: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`person` is the side of the person; `clock` tells seconds."""
        super().__init__(game, autosave=autosave, unicode=unicode, colour=colour)
        self.person = person
        self._opponent = opponent
        self._clock = clock
        self._since = clock()  # when the person began to think
        self._seat()

    @property
    def thinks(self) -> bool:
        """Whether the engine is to move."""
        return not self.game.is_over and self.game.board.turn is not self.person

    def think(self) -> Reply:
        """Have the engine move."""
        start = self._clock()
        played = self._opponent.think(self.game.board)
        self.game.play(played.move, _milliseconds(self._clock() - start))
        told = f"{self._opponent.name} plays {played.move}{_opinion(played)}."
        self._since = self._clock()
        return Reply((told, *self._changed().lines))

    def _seat(self) -> None:
        """Tell the game who plays."""
        self.game.players = {self.person: HUMAN, self.person.other: self._opponent.name}

    def _seats(self) -> list[str]:
        pace = self._opponent.pace()
        return [f"You are {self.person}; {self._opponent.name} is {self.person.other}, {pace}."]

    def _commands(self) -> Mapping[str, Command]:
        return _ALL

    def _play(self, move: Move) -> Reply:
        self.game.play(move, _milliseconds(self._clock() - self._since))
        if not self.thinks:
            return self._changed()
        return Reply((*self._kept(), self._status()))  # the board follows with the engine's move

    def _started(self, *notes: str) -> Reply:
        self._opponent.engine.new_game()
        self._seat()
        self._since = self._clock()
        return super()._started(*notes)

    # The commands that are other than for two people, and those there are only here.

    def undo(self, rest: str) -> Reply:
        count = how_many("undo", rest)
        if self.game.resigned is not None:
            count -= 1
        own = [number for number, who in enumerate(self.game.movers) if who is self.person]
        if count > len(own):
            raise Fault(wording.too_many(count, len(own), "of yours to take back"))
        self.game.undo(len(self.game.moves) - own[-count] if count else 0)
        self._since = self._clock()
        return self._changed()

    def redo(self, rest: str) -> Reply:
        count, there = how_many("redo", rest), self.game.can_redo()
        if count > (there + 1) // 2:
            raise Fault(wording.too_many(count, (there + 1) // 2, "of yours to play again"))
        self.game.redo(min(2 * count, there))
        return self._changed()

    def hint(self, rest: str) -> Reply:
        stands_alone("hint", rest)
        if self.game.is_over:
            raise GameOver("the game is over")
        played = self._opponent.think(self.game.board)
        line = f" Its line: {cells(played.info)[-1]}." if played.info and played.info.pv else ""
        return Reply((f"{self._opponent.name} would play {played.move}{_opinion(played)}.{line}",))

    def resign(self, rest: str) -> Reply:
        stands_alone("resign", rest)
        self.game.resign(self.person)
        return self._changed()

    def swap(self, rest: str) -> Reply:
        stands_alone("swap", rest)
        self.person = self.person.other
        self._seat()
        return Reply((*self._kept(), *self._seats()))  # the engine moves next


_ALL: Mapping[str, Command] = {
    **COMMANDS,
    "undo": Command(Versus.undo, "undo [N]", "take back your last move and what followed, or N"),
    "redo": Command(Versus.redo, "redo [N]", "play what was taken back again"),
    "hint": Command(Versus.hint, "hint", "what the engine would play in your place"),
    "resign": Command(Versus.resign, "resign", "give the game up"),
    "swap": Command(Versus.swap, "swap", "change colours with the engine"),
}


def _milliseconds(seconds: float) -> int:
    return max(0, round(1000 * seconds))


def _opinion(played: Played) -> str:
    """What the engine thinks of its move, for a sentence."""
    if played.info is None:
        return ""
    score = played.info.score
    told = f"{score.relative} for {score.turn}, win rate {percent(score.relative.win_rate)}"
    return f" ({told}, depth {played.info.depth})"


def _on_the_way(info: Info) -> str:
    nodes = f"{short(info.nodes)} nodes"
    return f"depth {info.depth}, {info.score}, {nodes}, {' '.join(map(str, info.pv))}"
