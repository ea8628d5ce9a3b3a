# SPDX-License-Identifier: MIT
"""Playing a record through on a board, as far as it goes.

Relies on the record model and, inside the functions only, on the board; `Record.board` and `tengen
show` use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.game.errors import BadRecord, TengenError
from tengen.game.move import Move
from tengen.game.records.record import Node, Record
from tengen.game.rule import Colour, Rule

if TYPE_CHECKING:
    from tengen.game.board import Board

__all__ = ["Replay", "rebuilt", "replay"]


def rebuilt(board: Board, stones: Mapping[Move, Colour], turn: Colour) -> Board:
    """A fresh board of the same size and rule, with these stones and that side to move."""
    return type(board).from_stones(
        black=[point for point, owner in stones.items() if owner == Colour.BLACK],
        white=[point for point, owner in stones.items() if owner == Colour.WHITE],
        to_move=turn,
        size=board.size,
        rule=board.rule,
    )


@dataclass(slots=True)
class Replay:
    """A board on its way through a record; `fault` says why it could not go on from there."""

    board: Board
    # Moves played so far, passes included. The board itself forgets moves at a set-up.
    ply: int = 0
    fault: BadRecord | None = None

    def set_up(self, node: Node) -> None:
        """Apply the set-up of a node, and whose move it says is next."""
        stones = self.board.stones()
        stones.update(dict.fromkeys(node.black, Colour.BLACK))
        stones.update(dict.fromkeys(node.white, Colour.WHITE))
        for point in node.empty:
            stones.pop(point, None)
        self.board = rebuilt(self.board, stones, node.colour or self.board.turn)

    def play(self, node: Node, move: Move) -> None:
        """Play the node's move, by the colour the node names even if it is not its turn."""
        if node.colour is not None and node.colour != self.board.turn:
            # The moves so far are no longer ones that alternate.
            self.board = rebuilt(self.board, self.board.stones(), node.colour)
        self.board.push(move)
        self.ply += 1


def replay(
    record: Record,
    ply: int | None = None,
    rule: Rule | str | None = None,
    line: Sequence[Node] | None = None,
) -> Replay:
    """Play the first `ply` moves of the line (all of the main line by default).

    A move that cannot be played is no exception: it ends the replay and is its `fault`.
    """
    from tengen.game.board import Board

    nodes = record.main_line() if line is None else line
    total = sum(node.move is not None for node in nodes)
    if ply is not None and not 0 <= ply <= total:
        raise BadRecord(f"no move {ply}: the line has {total} moves", record.source)
    chosen = Rule.parse(rule) if rule is not None else record.rule or Rule.FREESTYLE
    state = Replay(Board(size=record.size, rule=chosen))
    for node in nodes:
        if node.move is not None and state.ply == ply:
            break
        try:
            if node.is_setup or (node.move is None and node.colour not in (None, state.board.turn)):
                state.set_up(node)
            if node.move is not None:
                state.play(node, node.move)
        except TengenError as error:
            state.fault = BadRecord(f"move {state.ply + 1}: {error}", record.source)
            break
    return state
