# SPDX-License-Identifier: MIT
"""The stones of a game as a manager tells them. Black begins and colours take turns, so a stone's
colour follows from their number; who of them the engine is, it need not know.

The manager is the referee: a point that is forbidden to black in renju is taken all the same.
Relies on `Board`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from tengen.game.board import Board
from tengen.game.errors import BadPosition, ForbiddenMove, GameOver, IllegalMove
from tengen.game.move import Move
from tengen.game.rule import Colour, Rule

__all__ = ["Position"]


class Position:
    """A board that also takes stones which the rules would not allow."""

    def __init__(self, size: int, rule: Rule) -> None:
        self.board = Board(size, rule)
        self._stones: dict[Move, Colour] = {}  # in the order in which they were told

    @classmethod
    def from_owners(
        cls, size: int, rule: Rule, own: Sequence[Move], others: Sequence[Move]
    ) -> Self:
        """The position of a BOARD command, own side to move: it is black if both have as many
        stones, white if the opponent has one more. Raises BadPosition for other numbers.
        """
        if len(others) - len(own) not in (0, 1):
            words = f"{len(own)} own stones and {len(others)} of the opponent"
            raise BadPosition(f"{words}: he must have as many, or one more")
        firsts, seconds = (others, own) if len(others) > len(own) else (own, others)
        return cls._of(size, rule, firsts, seconds)

    @classmethod
    def from_order(cls, size: int, rule: Rule, stones: Sequence[Move]) -> Self:
        """The position after these stones, black's first."""
        return cls._of(size, rule, stones[::2], stones[1::2])

    @classmethod
    def _of(cls, size: int, rule: Rule, blacks: Sequence[Move], whites: Sequence[Move]) -> Self:
        found = cls(size, rule)
        for number in range(len(blacks) + len(whites)):
            move = (whites if number % 2 else blacks)[number // 2]
            if move in found._stones:
                raise BadPosition(f"{move.gomocup} is given twice")
            found._stones[move] = Colour(1 + number % 2)
        found._rebuild(rule)
        return found

    @property
    def is_empty(self) -> bool:
        return not self._stones

    def check_going_on(self) -> None:
        """Raises GameOver if the game has ended."""
        if outcome := self.board.outcome():
            raise GameOver(f"the game is over: {outcome}")

    def put(self, move: Move) -> str | None:
        """Put a stone for the side to move. Returns a remark if the rules would not allow it.
        Raises IllegalMove or GameOver.
        """
        self.check_going_on()
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
        """Go on under this rule."""
        if rule is not self.board.rule:
            self._rebuild(rule)

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.board = self.board.copy()
        twin._stones = dict(self._stones)
        return twin

    def _rebuild(self, rule: Rule) -> None:
        """Play the stones in turn, so that the board knows its moves; or, where the rules are in
        the way, set them up.
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
