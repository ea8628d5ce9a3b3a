# SPDX-License-Identifier: MIT
"""`RecordedGame`: a game in progress on a record, with undo, redo and saving.

Keeps what a file brought (names, comments, variations) and inserts the moves made here before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tengen.game import records
from tengen.game.board import Board
from tengen.game.errors import BadRecord, GameOver
from tengen.game.move import Move
from tengen.game.records.record import RESULTS, Node, Record
from tengen.game.records.text import one_line, unescape
from tengen.game.rule import Colour, Rule


class RecordedGame:
    """A position in a record.

    Moves made here are the record's main line while they stand on the board: a move that is taken
    back leaves the tree, and can be redone. Nodes of a file are never removed.
    """

    def __init__(self, record: Record, rule: Rule) -> None:
        if record.root.move is not None:  # even the first move needs a node before it
            record = replace(record, root=_split_root(record.root))
        self.rule = rule
        self.notes: list[str] = []  # remarks on the file, for the players
        self.file_rule: Rule | None = None  # the rule that the file names
        self.games = 1  # games in the file; this is the first
        self.players: dict[Colour, str] = {}  # names, where the file has none
        self.resigned: Colour | None = None  # the side that resigned
        self._record = record
        self._line = record.main_line()  # from the root to the current node
        self._undone: list[Node] = []  # for `redo`, the next node last
        # That many leading nodes of line and undone together belong to the file.
        self._file_nodes = len(self._line)
        self._saved_rule: Rule | None = rule  # None: keep the text of the file
        self._cut_at_fault()
        self.board = self._replayed()

    @classmethod
    def new(cls, rule: Rule, size: int) -> RecordedGame:
        return cls(Record(size=size, rule=rule), rule)

    @classmethod
    def load(cls, path: Path, rule: Rule | None = None) -> RecordedGame:
        """The first game of a file, by `rule`, else the file's own, else freestyle."""
        games = records.read(path)
        if not games:
            raise BadRecord("no game in this file", str(path))
        record = games[0]
        game = cls(record, rule or record.rule or Rule.FREESTYLE)
        game.file_rule = record.rule
        game.games = len(games)
        if rule is None and record.rule is None:
            note = "The file does not name its rule"
            if named := record.root.properties.get("RU", [""])[0]:
                game._saved_rule = None
                note = f"The file names an unknown rule, {one_line(unescape(named)):.40}"
            game.notes.append(f"{note}: playing {game.rule}.")
        if len(games) > 1:
            game.notes.append(f"The file has {len(games)} games: this is the first.")
        return game

    @property
    def moves(self) -> list[Move]:
        """The moves up to the current position, passes included."""
        return [node.move for node in self._line if node.move is not None]

    @property
    def movers(self) -> list[Colour]:
        """The side that made each of the moves. In a file sides need not alternate."""
        colours = [node.colour for node in self._line if node.move is not None]
        return [colour or Colour(1 + number % 2) for number, colour in enumerate(colours)]

    @property
    def is_over(self) -> bool:
        return self.resigned is not None or self.board.is_over()

    def comment(self) -> str:
        """The file's comment on the position."""
        return self._line[-1].comment

    def can_redo(self) -> int:
        """How many moves `redo` can play."""
        return sum(node.move is not None for node in self._undone)

    def play(self, move: Move, time_ms: int | None = None) -> None:
        """Play a move that took `time_ms`. Raises what `Board.push` raises, and then nothing has
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
        self._file_nodes = min(self._file_nodes, len(self._line))
        self._enter(Node(move, colour, time_ms=time_ms))

    def resign(self, colour: Colour) -> None:
        """End the game by resignation. `undo`, even of no move, takes that back."""
        if self.is_over:
            raise GameOver("the game is over already")
        self.resigned = colour

    def undo(self, count: int) -> None:
        """Take back `count` moves, at most as many as `moves` has."""
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
        """Write the game, whole or not at all; the extension chooses the format.

        Returns a description of each thing that the format cannot hold.
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
            record.set_result(f"{record.result}Resign")
        format = records.format_of(str(path))
        lost = records.losses(record, format)
        records.write([record], path, format, lossy=bool(lost))
        return lost

    def _follow(self, node: Node) -> None:
        """Move on to a node that the tree or the redo list already has."""
        if self._undone and self._undone[-1] is node:
            self._undone.pop()
            self._enter(node)
            return
        self._line.append(node)
        ahead = Record(root=node).main_line()[1:]
        self._undone = ahead[::-1]
        self._file_nodes = len(self._line) + len(ahead)

    def _enter(self, node: Node) -> Node:
        if len(self._line) >= self._file_nodes:
            self._line[-1].children.insert(0, node)
        self._line.append(node)
        return node

    def _leave(self) -> Node:
        node = self._line.pop()
        if len(self._line) >= self._file_nodes:
            del self._line[-1].children[0]
        self._undone.append(node)
        return node

    def _replayed(self) -> Board:
        """The board at the end of the line, with the side to move that moves next in the file.

        `BadRecord` if the line breaks a rule.
        """
        board = self._record.board(None, self.rule, self._line)
        following = next((node for node in reversed(self._undone) if node.move is not None), None)
        if following is None or following.colour in (None, board.turn):
            return board
        return board.with_stones(board.stones(), following.colour)

    def _cut_at_fault(self) -> None:
        """Cut a file's line before the first move that breaks a rule."""
        state = self._record.replay(None, self.rule, self._line)
        if state.fault is not None:
            self.notes.append(f"The game was not played to its end. {state.fault}")
            self._line = _first_moves(self._line, state.ply)
            self._file_nodes = len(self._line)

    def _result(self) -> str:
        """The result for the record: the file's own, unless moves were added."""
        if self.resigned is not None:
            return RESULTS[self.resigned.other]
        if outcome := self.board.outcome():
            return RESULTS[outcome.winner]
        return "" if len(self._line) > self._file_nodes else self._record.result


def _split_root(root: Node) -> Node:
    """A root without a move, followed by the root's move as its only child."""
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
