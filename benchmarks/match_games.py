# SPDX-License-Identifier: MIT
"""One game of a match, and the judgement of an opening: what a worker process does.

A player is written `preset[,option=value...]`, where `time` (s), `nodes` and `depth` are his own
limits and the rest are options of `tengen.Engine`; or `pipe:COMMAND`. The referee is
`tengen.Board`: a player that crashes, or answers with a move that he may not make, or far too
late, has lost. Engines are made once in a process and begin each game with `new_game`.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import tengen
from match_openings import Opening, board_after
from match_pool import Notes
from tengen import Colour, Rule, TengenError
from tengen.engine import AnyEngine, Engine, Limit

LIMITS = {"time": float, "nodes": int, "depth": int}
JUDGE = 2  # the place of the judge among the engines, after the two players


@dataclass(frozen=True)
class Player:
    """Who plays, and how long he may think. `options` are those of the engine."""

    text: str
    options: tuple[tuple[str, bool | int | str], ...] = ()
    limits: tuple[tuple[str, float], ...] = ()

    @classmethod
    def parse(cls, text: str, memory: int, **limits: float | None) -> Player:
        """`limits` hold unless the text tells limits of its own. `memory` is in MiB."""
        given = tuple((name, value) for name, value in limits.items() if value)
        if text.startswith("pipe:"):
            return cls(text, (), given)
        preset, *parts = text.split(",")
        options: dict[str, bool | int | str] = {"preset": preset, "threads": 1, "memory": memory}
        own: dict[str, float] = {}
        for part in parts:
            name, sign, value = part.partition("=")
            if not sign:
                raise ValueError(f"player {text!r}: {part!r} is not like option=value")
            if name in LIMITS:
                own[name] = LIMITS[name](value)
            else:
                options[name] = _value(value)
        return cls(text, tuple(options.items()), tuple(own.items()) or given)

    @property
    def seconds(self) -> float | None:
        return dict(self.limits).get("time")

    def limit(self) -> Limit:
        values: dict[str, Any] = dict(self.limits)
        return Limit(**values)


def _value(text: str) -> bool | int | str:
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    return int(text) if text.lstrip("-").isdigit() else text


@dataclass(frozen=True)
class GameTask:
    """One game: `swapped` gives black to the second player. A move that comes `tolerance` seconds
    after its limit loses.
    """

    players: tuple[Player, Player]
    rule: Rule
    size: int
    opening: Opening
    pair: int
    swapped: bool
    tolerance: float


@dataclass(frozen=True)
class JudgeTask:
    judge: Player
    rule: Rule
    size: int
    opening: Opening
    number: int


@dataclass
class Thinking:
    """What one player spent on his moves."""

    seconds: list[float] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    nodes: int = 0
    counted: float = 0.0  # seconds in which these nodes were visited


@dataclass
class Game:
    """A finished game. `score` is that of the first player; `fault` tells whose error ended it."""

    pair: int
    swapped: bool
    opening: int  # stones of the opening
    moves: list[str]
    score: float
    reason: str  # of tengen.Outcome, or "crash", "hang", "illegal", "time"
    fault: str = ""
    thinking: tuple[Thinking, Thinking] = field(default_factory=lambda: (Thinking(), Thinking()))


class Fault(Exception):
    """A player's error: crash, illegal or time."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


# --- engines of this process ---

_engines: dict[tuple[int, Player], AnyEngine] = {}


def make_engine(player: Player) -> AnyEngine:
    if player.text.startswith("pipe:"):
        return Engine.popen(shlex.split(player.text.removeprefix("pipe:")))
    options: dict[str, Any] = dict(player.options)
    return Engine(**options)


def engine_of(place: int, player: Player) -> AnyEngine:
    """The engine that plays there; the one of another player, if it is there still, is closed."""
    key = (place, player)
    if key not in _engines:
        close_engine(place)
        _engines[key] = make_engine(player)
    return _engines[key]


def close_engine(place: int) -> None:
    for key in [key for key in _engines if key[0] == place]:
        engine = _engines.pop(key)
        with suppress(TengenError, OSError):  # it may be the crashed one
            engine.close()


# --- playing ---


def play_game(task: GameTask, notes: Notes) -> Game:
    """Play it. Raises only if an engine cannot be made: that is no matter of this game."""
    notes.write()
    engines = [engine_of(place, player) for place, player in enumerate(task.players)]
    board = board_after(task.opening, task.size, task.rule)
    game = Game(task.pair, task.swapped, board.ply, [], 0.5, "")
    places = [move.to_index(task.size) for move in task.opening]
    side = 0
    try:
        for side, engine in enumerate(engines):
            notes.write(side, *places)
            _guarded(engine.new_game)
        while not board.is_over():
            side = int((board.turn is Colour.BLACK) == task.swapped)
            notes.write(side, *places)
            move = _one_move(board, engines[side], task, side, game.thinking[side])
            places.append(move.to_index(task.size))
        outcome = board.outcome()
        assert outcome is not None
        game.reason = outcome.reason
        if outcome.winner is not None:
            game.score = float((outcome.winner is Colour.BLACK) != task.swapped)
    except Fault as fault:
        game.score, game.reason = float(side), fault.kind
        game.fault = f"{'AB'[side]}: {fault}"
        if fault.kind == "crash":
            close_engine(side)
    game.moves = [move.name for move in board.moves]
    return game


def _guarded(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except Exception as error:
        raise Fault("crash", f"{type(error).__name__}: {error}") from error


def _one_move(
    board: tengen.Board, engine: AnyEngine, task: GameTask, side: int, spent: Thinking
) -> tengen.Move:
    player = task.players[side]
    shown = board.copy()  # the referee's board is nobody else's
    limit = player.limit()
    start = time.perf_counter()
    played = _guarded(engine.play, shown, limit)
    seconds = time.perf_counter() - start
    spent.seconds.append(seconds)
    if played.info is not None:
        spent.depths.append(played.info.depth)
        spent.nodes += played.info.nodes
        spent.counted += played.info.time or seconds  # as long as the last line took
    if player.seconds is not None and seconds > player.seconds + task.tolerance:
        raise Fault("time", f"{seconds * 1000:.0f} ms for a move")
    try:
        return board.push(played.move)
    except (TengenError, TypeError) as error:
        raise Fault("illegal", str(error)) from error


def judge_opening(task: JudgeTask, notes: Notes) -> float | None:
    """The win rate that the judge gives the side to move; None if he gives none."""
    notes.write()
    engine = engine_of(JUDGE, task.judge)
    engine.new_game()
    board = board_after(task.opening, task.size, task.rule)
    info = engine.play(board, task.judge.limit()).info
    return None if info is None else info.score.relative.win_rate


def unfinished(task: GameTask, kind: str, words: str, notes: Sequence[int]) -> Game:
    """The game of a worker that died or hung: lost by the player whose turn it was."""
    side, *places = notes
    moves = [tengen.Move.from_index(place, task.size).name for place in places]
    score, fault = float(side), f"{'AB'[side]}: {words}"
    return Game(task.pair, task.swapped, len(task.opening), moves, score, kind, fault)
