# SPDX-License-Identifier: MIT
"""The position of a game as a manager sends it, and the blocks of stones that set it up. Black
starts and colours take turns, so a stone's colour follows from their number.

The manager is the referee: a point that is forbidden to black in renju is accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from tengen.engine.protocol.syntax import parse_point, parse_stone
from tengen.game.board import Board
from tengen.game.errors import BadPosition, ForbiddenMove, GameOver, IllegalMove, TengenError
from tengen.game.move import Move
from tengen.game.rule import Colour, Rule

_OWN, _OPPONENT, _WON_LINE = 1, 2, 3


class GomocupPosition:
    """A board that accepts stones which the rules do not allow."""

    def __init__(self, size: int, rule: Rule) -> None:
        self.board = Board(size, rule)
        self._stones: dict[Move, Colour] = {}  # in the order of the manager

    @classmethod
    def from_owners(
        cls, size: int, rule: Rule, own: Sequence[Move], others: Sequence[Move]
    ) -> Self:
        """The position of a BOARD command, own side to move: it is black if both have as many
        stones, white if the opponent has one more. Raises BadPosition for other numbers.
        """
        if len(others) - len(own) not in (0, 1):
            stones = f"{len(own)} own stones and {len(others)} of the opponent"
            raise BadPosition(f"{stones}: expected as many, or one more of the opponent")
        firsts, seconds = (others, own) if len(others) > len(own) else (own, others)
        return cls._of(size, rule, firsts, seconds)

    @classmethod
    def from_order(cls, size: int, rule: Rule, stones: Sequence[Move]) -> Self:
        """The position after these stones, black's first."""
        return cls._of(size, rule, stones[::2], stones[1::2])

    @classmethod
    def _of(cls, size: int, rule: Rule, blacks: Sequence[Move], whites: Sequence[Move]) -> Self:
        position = cls(size, rule)
        for number in range(len(blacks) + len(whites)):
            move = (whites if number % 2 else blacks)[number // 2]
            if move in position._stones:
                raise BadPosition(f"{move.gomocup} is given twice")
            position._stones[move] = Colour(1 + number % 2)
        position._rebuild(rule)
        return position

    @property
    def is_empty(self) -> bool:
        return not self._stones

    def require_open(self) -> None:
        """Raises GameOver if the game has ended."""
        if outcome := self.board.outcome():
            raise GameOver(f"the game is over: {outcome}")

    def put(self, move: Move) -> str | None:
        """Put a stone for the side to move, or pass. Returns a remark if the rules forbid the move.
        Raises IllegalMove or GameOver.
        """
        self.require_open()
        if move.is_pass:
            self.board.push(move)
            return None
        if move in self._stones:
            raise IllegalMove(f"{move.gomocup} is occupied")
        self._stones[move] = self.board.turn
        try:
            self.board.push(move)
        except ForbiddenMove as error:
            self._rebuild(self.board.rule)
            return f"{move.gomocup} is forbidden to black ({error.reason.replace('_', ' ')})"
        return None

    def take_back(self, move: Move) -> None:
        """Remove a stone of the side that moved last: the last one, or any that was set up.
        Raises IllegalMove.
        """
        colour = self._stones.get(move)
        if colour is None:
            raise IllegalMove(f"{move.gomocup} is empty")
        if colour is self.board.turn:
            raise IllegalMove(f"{move.gomocup} is a stone of the side to move: it was not the last")
        del self._stones[move]
        if self.board.ply and self.board.peek() == move:
            self.board.pop()
        else:
            self._rebuild(self.board.rule)

    def use(self, rule: Rule) -> None:
        """Continue under this rule."""
        if rule is not self.board.rule:
            self._rebuild(rule)

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.board = self.board.copy()
        twin._stones = dict(self._stones)
        return twin

    def _rebuild(self, rule: Rule) -> None:
        """Play the stones in turn, so that the board knows its moves; set them up if the rules do
        not allow that.
        """
        board = Board(self.board.size, rule)
        try:
            for move, colour in self._stones.items():
                if colour is not board.turn:
                    raise IllegalMove("not in turn")
                board.push(move)
        except IllegalMove:
            black, white = ([m for m, c in self._stones.items() if c is side] for side in Colour)
            board = Board.from_stones(black, white, size=board.size, rule=rule)
        self.board = board


class StoneBlock:
    """The stones between BOARD or SWAP2BOARD and DONE. `size` is that of the board, 0 without one.

    An error is reported at the end, once, so that each block has one answer.
    """

    def __init__(self, verb: str, size: int) -> None:
        self.verb = verb
        self.own: list[Move] = []
        self.others: list[Move] = []
        self.stones: list[Move] = []  # all, in order
        self._seen: set[Move] = set()
        self._size = size
        self._fault = "" if size else "there is no board yet: send START first"

    def reject(self, fault: str) -> None:
        """Note an error; the first one is reported."""
        self._fault = self._fault or fault

    def add(self, line: str) -> None:
        """A line with a stone: `x,y,who` of BOARD, `x,y` of SWAP2BOARD."""
        if self._fault:
            return
        try:
            move, who = self._read(line)
        except TengenError as error:
            self.reject(str(error))
            return
        if move in self._seen:
            self.reject(f"{move.gomocup} is given twice")
            return
        self._seen.add(move)
        self.stones.append(move)
        (self.own if who == _OWN else self.others).append(move)

    def check(self) -> None:
        """Raises BadPosition if anything was wrong."""
        if self._fault:
            raise BadPosition(self._fault)

    def _read(self, line: str) -> tuple[Move, int]:
        if self.verb != "BOARD":
            return parse_point(line, self._size), _OPPONENT
        move, who = parse_stone(line, self._size)
        if who == _WON_LINE:
            raise BadPosition("a stone of a line that has won (3): continuous games are not played")
        if who not in (_OWN, _OPPONENT):
            raise BadPosition(f"no owner {who}: 1 is an own stone, 2 the opponent's")
        return move, who
