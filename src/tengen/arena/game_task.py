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
from tengen.arena.referee import Participant, Referee, fault_of
from tengen.cluster import ProgressRecord
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

_MAX_ENGINES = 6  # that a process keeps between games; each has its own tables


@dataclass(frozen=True, slots=True)
class GameTask:
    """A game to play: its entry in the schedule, and the moves of its opening."""

    definition: Definition
    scheduled: ScheduledGame
    moves: tuple[str, ...] = ()


class _TunableEngine(Engine):
    """An engine in this process with its own values of the tunables. These are global variables of
    the process, so each search sets them first.
    """

    tunables: Mapping[str, int] = MappingProxyType({})

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        _core.set_tunables(self.tunables)
        return super().play(board, limit, ponder=ponder)


_engines: dict[tuple[int, str], AnyEngine] = {}  # by player index and player; the newest last


def _make(player: Player, response_grace: float) -> AnyEngine:
    if not player.is_builtin:
        return ProcessEngine(
            player.command,
            options=player.options,
            env=player.env or None,
            cwd=player.folder or None,
            timeout=response_grace,
        )
    if _core.is_tuning():
        return _TunableEngine(**player.options)
    if player.tunables:
        raise BadArena(f"player {player.name!r} has tunables: they need the tuning build")
    return Engine(**player.options)


def _engine(player_index: int, definition: Definition) -> AnyEngine:
    """The engine of a player. Raises EngineDied if its program does not start."""
    player = definition.players[player_index]
    key = player_index, player.key
    engine = _engines.pop(key, None)
    if engine is None:
        while len(_engines) >= _MAX_ENGINES:
            _close(next(iter(_engines)))
        engine = _make(player, definition.response_grace)
    _engines[key] = engine
    return engine


def _close(key: tuple[int, str]) -> None:
    engine = _engines.pop(key, None)
    if engine is not None:
        with suppress(TengenError, OSError):  # its process may be gone
            engine.close()


def play_game(task: GameTask, progress: ProgressRecord) -> MatchGame:
    """Play a game. An error of an engine decides the game; raises only for other errors, such as
    tunables without the tuning build.
    """
    definition, scheduled = task.definition, task.scheduled
    board = _board(task)
    participants = []
    for player_index in (scheduled.black, scheduled.white):
        opening = [move.to_index(board.size) for move in board.moves]
        state = (player_index, scheduled.black, scheduled.white, len(opening), *opening)
        progress.write(*state)
        try:
            participants.append(_participant(player_index, task))
        except EngineDied as error:
            fault = fault_of(error)
            return forfeited_game(task, fault.reason, str(fault), state)
    referee = Referee(
        scheduled,
        board,
        (participants[0], participants[1]),
        progress,
        adjudicates=definition.adjudicates(scheduled.black, scheduled.white),
        swap2=definition.openings == "swap2",
    )
    game = referee.play()
    for participant in participants:
        player = definition.players[participant.player]
        if participant is referee.at_fault or player.restart:
            _close((participant.player, player.key))
    return game


def _participant(player_index: int, task: GameTask) -> Participant:
    definition = task.definition
    player = definition.players[player_index]
    engine = _engine(player_index, definition)
    if player.preset == "random":
        base_seed = int(player.options.get("seed", definition.seed))
        seed = (base_seed * 1_000_003 + task.scheduled.number) % 2**31
        engine.configure(seed=seed ^ 1)  # only a change of the seed restarts it
        engine.configure(seed=seed)
    if isinstance(engine, _TunableEngine):
        engine.tunables = player.tunables
    return Participant(
        player_index,
        engine,
        definition.control(player_index),
        definition.tolerance,
        untimed_move_timeout=None if player.is_builtin else definition.untimed_move_timeout,
    )


def _board(task: GameTask) -> Board:
    definition = task.definition
    board = Board(definition.size, definition.rule, move_limit=definition.max_moves or None)
    for move in task.moves:
        board.push(move)
    return board


def forfeited_game(task: GameTask, reason: str, detail: str, progress: Sequence[int]) -> MatchGame:
    """The game of a worker that died, as a loss for the player to move. `progress` is what the
    referee wrote last: player to move, black, white (player indices), number of opening moves,
    points.
    """
    loser, black, white, opening_moves, *points = progress
    size, scheduled = task.definition.size, task.scheduled
    names = ("pass" if point < 0 else Move.from_index(point, size).name for point in points)
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
