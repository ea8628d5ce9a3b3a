# SPDX-License-Identifier: MIT
"""A game of a person against the engine, or of two people on one board: swap2, renju's openings,
clocks, taking back. No I/O and no engine: whoever drives it asks `engine_is_to`, has a move found,
and puts it in.

Relies on the board; `play_table` drives it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

from tengen.engine.levels import FULL
from tengen.engine.swap2 import Swap2Choice
from tengen.game.board import Board
from tengen.game.errors import GameOver, IllegalMove
from tengen.game.move import Move
from tengen.game.renju_openings import RENJU_OPENINGS, RenjuOpening
from tengen.game.rule import Colour
from tengen.web import tells
from tengen.web.asks import NewGame
from tengen.web.errors import Refused
from tengen.web.positions import colour_name, result_of, view
from tengen.web.shapes import Clock, Result, Shape

__all__ = ["PlayGame", "opening_of"]

Stage = Literal["put", "choose", "play", "over"]
Taken = Literal["black", "white", "more"]
_FIRST_CHOICES: tuple[Taken, ...] = ("black", "white", "more")


class _State(Shape):
    """A game as it is kept."""

    game: str
    asked: NewGame
    you: Literal["black", "white"] | None
    stage: Stage
    person_acts: bool
    to_put: int
    more: bool
    moves: list[str]
    result: Result | None
    left: tuple[float, float] | None
    fixed: int
    seed: int


def opening_of(code: str) -> RenjuOpening:
    """The opening of a code such as `4D`. Raises Refused."""
    for opening in RENJU_OPENINGS:
        if opening.code == code.upper():
            return opening
    raise Refused("opening", f"no opening {code!r}: they are 1D to 13D and 1I to 13I")


@dataclass(slots=True)
class PlayGame:
    """One game. Times are of `monotonic`."""

    asked: NewGame
    board: Board
    you: Colour | None
    stage: Stage = "play"
    person_acts: bool = True  # whether the person is to put or choose; in stage `play` see `yours`
    to_put: int = 0
    more: bool = False  # whether two stones more were put
    fixed: int = 0  # moves that are no person's and no engine's, and cannot be taken back
    result: Result | None = None
    left: dict[Colour, float] | None = None  # s on the clocks when `since` was set
    since: float = field(default_factory=monotonic)
    game: str = field(default_factory=lambda: secrets.token_hex(8))
    seed: int = field(default_factory=lambda: secrets.randbelow(2**31))
    change: int = 0

    @classmethod
    def new(cls, asked: NewGame) -> PlayGame:
        """Raises Refused for what cannot be played."""
        you = asked.you if asked.you != "random" else secrets.choice(("black", "white"))
        colour = Colour.parse(you) if you in ("black", "white") else None
        game = cls(asked, Board(asked.size, asked.rule), colour)
        if asked.clock:
            game.left = dict.fromkeys(Colour, asked.clock.main)
        if asked.you in ("swap2", "swap2_you"):
            if asked.opening:
                raise Refused("opening", "an opening of renju and swap2 do not go together")
            game.stage, game.to_put = "put", 3
            game.person_acts = asked.you == "swap2_you"
        elif asked.opening:
            if asked.rule != "renju":
                raise Refused("opening", "the 26 openings are for renju")
            for move in opening_of(asked.opening).moves(asked.size):
                game.board.push(move)
            game.fixed = 3
        return game

    # --- whose turn it is ---

    @property
    def of_two_people(self) -> bool:
        return self.asked.you == "both"

    @property
    def level(self) -> int | None:
        """As games are listed; None: two people."""
        if self.of_two_people:
            return None
        return self.asked.level if self.asked.seconds is None else FULL

    @property
    def yours(self) -> bool:
        """Whether the person is to do something."""
        if self.stage == "over" or self.of_two_people:
            return self.stage != "over"
        return self.board.turn is self.you if self.stage == "play" else self.person_acts

    @property
    def engine_is_to(self) -> Literal["move", "open", "choose", "nothing"]:
        """What the engine is to do now."""
        if self.stage == "over" or self.yours:
            return "nothing"
        return {"play": "move", "put": "open", "choose": "choose"}[self.stage]  # type: ignore[return-value]

    # --- what the person does ---

    def person_plays(self, move: str) -> None:
        """A move, or a stone of the opening. Raises Refused and IllegalMove."""
        if self.stage == "over":
            raise GameOver("the game is over")
        if not self.yours or self.stage == "choose":
            raise Refused("turn", "it is not your move")
        if Move.parse(move, self.board.size).is_pass:
            raise Refused("pass", "passing is not part of this game")
        self._push(self.board._check(move))
        if self.stage == "put":
            self.to_put -= 1
            if not self.to_put:
                self._stones_are_put()

    def _stones_are_put(self) -> None:
        """Three or five stones are there: the other one chooses."""
        self.stage = "choose"
        self.person_acts = not self.person_acts
        self._ended_by_board()

    def person_chooses(self, take: Taken) -> None:
        """Raises Refused."""
        if self.stage != "choose" or not self.person_acts or take not in self.choices:
            raise Refused("turn", "there is nothing to choose now")
        if take == "more":
            self.stage, self.to_put, self.more = "put", 2, True
        else:
            self._begin_as(Colour.parse(take))

    @property
    def choices(self) -> list[Taken]:
        if self.stage != "choose" or not self.person_acts:
            return []
        return list(_FIRST_CHOICES[:2] if self.more else _FIRST_CHOICES)

    def _begin_as(self, colour: Colour) -> None:
        """The colours are given, and white goes on."""
        self.you, self.stage, self.fixed = colour, "play", self.board.ply
        self.since = monotonic()

    def resign(self) -> None:
        if self.stage == "over":
            raise GameOver("the game is over")
        loser = self.you or self.board.turn
        self._end(Result(winner=colour_name(loser.other), reason="resign"))

    @property
    def can_take_back(self) -> bool:
        """Whether a move of the person stands after those that are fixed."""
        if self.of_two_people:
            return self.board.ply > self.fixed
        black_first = range(self.fixed, self.board.ply)
        movers = [Colour.WHITE if ply % 2 else Colour.BLACK for ply in black_first]
        return self.you is not None and self.you in movers

    def take_back(self) -> None:
        """Back to before the person's last move (of two people: the last move); a finished game
        goes on. Raises Refused.
        """
        if not self.can_take_back:
            raise Refused("nothing", "there is no move of yours to take back")
        self._stop_clock()
        self.result, self.stage = None, "play"
        while True:
            self.board.pop()
            if self.of_two_people or self.board.turn is self.you:
                break
        self.since = monotonic()

    # --- what the engine does ---

    def engine_plays(self, move: Move) -> None:
        self._push(move)

    def engine_chooses(self, choice: Swap2Choice) -> None:
        """Stones of the opening, or a choice after three or five of them."""
        if self.stage == "put":
            for stone in choice.stones:
                self._push(stone)
            self._stones_are_put()
        elif not choice.stones:  # it takes black
            self._begin_as(Colour.WHITE)
        elif len(choice.stones) == 2:
            for stone in choice.stones:
                self._push(stone)
            self.more = True
            self.stage, self.person_acts = "choose", True
        else:
            self._begin_as(Colour.BLACK)
            self._push(choice.stones[0])

    # --- board and clock ---

    def _push(self, move: Move) -> None:
        mover = self.board.turn
        self.board.push(move)
        self._stop_clock(mover)
        self._ended_by_board()

    def _ended_by_board(self) -> None:
        if outcome := self.board.outcome():
            self._end(result_of(outcome))

    def _end(self, result: Result) -> None:
        self._stop_clock()
        self.result, self.stage = result, "over"

    @property
    def running(self) -> Colour | None:
        """Whose clock runs."""
        if self.left is None or self.stage != "play" or self.board.ply == self.fixed == 0:
            return None
        return self.board.turn

    def left_now(self, colour: Colour) -> float:
        assert self.left is not None
        spent = monotonic() - self.since if colour is self.running else 0.0
        return max(0.0, self.left[colour] - spent)

    def _stop_clock(self, moved: Colour | None = None) -> None:
        """Book the time since the last booking; `moved` gets the increment."""
        now = monotonic()
        if self.left is not None and self.stage == "play":
            mover = moved or self.board.turn
            begun = self.board.ply > (1 if moved else 0) or self.fixed > 0
            if begun:
                self.left[mover] = max(0.0, self.left[mover] - (now - self.since))
            if moved and self.asked.clock:
                self.left[mover] += self.asked.clock.increment
        self.since = now

    def flag(self) -> bool:
        """End the game if the running clock has run out; whether it has."""
        colour = self.running
        if colour is None or self.left_now(colour) > 0:
            return False
        self._end(Result(winner=colour_name(colour.other), reason="time"))
        return True

    # --- telling and keeping ---

    def told(self, thinking: bool) -> tells.Game:
        clock = None
        if self.left is not None and self.asked.clock:
            clock = Clock(
                black=round(self.left_now(Colour.BLACK), 2),
                white=round(self.left_now(Colour.WHITE), 2),
                increment=self.asked.clock.increment,
                running=None if self.running is None else colour_name(self.running),
            )
        opening = opening_of(self.asked.opening) if self.asked.opening else None
        return tells.Game(
            type="game",
            game=self.game,
            change=self.change,
            asked=self.asked,
            you=None if self.you is None else colour_name(self.you),
            stage=self.stage,
            to_put=self.to_put,
            choices=self.choices,
            yours=self.yours,
            thinking=thinking,
            opening=f"{opening.code} {opening.name} {opening.kanji}" if opening else None,
            moves=[move.name for move in self.board.moves],
            view=view(self.board),
            clock=clock,
            result=self.result,
            can_take_back=self.can_take_back,
        )

    def state(self) -> str:
        left = None
        if self.left is not None:
            left = (self.left_now(Colour.BLACK), self.left_now(Colour.WHITE))
        return _State(
            game=self.game,
            asked=self.asked,
            you=None if self.you is None else colour_name(self.you),
            stage=self.stage,
            person_acts=self.person_acts,
            to_put=self.to_put,
            more=self.more,
            moves=[move.name for move in self.board.moves],
            result=self.result,
            left=left,
            fixed=self.fixed,
            seed=self.seed,
        ).model_dump_json()

    @classmethod
    def of_state(cls, text: str) -> PlayGame:
        """The game that `state` gave. Raises ValueError (pydantic's too) for anything else."""
        kept = _State.model_validate_json(text)
        board = Board(kept.asked.size, kept.asked.rule)
        try:
            for move in kept.moves:
                board.push(move)
        except IllegalMove as error:
            raise ValueError(f"a kept game cannot be played: {error}") from None
        you = Colour.parse(kept.you) if kept.you else None
        left = None if kept.left is None else dict(zip(Colour, kept.left, strict=True))
        return cls(
            kept.asked,
            board,
            you,
            kept.stage,
            kept.person_acts,
            kept.to_put,
            kept.more,
            kept.fixed,
            kept.result,
            left,
            game=kept.game,
            seed=kept.seed,
        )
