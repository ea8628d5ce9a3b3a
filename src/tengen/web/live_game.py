# SPDX-License-Identifier: MIT
"""A game of a person against the engine, or of two people on one board: swap2, renju's openings,
clocks, take-back. No I/O and no engine: `engine_task` says what the engine has to do, and
GameController applies its answer.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

from pydantic import AliasChoices, Field

from tengen.engine.levels import FULL
from tengen.engine.swap2 import Swap2Choice
from tengen.game.board import Board
from tengen.game.errors import GameOver, IllegalMove
from tengen.game.move import Move
from tengen.game.renju_openings import RENJU_OPENINGS, RenjuOpening
from tengen.game.rule import Colour
from tengen.web import events
from tengen.web.conversions import colour_name, to_result, to_view
from tengen.web.limits import RequestError
from tengen.web.messages import ClockState, ColourName, GameResult, Message
from tengen.web.requests import NewGameRequest

Stage = Literal["place", "choose", "play", "over"]
SwapChoice = Literal["black", "white", "more"]
EngineTask = Literal["move", "place", "choose"]


class _SavedGame(Message):
    """A game as the database stores it; the aliases are the keys of version 0.1.0."""

    game: str
    settings: NewGameRequest = Field(validation_alias=AliasChoices("settings", "asked"))
    you: ColourName | None
    stage: Stage | Literal["put"]  # `put`: `place` in version 0.1.0
    person_acts: bool
    to_place: int = Field(validation_alias=AliasChoices("to_place", "to_put"))
    has_extra_stones: bool = Field(validation_alias=AliasChoices("has_extra_stones", "more"))
    moves: list[str]
    result: GameResult | None
    clocks: tuple[float, float] | None = Field(validation_alias=AliasChoices("clocks", "left"))
    fixed_moves: int = Field(validation_alias=AliasChoices("fixed_moves", "fixed"))
    seed: int


# Fields that a game and its stored form have in common.
_SAVED = _SavedGame.model_fields.keys() - {"you", "stage", "moves", "clocks"}


def _find_opening(code: str) -> RenjuOpening:
    """The opening with a code such as `4D`. Raises RequestError."""
    for opening in RENJU_OPENINGS:
        if opening.code == code.upper():
            return opening
    raise RequestError("opening", f"unknown opening {code!r}: expected 1D to 13D or 1I to 13I")


@dataclass(slots=True)
class LiveGame:
    """One game. Times are from `monotonic`."""

    settings: NewGameRequest
    board: Board
    you: Colour | None
    stage: Stage = "play"
    person_acts: bool = True  # in stages `place` and `choose`: the person acts, not the engine
    to_place: int = 0
    has_extra_stones: bool = False  # the two extra stones of swap2 were placed
    fixed_moves: int = 0  # opening moves that cannot be taken back
    result: GameResult | None = None
    clocks: dict[Colour, float] | None = None  # s left at `clock_started`
    clock_started: float = field(default_factory=monotonic)
    game: str = field(default_factory=lambda: secrets.token_hex(8))
    seed: int = field(default_factory=lambda: secrets.randbelow(2**31))

    @classmethod
    def new(cls, settings: NewGameRequest) -> LiveGame:
        """Raises RequestError for settings that contradict each other."""
        you = settings.you if settings.you != "random" else secrets.choice(("black", "white"))
        colour = Colour.parse(you) if you in ("black", "white") else None
        game = cls(settings, Board(settings.size, settings.rule), colour)
        if settings.clock:
            game.clocks = dict.fromkeys(Colour, settings.clock.main)
        if settings.you in ("swap2", "swap2_you"):
            if settings.opening:
                raise RequestError("opening", "choose swap2 or a renju opening, not both")
            game.stage, game.to_place = "place", 3
            game.person_acts = settings.you == "swap2_you"
        elif settings.opening:
            if settings.rule != "renju":
                raise RequestError("opening", "the 26 openings need the rule renju")
            for move in _find_opening(settings.opening).moves(settings.size):
                game.board.push(move)
            game.fixed_moves = 3
        return game

    # --- whose turn it is ---

    @property
    def is_between_people(self) -> bool:
        return self.settings.you == "both"

    @property
    def level(self) -> int | None:
        """The level that the list of games shows; None: two people."""
        if self.is_between_people:
            return None
        return self.settings.level if self.settings.seconds is None else FULL

    @property
    def is_your_turn(self) -> bool:
        """Whether the person has to act."""
        if self.stage == "over" or self.is_between_people:
            return self.stage != "over"
        return self.board.turn is self.you if self.stage == "play" else self.person_acts

    @property
    def engine_task(self) -> EngineTask | None:
        """What the engine has to do now."""
        if self.stage == "over" or self.is_your_turn:
            return None
        return "move" if self.stage == "play" else self.stage

    # --- actions of the person ---

    def person_plays(self, move: str) -> None:
        """A move, or a stone of the opening. Raises RequestError and IllegalMove."""
        if self.stage == "over":
            raise GameOver("the game is over")
        if not self.is_your_turn or self.stage == "choose":
            raise RequestError("turn", "it is not your turn")
        if Move.parse(move, self.board.size).is_pass:
            raise RequestError("pass", "passing is not allowed in this game")
        self.play(self.board._check(move))
        if self.stage == "place":
            self.to_place -= 1
            if not self.to_place:
                self._finish_placing()

    def _finish_placing(self) -> None:
        """Three or five stones are on the board: the other side chooses."""
        self.stage = "choose"
        self.person_acts = not self.person_acts
        self._check_outcome()

    def person_chooses(self, choice: SwapChoice) -> None:
        """Raises RequestError."""
        if choice not in self.choices:
            raise RequestError("turn", "there is nothing to choose now")
        if choice == "more":
            self.stage, self.to_place, self.has_extra_stones = "place", 2, True
        else:
            self._start_as(Colour.parse(choice))

    @property
    def choices(self) -> list[SwapChoice]:
        if self.stage != "choose" or not self.person_acts:
            return []
        return ["black", "white"] if self.has_extra_stones else ["black", "white", "more"]

    def _start_as(self, colour: Colour) -> None:
        """The colours are decided; white moves next."""
        self.you, self.stage, self.fixed_moves = colour, "play", self.board.ply
        self.clock_started = monotonic()

    def resign(self) -> None:
        if self.stage == "over":
            raise GameOver("the game is over")
        loser = self.you or self.board.turn
        self._end(GameResult(winner=colour_name(loser.other), reason="resign"))

    @property
    def can_take_back(self) -> bool:
        """Whether the person has made a move after the fixed ones."""
        if self.is_between_people:
            return self.board.ply > self.fixed_moves
        plies = range(self.fixed_moves, self.board.ply)
        movers = [Colour.WHITE if ply % 2 else Colour.BLACK for ply in plies]
        return self.you is not None and self.you in movers

    def take_back(self) -> None:
        """Goes back to before the person's last move (two people: the last move); a finished game
        continues. Raises RequestError.
        """
        if not self.can_take_back:
            raise RequestError("nothing", "you have no move to take back")
        self._book_time()
        self.result, self.stage = None, "play"
        while True:
            self.board.pop()
            if self.is_between_people or self.board.turn is self.you:
                break
        self.clock_started = monotonic()

    # --- actions of the engine, beside `play` ---

    def engine_chooses(self, choice: Swap2Choice) -> None:
        """Stones of the opening, or a choice after three or five of them."""
        if self.stage == "place" or len(choice.stones) == 2:
            self.has_extra_stones = len(choice.stones) == 2
            for stone in choice.stones:
                self.play(stone)
            self._finish_placing()
        elif not choice.stones:  # it takes black
            self._start_as(Colour.WHITE)
        else:
            self._start_as(Colour.BLACK)
            self.play(choice.stones[0])

    # --- board and clock ---

    def play(self, move: Move) -> None:
        """Plays a legal move or stone of either side."""
        mover = self.board.turn
        self.board.push(move)
        self._book_time(mover)
        self._check_outcome()

    def _check_outcome(self) -> None:
        if outcome := self.board.outcome():
            self._end(to_result(outcome))

    def _end(self, result: GameResult) -> None:
        self._book_time()
        self.result, self.stage = result, "over"

    @property
    def running_clock(self) -> Colour | None:
        """The side whose clock runs. The first move of a game is free."""
        if self.clocks is None or self.stage != "play" or self.board.ply == self.fixed_moves == 0:
            return None
        return self.board.turn

    def time_left(self, colour: Colour) -> float:
        assert self.clocks is not None
        spent = monotonic() - self.clock_started if colour is self.running_clock else 0.0
        return max(0.0, self.clocks[colour] - spent)

    def _book_time(self, moved: Colour | None = None) -> None:
        """Subtracts the time since `clock_started` and restarts it; `moved` gets the increment."""
        now = monotonic()
        if self.clocks is not None and self.stage == "play":
            mover = moved or self.board.turn
            if self.board.ply > (1 if moved else 0) or self.fixed_moves > 0:
                self.clocks[mover] = max(0.0, self.clocks[mover] - (now - self.clock_started))
            if moved and self.settings.clock:
                self.clocks[mover] += self.settings.clock.increment
        self.clock_started = now

    def check_flag(self) -> bool:
        """Ends the game if the running clock has run out, and returns whether it has."""
        colour = self.running_clock
        if colour is None or self.time_left(colour) > 0:
            return False
        self._end(GameResult(winner=colour_name(colour.other), reason="time"))
        return True

    # --- messages and storage ---

    @property
    def your_colour(self) -> ColourName | None:
        return None if self.you is None else colour_name(self.you)

    @property
    def move_names(self) -> list[str]:
        return [move.name for move in self.board.moves]

    def to_message(self) -> events.GameEvent:
        clock = None
        if self.clocks is not None and self.settings.clock:
            clock = ClockState(
                black=round(self.time_left(Colour.BLACK), 2),
                white=round(self.time_left(Colour.WHITE), 2),
                increment=self.settings.clock.increment,
                running=None if self.running_clock is None else colour_name(self.running_clock),
            )
        opening = _find_opening(self.settings.opening) if self.settings.opening else None
        return events.GameEvent(
            game=self.game,
            settings=self.settings,
            you=self.your_colour,
            stage=self.stage,
            to_place=self.to_place,
            choices=self.choices,
            your_turn=self.is_your_turn,
            opening=f"{opening.code} {opening.name} {opening.kanji}" if opening else None,
            moves=self.move_names,
            view=to_view(self.board),
            clock=clock,
            result=self.result,
            can_take_back=self.can_take_back,
        )

    def to_json(self) -> str:
        """The stored form."""
        saved = {name: getattr(self, name) for name in _SAVED}
        clocks = None
        if self.clocks is not None:
            clocks = self.time_left(Colour.BLACK), self.time_left(Colour.WHITE)
        return _SavedGame(
            **saved, you=self.your_colour, stage=self.stage, moves=self.move_names, clocks=clocks
        ).model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> LiveGame:
        """Reads the stored form. Raises ValueError (also pydantic's) for anything else."""
        saved = _SavedGame.model_validate_json(text)
        board = Board(saved.settings.size, saved.settings.rule)
        try:
            for move in saved.moves:
                board.push(move)
        except IllegalMove as error:
            raise ValueError(f"the moves of a stored game are illegal: {error}") from None
        return cls(
            board=board,
            you=Colour.parse(saved.you) if saved.you else None,
            stage="place" if saved.stage == "put" else saved.stage,
            clocks=None if saved.clocks is None else dict(zip(Colour, saved.clocks, strict=True)),
            **{name: getattr(saved, name) for name in _SAVED},
        )
