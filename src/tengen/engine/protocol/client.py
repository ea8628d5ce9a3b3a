# SPDX-License-Identifier: MIT
"""The manager's end of the Gomocup protocol, without input, output, threads or a clock.

`hello`, `prepare` and `request` return lines to send, `receive` parses a line of the engine. TURN
sends a position that is one move after the last one, BOARD any other.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from tengen.engine.info import Info
from tengen.engine.limit import Limit
from tengen.engine.protocol.search_messages import parse_info
from tengen.engine.protocol.syntax import (
    GomocupCommand,
    format_move,
    parse,
    parse_move,
    parse_point,
    quoted,
)
from tengen.engine.swap2 import Swap2Choice
from tengen.game.board import Board
from tengen.game.errors import BadNotation, BadPosition, IllegalMove
from tengen.game.move import Move
from tengen.game.rule import Colour

_UNLIMITED = 2**31 - 1  # the time left of a match without a limit, in ms
# ms per move without a time limit: eleven days.
_NO_TIME_LIMIT = 10**9
_MOVE = re.compile(r"-?\d.*,", re.ASCII)
_FACT = re.compile(r'(\w+)\s*=\s*"([^"]*)"', re.ASCII)


@dataclass(frozen=True, slots=True)
class SendLines:
    """Lines to send to the engine now."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineName:
    """The name of the engine; empty if it gave none."""

    name: str


@dataclass(frozen=True, slots=True)
class EngineReady:
    """The game has started. `lines` are to be sent now and have no reply."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineMove:
    """The engine's legal move."""

    move: Move


@dataclass(frozen=True, slots=True)
class EngineSwap2Choice:
    """The engine's choice in a swap2 opening."""

    choice: Swap2Choice


@dataclass(frozen=True, slots=True)
class IllegalReply:
    """The engine's illegal move."""

    error: IllegalMove


@dataclass(frozen=True, slots=True)
class Rejected:
    """The engine rejected the request, with its message."""

    text: str


Reply: TypeAlias = (
    SendLines
    | EngineName
    | EngineReady
    | EngineMove
    | EngineSwap2Choice
    | IllegalReply
    | Rejected
    | Info
)


class _Expects(Enum):
    NOTHING = auto()
    ABOUT = auto()
    OK = auto()
    MOVE = auto()
    CHOICE = auto()


_SEARCHES = (_Expects.MOVE, _Expects.CHOICE)
# Numbers of stones that may answer those on the board in a swap2 opening; 0: takes black.
_CHOICES = {0: (3,), 3: (0, 1, 2), 5: (0, 1)}


