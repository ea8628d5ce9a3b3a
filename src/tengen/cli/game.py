# SPDX-License-Identifier: MIT
"""A game record that is being played: where in its tree we stand, what was taken back, its file.

Keeps what a file brought (names, comments, variations) and adds the moves made here in front of it.
Relies on the board and the records; the terminal's `Table` relies on it. No printing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tengen.game import records
from tengen.game.board import Board
from tengen.game.errors import BadRecord, GameOver
from tengen.game.move import Move
from tengen.game.records.record import Node, Record
from tengen.game.records.replay import rebuilt, replay
from tengen.game.records.text import one_line, unescape
from tengen.game.rule import Colour, Rule

__all__ = ["Game"]


class Game:
    """A position in a record.

    Moves made here are the record's main line for as long as they stand on the board: a move that
    is taken back leaves the tree (and can be redone). Nodes of a file are never removed.
    """

    def __init__(self, record: Record, rule: Rule) -> None:
        if record.root.move is not None:  # even the first move needs a node before it
            record = replace(record, root=_parted(record.root))
        self.rule = rule
        self.notes: list[str] = []  # what the players should know of the file
        self.file_rule: Rule | None = None  # the rule that the file names
        self.games = 1  # how many games the file has; this is the first
        self.players: dict[Colour, str] = {}  # names, where the file has none
        self.resigned: Colour | None = None  # who gave the game up
        self._record = record
        self._line = record.main_line()  # from the root to where we stand
        self._undone: list[Node] = []  # what `redo` plays next, the next one last
        self._from_file = len(self._line)  # leading nodes of line and undone that are the file's
        self._saved_rule: Rule | None = rule  # none, where the file's own words are to stay
        self._cut()
        self.board = self._replayed()

    @classmethod
    def new(cls, rule: Rule, size: int) -> Game:
        return cls(Record(size=size, rule=rule), rule)

    @classmethod
    def load(cls, path: Path, rule: Rule | None = None) -> Game:
        """The first game of a file, by `rule`, else the file's own, else freestyle."""
        found = records.read(path)
        if not found:
            raise BadRecord("no game in this file", str(path))
        record = found[0]
        game = cls(record, rule or record.rule or Rule.FREESTYLE)
        game.file_rule = record.rule
        game.games = len(found)
        named = record.root.properties.get("RU", [""])[0]
        if rule is None and record.rule is None and named:
            game._saved_rule = None
            words = f"The file names a rule that is not known, {one_line(unescape(named)):.40}"
            game.notes.append(f"{words}: {game.rule} is taken.")
        elif rule is None and record.rule is None:
            game.notes.append(f"The file does not name its rule: {game.rule} is taken.")
        if len(found) > 1:
            game.notes.append(f"The file has {len(found)} games: this is the first.")
        return game

    @property
    def moves(self) -> list[Move]:
        """The moves up to where we stand, passes included."""
        return [node.move for node in self._line if node.move is not None]

    @property
    def mover(self) -> Colour:
        """Who made the last move: in a file, not always the other side than the one to move."""
        last = next((node for node in reversed(self._line) if node.move is not None), None)
        return self.board.turn.other if last is None or last.colour is None else last.colour

    @property
    def movers(self) -> list[Colour]:
        """Who made each of the moves."""
        found = [node.colour for node in self._line if node.move is not None]
        return [colour or Colour(1 + number % 2) for number, colour in enumerate(found)]

    @property
    def is_over(self) -> bool:
        return self.resigned is not None or self.board.is_over()

    def comment(self) -> str:
        """What the file says about the position."""
        return self._line[-1].comment

    def can_redo(self) -> int:
        """How many moves `redo` could play."""
        return sum(node.move is not None for node in self._undone)

    def play(self, move: Move, time_ms: int | None = None) -> None:
        """Play a move, which took so long; raises what `Board.push` raises, and then nothing has
        changed.
        """
        if self.resigned is not None:
            raise GameOver(f"{move}: the game is over, {self.resigned} resigned")
        colour = self.board.turn
        self.board.push(move)
        for node in self._undone[-1:] + self._line[-1].children:
            if node.move == move and node.colour in (None, colour):
                self._follow(node)
                return
        self._undone.clear()
        self._from_file = min(self._from_file, len(self._line))
        self._enter(Node(move, colour, time_ms=time_ms))

    def resign(self, colour: Colour) -> None:
        """Give the game up. `undo`, even of no move, takes that back."""
        if self.is_over:
            raise GameOver("the game is over already")
        self.resigned = colour

    def undo(self, count: int) -> None:
        """Take back `count` moves, at most as many as `moves()` has."""
        self.resigned = None
        for _ in range(count):
            while self._leave().move is None:
                pass
        self.board = self._replayed()

    def redo(self, count: int) -> None:
        """Play `count` undone moves again, at most as many as `can_redo` says.

        `BadRecord` if a file's move among them cannot be played, and then nothing has changed.
        """
        before = len(self._line)
        for _ in range(count):
            while self._enter(self._undone.pop()).move is None:
                pass
        try:
            self.board = self._replayed()
        except BadRecord:
            while len(self._line) > before:
                self._leave()
            raise

    def save(self, path: Path) -> list[str]:
        """Write the game, whole or not at all; the ending of the name chooses the format.

        Returns what such a file cannot hold, in words.
        """
        record = replace(
            self._record,
            rule=self._saved_rule,
            black=self._record.black or self.players.get(Colour.BLACK, ""),
            white=self._record.white or self.players.get(Colour.WHITE, ""),
            result=self._result(),
        )
        if self.resigned is not None:
            record.root = replace(record.root, properties=dict(record.root.properties))
            record.take_result(f"{record.result}Resign")
        format = records.format_of(str(path))
        lost = records.losses(record, format)
        records.write([record], path, format, lossy=bool(lost))
        return lost

    def _follow(self, node: Node) -> None:
        """Go on to a node that the tree (or the redo list) already has."""
        if self._undone and self._undone[-1] is node:
            self._undone.pop()
            self._enter(node)
            return
        self._line.append(node)
        ahead = Record(root=node).main_line()[1:]
        self._undone = ahead[::-1]
        self._from_file = len(self._line) + len(ahead)

    def _enter(self, node: Node) -> Node:
        if len(self._line) >= self._from_file:
            self._line[-1].children.insert(0, node)
        self._line.append(node)
        return node

    def _leave(self) -> Node:
        node = self._line.pop()
        if len(self._line) >= self._from_file:
            del self._line[-1].children[0]
        self._undone.append(node)
        return node

    def _replayed(self) -> Board:
        """The board at the end of the line; `BadRecord` if that breaks a rule."""
        state = replay(self._record, None, self.rule, self._line)
        if state.fault is not None:
            raise state.fault
        return self._for_the_next(state.board)

    def _cut(self) -> None:
        """Cut a file's line that breaks a rule before the fault."""
        state = replay(self._record, None, self.rule, self._line)
        if state.fault is not None:
            self.notes.append(f"The game was not played to its end. {state.fault}")
            self._line = _first_moves(self._line, state.ply)
            self._from_file = len(self._line)

    def _for_the_next(self, board: Board) -> Board:
        """The board with that side to move which, in the file, moves next."""
        following = next((node for node in reversed(self._undone) if node.move is not None), None)
        if following is None or following.colour in (None, board.turn):
            return board
        return rebuilt(board, board.stones(), following.colour)

    def _result(self) -> str:
        """The result for the record: the file's own, unless the game has gone on from there."""
        outcome = self.board.outcome()
        if self.resigned is not None:
            return "W+" if self.resigned is Colour.BLACK else "B+"
        if outcome is not None:
            if outcome.winner is None:
                return "Draw"
            return "B+" if outcome.winner == Colour.BLACK else "W+"
        return "" if len(self._line) > self._from_file else self._record.result


def _parted(root: Node) -> Node:
    """A root that has a move, in two: what is before the move, and the move."""
    first = Node(root.move, root.colour, root.comment, root.children, time_ms=root.time_ms)
    return replace(root, move=None, colour=None, comment="", children=[first], time_ms=None)


def _first_moves(line: Sequence[Node], count: int) -> list[Node]:
    """The line up to its move number `count`, or its root alone."""
    end, seen = 1, 0
    for index, node in enumerate(line):
        seen += node.move is not None
        if node.move is not None and seen <= count:
            end = index + 1
    return list(line[:end])
