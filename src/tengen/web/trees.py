# SPDX-License-Identifier: MIT
"""Records as trees for the page, and trees of the page as records. Relies on the record readers
and writers and on the board.
"""

from __future__ import annotations

from typing import Literal

from tengen.game import records
from tengen.game.board import Board
from tengen.game.errors import BadRecord, TengenError
from tengen.game.records import Node, Record
from tengen.game.rule import Colour, Rule
from tengen.web import asks, tells
from tengen.web.positions import colour_name, start_of
from tengen.web.shapes import Position, Setup

__all__ = ["loaded", "saved"]

_MOST_NODES = 20_000
_LONGEST_COMMENT = 4000


def loaded(ask: asks.Load) -> tells.LoadedRecord:
    """The first game of a text. Raises BadRecord."""
    source = ask.name or "the text"
    games = records.loads(ask.text, source=source) if ask.text.strip() else []
    if not games:
        raise BadRecord("there is no game in it", source)
    game = games[0]
    rule = game.rule or Rule.parse(ask.rule or "freestyle")
    root = game.root
    notes: list[tells.RecordNote] = []
    board = Board(game.size, rule)
    setup = None
    if root.is_setup or (root.move is None and root.colour is Colour.WHITE):
        board = Board.from_stones(root.black, root.white, root.colour, game.size, rule)
        setup = Setup(
            black=[point.name for point in root.black],
            white=[point.name for point in root.white],
            turn=colour_name(board.turn),
        )
    if len(games) > 1:
        notes.append(_note("games", len(games), f"The first of {len(games)} games is shown."))
    if game.rule is None:
        notes.append(_note("rule", 0, f"The record names no rule; it is read as {rule}."))
    nodes = _flat(game, board, notes)
    return tells.LoadedRecord(
        type="record",
        id=ask.id,
        position=Position.model_validate(
            {"rule": str(rule), "size": game.size, "setup": setup, "moves": []}
        ),
        nodes=nodes,
        black=game.black,
        white=game.white,
        result=game.result_text(),
        event=game.event,
        date=game.date,
        games=len(games),
        notes=notes,
    )


def _flat(game: Record, start: Board, notes: list[tells.RecordNote]) -> list[tells.RecordNode]:
    """The nodes that can be played, parents first, the main line first."""
    found: list[tells.RecordNode] = []
    first: list[Node] = [game.root] if game.root.move is not None else game.root.children
    waiting = [(node, -1, start.copy()) for node in reversed(first)]
    while waiting:
        node, parent, board = waiting.pop()
        if len(found) >= _MOST_NODES:
            words = f"Only the first {_MOST_NODES:,} moves are shown."
            notes.append(_note("most", _MOST_NODES, words))
            break
        place, after = parent, board
        if node.move is not None:
            fault = _play(node, after := board.copy())
            if fault:
                words = f"Move {board.ply + 1}: {fault}; the line ends there."
                notes.append(_note("move", board.ply + 1, words))
                continue
            place = len(found)
            found.append(
                tells.RecordNode(
                    parent=parent, move=node.move.name, comment=node.comment[:_LONGEST_COMMENT]
                )
            )
        elif node.is_setup:
            words = f"After move {board.ply} the record sets up stones; the line ends there."
            notes.append(_note("setup", board.ply, words))
            continue
        waiting.extend((child, place, after) for child in reversed(node.children))
    del notes[8:]
    return found


def _note(
    code: Literal["rule", "games", "most", "move", "setup"], number: int, words: str
) -> tells.RecordNote:
    return tells.RecordNote(code=code, number=number, words=words)


def _play(node: Node, board: Board) -> str:
    """Play the node's move; why not, in words."""
    assert node.move is not None
    if node.is_setup:
        return "it comes with a set-up"
    if node.colour not in (None, board.turn):
        return f"{node.colour} moves out of turn"
    try:
        board.push(node.move)
    except TengenError as error:
        return str(error)
    return ""


def saved(ask: asks.SaveRecord) -> str:
    """A tree of the page as the text of a file. Raises BadRecord, IllegalMove."""
    start = start_of(ask.position)
    record = Record.from_board(start)
    record.black, record.white = ask.black, ask.white
    record.result, record.event = ask.result, ask.event
    nodes: list[tuple[Node, Board]] = []
    for number, entry in enumerate(ask.nodes):
        if entry.parent >= number:
            raise BadRecord(f"node {number} comes before its parent {entry.parent}", "<page>")
        parent, board = nodes[entry.parent] if entry.parent >= 0 else (record.root, start)
        after = board.copy()
        move = after.push(entry.move)
        node = Node(move, board.turn, entry.comment)
        parent.children.append(node)
        nodes.append((node, after))
    return records.dumps(record, ask.format, lossy=ask.format == "psq")