class ClientSession:
    """One engine, as its manager sees it. `options` are keys and values of INFO."""

    def __init__(self) -> None:
        self.options: dict[str, str] = {}
        self._expects = _Expects.NOTHING
        self._sent: tuple[str, ...] = ()  # the last lines
        self._steps: deque[tuple[_Expects, tuple[str, ...]]] = deque()
        self._size = 0  # of the engine's board; 0: none
        self._known: list[Move] | None = []  # the moves that the engine knows; None: to be reset
        self._infos: dict[str, str] = {}  # the values of INFO that were sent
        self._board = Board()
        self._match = 0  # the longest match clock of this game, ms
        self._stopped = False

    def hello(self) -> tuple[str, ...]:
        """The first lines to send; `EngineName` is the reply."""
        self._expects = _Expects.ABOUT
        return ("ABOUT",)

    def new_game(self) -> None:
        """The next position belongs to another game."""
        self._known, self._match = None, 0

    def prepare(self, board: Board) -> tuple[str, ...]:
        """The first lines to send to start a game on such a board before its first request;
        `EngineReady` is the last reply. Empty: it has started.
        """
        self._board = board.copy()
        self._steps.clear()
        self._add_start()
        return self._next_step() if self._steps else ()

    def request(self, board: Board, limit: Limit, *, swap2: bool = False) -> tuple[str, ...]:
        """The first lines to send to request a move, or a choice in a swap2 opening. Raises
        BadPosition if the protocol cannot express the position.
        """
        self._board, self._stopped = board.copy(), False
        if swap2 and len(board.stones()) not in _CHOICES:
            raise BadPosition(f"swap2 with {len(board.stones())} stones: expected 0, 3 or 5")
        self._position_lines()  # may raise, so before any change
        self._steps.clear()
        self._add_start()
        infos = self._changed(self._limit_infos(limit) | self._game_infos())
        if swap2:
            lines = ["SWAP2BOARD", *(move.gomocup for move in board.moves), "DONE"]
            self._steps.append((_Expects.CHOICE, (*infos, *lines)))
        else:
            self._steps.append((_Expects.MOVE, (*infos, *self._position_lines())))
        self._known = None  # until the move comes
        return self._next_step()

    def stop(self) -> tuple[str, ...]:
        """The lines that request the move now; empty if none is due."""
        if self._expects not in _SEARCHES or self._stopped:
            return ()
        self._stopped = True
        return ("STOP",)

    def receive(self, line: str) -> Reply | None:
        """The meaning of a line of the engine; None if it has none."""
        command = parse(line)
        if command is None or command.verb == "DEBUG":
            return None
        if command.verb == "MESSAGE":
            thinks = self._expects in _SEARCHES
            return parse_info(command.rest, self._board) if thinks else None
        if self._expects is _Expects.ABOUT:
            return self._on_about(command)
        if self._expects is _Expects.OK:
            return self._on_ok(command)
        if self._expects is _Expects.MOVE:
            return self._on_move(command)
        if self._expects is _Expects.CHOICE:
            return self._on_choice(command)
        return None

    # --- replies ---

    def _on_about(self, command: GomocupCommand) -> Reply | None:
        facts = dict(_FACT.findall(command.text))
        facts = {key.lower(): value for key, value in facts.items()}
        if "NAME" not in command.text.upper() and command.verb not in ("ERROR", "UNKNOWN"):
            return None
        self._expects = _Expects.NOTHING
        return EngineName(f"{facts.get('name', '')} {facts.get('version', '')}".strip())

    def _on_ok(self, command: GomocupCommand) -> Reply | None:
        if command.verb == "OK" and self._steps:
            return SendLines(self._next_step())
        if command.verb == "OK":
            self._expects = _Expects.NOTHING
            return EngineReady(tuple(self._changed(self._game_infos())))
        if command.verb not in ("ERROR", "UNKNOWN"):
            return None
        if self._sent == ("RESTART",):  # not every engine supports it
            self._sent = (f"START {self._size}",)
            return SendLines(self._sent)
        self._expects, self._size = _Expects.NOTHING, 0
        return Rejected(f"{self._sent[0]}: {quoted(command.text)}")

    def _on_move(self, command: GomocupCommand) -> Reply | None:
        if command.verb == "SUGGEST":
            return SendLines((f"PLAY {quoted(command.rest)}",))
        if command.verb in ("ERROR", "UNKNOWN"):
            # Some engines complain about INFO, which has no answer, and not all support STOP.
            if "INFO" in command.rest.upper() or self._stopped:
                return None
            self._expects = _Expects.NOTHING
            return Rejected(quoted(command.text))
        if not _MOVE.match(command.text):
            return None
        self._expects = _Expects.NOTHING
        try:
            move = self._board.push(parse_move(command.text, self._size))
        except (IllegalMove, BadNotation) as error:
            return _illegal(error)
        self._known = _plain_moves(self._board)
        return EngineMove(move)

    def _on_choice(self, command: GomocupCommand) -> Reply | None:
        if command.verb in ("ERROR", "UNKNOWN"):
            if "INFO" in command.rest.upper():
                return None
            self._expects = _Expects.NOTHING
            return Rejected(quoted(command.text))
        words = command.text.split()
        if command.verb != "SWAP" and not all(word[0].isdigit() and "," in word for word in words):
            return None
        self._expects = _Expects.NOTHING
        stones = [] if command.verb == "SWAP" else words
        if len(stones) not in _CHOICES[len(self._board.stones())]:
            return IllegalReply(IllegalMove(f"{len(stones)} stones in a swap2 opening"))
        try:
            moves = [self._board.push(parse_point(word, self._size)) for word in stones]
        except (IllegalMove, BadNotation) as error:
            return _illegal(error)
        return EngineSwap2Choice(Swap2Choice(tuple(moves)))

    # --- requests ---

    def _add_start(self) -> None:
        """Add the start of a game on the board, if it needs one."""
        if self._board.size != self._size:
            self._size, self._infos, self._known = self._board.size, {}, []
            self._steps.append((_Expects.OK, (f"START {self._size}",)))
        elif self._known != [] and not self._is_next():
            self._known = []
            self._steps.append((_Expects.OK, ("RESTART",)))

    def _next_step(self) -> tuple[str, ...]:
        self._expects, self._sent = self._steps.popleft()
        return self._sent

    def _is_next(self) -> bool:
        """Whether the board is one move after what the engine knows."""
        moves = _plain_moves(self._board)
        return moves is not None and moves != [] and moves[:-1] == self._known

    def _position_lines(self) -> list[str]:
        if self._is_next():
            return [f"TURN {format_move(self._board.peek())}"]
        if not self._board.stones():
            return ["BEGIN"]
        return ["BOARD", *_stone_lines(self._board), "DONE"]

    def _game_infos(self) -> dict[str, str | int]:
        return {"game_type": 1, "rule": self._board.rule.gomocup, **self.options}

    def _limit_infos(self, limit: Limit) -> dict[str, str | int]:
        clock = None if limit.clock is None else max(1, round(limit.clock * 1000))
        turn = clock or _NO_TIME_LIMIT if limit.time is None else max(1, round(limit.time * 1000))
        self._match = max(self._match, clock or 0)
        extensions = {
            "time_increment": round(limit.increment * 1000),
            "max_depth": limit.depth or 0,
            "max_node": limit.nodes or 0,
        }
        return {
            "timeout_turn": turn,
            "timeout_match": self._match if clock else 0,
            "time_left": clock or _UNLIMITED,
            **{k: v for k, v in extensions.items() if v or k in self._infos},
        }

    def _changed(self, infos: Mapping[str, str | int]) -> list[str]:
        """The INFO lines of those that the engine does not know."""
        changed = {k: str(v) for k, v in infos.items() if self._infos.get(k) != str(v)}
        self._infos |= changed
        return [f"INFO {key} {value}" for key, value in changed.items()]


def _illegal(error: IllegalMove | BadNotation) -> IllegalReply:
    return IllegalReply(error if isinstance(error, IllegalMove) else IllegalMove(str(error)))


def _plain_moves(board: Board) -> list[Move] | None:
    """The moves that led from an empty board to this one; None if stones were set up."""
    moves = board.moves
    return moves if len(moves) - moves.count(Move.PASS) == len(board.stones()) else None


def _stone_lines(board: Board) -> list[str]:
    """The stones as lines of BOARD, in the order of play as far as it is known."""
    stones: Mapping[Move, Colour] = board.stones()
    played = [move for move in board.moves if not move.is_pass]
    order = [*(move for move in stones if move not in set(played)), *played]
    ahead = sum(1 if colour is Colour.BLACK else -1 for colour in stones.values())
    if ahead != (0 if board.turn is Colour.BLACK else 1):
        message = f"{board.turn} to move, black {ahead:+d} stones"
        raise BadPosition(f"{message}: in the Gomocup protocol colours take turns")
    return [f"{move.gomocup},{1 if stones[move] is board.turn else 2}" for move in order]
