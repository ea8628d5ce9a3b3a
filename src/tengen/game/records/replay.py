# SPDX-License-Identifier: MIT
"""Playing a record through on a board, as far as it goes.

Relies on the record model and, inside the functions only, on the board; `Record.board` and `tengen show`
use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.game.errors import BadRecord, TengenError
from tengen.game.move import Move
from tengen.game.records.record import Node, Record
from tengen.game.rule import Colour, Rule

if TYPE_CHECKING:
    from tengen.game.board import Board

__all__ = ["Replay", "replay"]


@dataclass(slots=True)
class Replay:
    """A board on its way through a record. `fault` is set where it could not go on; the board stands before it."""

    size: int
    rule: Rule
    board: Board
    # Moves played so far, passes included.
    ply: int = 0
    to_move: Colour = Colour.BLACK
    stones: dict[Move, Colour] = field(default_factory=dict)
    fault: BadRecord | None = None

    def points(self, colour: Colour) -> list[Move]:
        return [point for point, owner in self.stones.items() if owner == colour]

    def set_up(self, node: Node) -> None:
        """Apply the set-up of a node, and whose move it says is next."""
        stones = dict(self.stones)
        stones.update(dict.fromkeys(node.black, Colour.BLACK))
        stones.update(dict.fromkeys(node.white, Colour.WHITE))
        for point in node.empty:
            stones.pop(point, None)
        self._rebuild(stones, node.colour or self.to_move)

    def play(self, node: Node, move: Move) -> None:
        """Play the node's move, by the colour the node names even if it is not its turn."""
        if node.colour is not None and node.colour != self.to_move:
            self._rebuild(self.stones, node.colour)
        self.board.push(move)
        if not move.is_pass:
            self.stones[move] = self.to_move
        self.to_move = self.to_move.other
        self.ply += 1

    def _rebuild(self, stones: dict[Move, Colour], to_move: Colour) -> None:
        """A fresh board with these stones: the history so far is no longer one that alternates."""
        from tengen.game.board import Board

        self.board = Board.from_stones(
            black=[point for point, owner in stones.items() if owner == Colour.BLACK],
            white=[point for point, owner in stones.items() if owner == Colour.WHITE],
            to_move=to_move,
            size=self.size,
            rule=self.rule,
        )
        self.stones, self.to_move = stones, to_move


def replay(
    record: Record,
    ply: int | None = None,
    rule: Rule | str | None = None,
    line: Sequence[Node] | None = None,
) -> Replay:
    """Play the first `ply` moves of the line (all of the main line by default); never raises for a bad move."""
    from tengen.game.board import Board

    nodes = record.main_line() if line is None else line
    total = sum(node.move is not None for node in nodes)
    if ply is not None and not 0 <= ply <= total:
        raise BadRecord(f"no move {ply}: the line has {total} moves", record.source)
    chosen = Rule.parse(rule) if rule is not None else record.rule or Rule.FREESTYLE
    state = Replay(record.size, chosen, Board(size=record.size, rule=chosen))
    for node in nodes:
        if node.move is not None and state.ply == ply:
            break
        try:
            if node.is_setup or (node.move is None and node.colour not in (None, state.to_move)):
                state.set_up(node)
            if node.move is not None:
                state.play(node, node.move)
        except TengenError as error:
            where = f"move {state.ply + 1}" + (f", {node.move}" if node.move is not None else "")
            state.fault = BadRecord(f"{where}: {error}", record.source)
            break
    return state
