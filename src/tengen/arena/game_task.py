# SPDX-License-Identifier: MIT
"""Plays one game in a worker process. A process makes engines once and resets them before each
game, so a game does not depend on the games before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

from tengen import _core
from tengen.arena.definition import Definition, ScheduledGame
from tengen.arena.errors import BadArena
from tengen.arena.game import MatchGame
from tengen.arena.player import Player
from tengen.arena.referee import Referee, Seat, fault_of
from tengen.cluster import Notes
from tengen.engine.base import AnyEngine
from tengen.engine.engine import Engine
from tengen.engine.errors import EngineDied
from tengen.engine.info import PlayResult
from tengen.engine.limit import Limit
from tengen.engine.process import ProcessEngine
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.rule import Colour

_MAX_ENGINES = 6  # kept by a process between games; each has its own memory


@dataclass(frozen=True, slots=True)
class GameTask:
    """A game to play: its place in the schedule, and the moves of its opening."""

    definition: Definition
    scheduled: ScheduledGame
    moves: tuple[str, ...] = ()


class _Tuned(Engine):
    """One of our engines with its own tunables, which are global in a process: each search sets
    them.
    """

    tunables: Mapping[str, int] = MappingProxyType({})

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        _core.set_tunables(self.tunables)
        return super().play(board, limit, ponder=ponder)


_engines: dict[tuple[int, str], AnyEngine] = {}  # by place and player; the newest last


def _make(player: Player, patience: float) -> AnyEngine:
    if not player.is_ours:
        return ProcessEngine(
            player.command,
            options=player.options,
            env=player.env or None,
            cwd=player.folder or None,
            timeout=patience,
        )
    if _core.is_tuning():
        return _Tuned(**player.options)
    if player.tunables:
        raise BadArena(f"player {player.name!r} has tunables: they need the tuning build")
    return Engine(**player.options)


def _engine(place: int, definition: Definition) -> AnyEngine:
    """The engine of a player. Raises EngineDied if its program does not start."""
    player = definition.players[place]
    key = place, player.key
    engine = _engines.pop(key, None)
    if engine is None:
        while len(_engines) >= _MAX_ENGINES:
            _close(next(iter(_engines)))
        engine = _make(player, definition.patience)
    _engines[key] = engine
    return engine


def _close(key: tuple[int, str]) -> None:
    engine = _engines.pop(key, None)
    if engine is not None:
        with suppress(TengenError, OSError):  # it may be a broken one
            engine.close()


def play_game(task: GameTask, notes: Notes) -> MatchGame:
    """Play a game. Raises only for errors outside of the game, as a build without tunables."""
    definition, scheduled = task.definition, task.scheduled
    board = _board(task)
    seats = []
    for place in (scheduled.black, scheduled.white):
        state = (place, scheduled.black, scheduled.white, len(task.moves), *_places(board))
        notes.write(*state)
        try:
            seats.append(_seat(place, task))
        except EngineDied as error:
            fault = fault_of(error)
            return forfeited_game(task, fault.reason, str(fault), state)
    referee = Referee(
        scheduled,
        board,
        (seats[0], seats[1]),
        notes,
        adjudicates=definition.adjudicates(scheduled.black, scheduled.white),
        swap2=definition.openings == "swap2",
    )
    game = referee.play()
    for seat in seats:
        player = definition.players[seat.player]
        if seat is referee.at_fault or player.restart:
            _close((seat.player, player.key))
    return game


def _seat(place: int, task: GameTask) -> Seat:
    definition = task.definition
    player = definition.players[place]
    engine = _engine(place, definition)
    if player.preset == "random":
        own = int(player.options.get("seed", definition.seed))
        seed = (own * 1_000_003 + task.scheduled.number) % 2**31
        engine.configure(seed=seed ^ 1)  # only a change of the seed restarts it
        engine.configure(seed=seed)
    with suppress(TengenError):  # the first move raises it again
        engine.prepare(_board(task), seconds=None)  # wait for the net of the player
    if isinstance(engine, _Tuned):
        engine.tunables = player.tunables
    slowest = None if player.is_ours else definition.slowest
    return Seat(place, engine, definition.control(place), definition.tolerance, slowest)


def _board(task: GameTask) -> Board:
    definition = task.definition
    board = Board(definition.size, definition.rule, move_limit=definition.max_moves or None)
    for move in task.moves:
        board.push(move)
    return board


def _places(board: Board) -> list[int]:
    return [move.to_index(board.size) for move in board.moves]


def forfeited_game(task: GameTask, reason: str, detail: str, notes: Sequence[int]) -> MatchGame:
    """A game whose process died: the player to move loses. `notes`: the progress that the referee
    recorded.
    """
    loser, black, white, opening_moves, *places = notes
    size, scheduled = task.definition.size, task.scheduled
    names = ("pass" if p < 0 else Move.from_index(p, size).name for p in places)
    return MatchGame(
        scheduled.number,
        scheduled.pair,
        black,
        white,
        -1 if task.definition.openings == "swap2" else scheduled.opening,
        opening_moves,
        tuple(names),
        Colour.WHITE if loser == black else Colour.BLACK,
        reason,
        detail,
    )
