# SPDX-License-Identifier: MIT
"""The stones between BOARD or SWAP2BOARD and DONE. A fault is told at the end, once, so that a
manager that sends whole blocks gets one answer to each. The server session relies on it.
"""

from __future__ import annotations

from tengen.engine.protocol.gomocup import parse_point, parse_stone
from tengen.game.errors import BadPosition, TengenError
from tengen.game.move import Move

__all__ = ["Block"]

_OWN, _OPPONENT, _WON_LINE = 1, 2, 3


class Block:
    """The lines of a block so far. `size` is that of the board; 0 if there is none."""

    def __init__(self, verb: str, size: int) -> None:
        self.verb = verb
        self.own: list[Move] = []
        self.others: list[Move] = []
        self.stones: list[Move] = []  # all, in their order
        self._seen: set[Move] = set()
        self._size = size
        self._fault = "" if size else "there is no board yet: send START first"

    def refuse(self, fault: str) -> None:
        """Note what is wrong; the first fault is the one to be told."""
        self._fault = self._fault or fault

    def add(self, line: str) -> None:
        """A line with a stone: `x,y,who` of BOARD, `x,y` of SWAP2BOARD."""
        if self._fault:
            return
        try:
            move, who = self._read(line)
        except TengenError as error:
            self.refuse(str(error))
            return
        if move in self._seen:
            self.refuse(f"{move.gomocup} is given twice")
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
