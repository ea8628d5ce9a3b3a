# SPDX-License-Identifier: MIT
"""Reads records into trees for the page, and writes trees of the page as records."""

from __future__ import annotations

from tengen.game import records
from tengen.game.board import Board
from tengen.game.errors import BadRecord, TengenError
from tengen.game.records import Node, Record
from tengen.game.rule import Colour, Rule
from tengen.web.conversions import colour_name, to_start_board
from tengen.web.events import RecordEvent, RecordNode, RecordNote
from tengen.web.messages import GamePosition, SetupStones
from tengen.web.requests import LoadRecordRequest, SaveRecordRequest

_MAX_NODES = 20_000
_MAX_COMMENT = 4000
_MAX_NOTES = 8


def load_record(request: LoadRecordRequest) -> RecordEvent:
    """Reads the first game of a text. Raises BadRecord."""
    source = request.name or "the text"
    games = records.loads(request.text, source=source) if request.text.strip() else []
    if not games:
        raise BadRecord("there is no game in it", source)
    game = games[0]
    rule = game.rule or Rule.parse(request.rule or "freestyle")
    root = game.root
    notes: list[RecordNote] = []
    board = Board(game.size, rule)
    setup = None
    if root.is_setup or (root.move is None and root.colour is Colour.WHITE):
        board = Board.from_stones(root.black, root.white, root.colour, game.size, rule)
        setup = SetupStones(
            black=[point.name for point in root.black],
            white=[point.name for point in root.white],
            turn=colour_name(board.turn),
        )
    if len(games) > 1:
        text = f"Showing the first of {len(games)} games."
        notes.append(RecordNote(code="games", number=len(games), text=text))
    if game.rule is None:
        text = f"The record does not name its rule; assuming {rule}."
        notes.append(RecordNote(code="rule", number=0, text=text))
    nodes = _flatten(game, board, notes)
    return RecordEvent(
        id=request.id,
        position=GamePosition.model_validate(
            {"rule": str(rule), "size": game.size, "setup": setup, "moves": []}
        ),
        nodes=nodes,
        black=game.black,
        white=game.white,
        result=game.result_text(),
        event=game.event,
        notes=notes,
    )


def _flatten(game: Record, start: Board, notes: list[RecordNote]) -> list[RecordNode]:
    """The playable nodes: parents first, main line first."""
    nodes: list[RecordNode] = []
    first: list[Node] = [game.root] if game.root.move is not None else game.root.children
    stack = [(node, -1, start.copy()) for node in reversed(first)]
    while stack:
        node, parent, board = stack.pop()
        if len(nodes) >= _MAX_NODES:
            text = f"Only the first {_MAX_NODES:,} moves are shown."
            notes.append(RecordNote(code="max_nodes", number=_MAX_NODES, text=text))
            break
        index, after = parent, board
        if node.move is not None:
            error = _play(node, after := board.copy())
            if error:
                text = f"Move {board.ply + 1}: {error}; the line ends there."
                notes.append(RecordNote(code="move", number=board.ply + 1, text=text))
                continue
            index = len(nodes)
            nodes.append(
                RecordNode(parent=parent, move=node.move.name, comment=node.comment[:_MAX_COMMENT])
            )
        elif node.is_setup:
            text = f"Stones are set up after move {board.ply}; the line ends there."
            notes.append(RecordNote(code="setup", number=board.ply, text=text))
            continue
        stack.extend((child, index, after) for child in reversed(node.children))
    del notes[_MAX_NOTES:]
    return nodes


def _play(node: Node, board: Board) -> str:
    """Plays the node's move; returns the error if it is not possible."""
    assert node.move is not None
    if node.is_setup:
        return "it is combined with a set-up"
    if node.colour not in (None, board.turn):
        return f"{node.colour} moves out of turn"
    try:
        board.push(node.move)
    except TengenError as error:
        return str(error)
    return ""


def save_record(request: SaveRecordRequest) -> str:
    """A tree of the page as SGF. Raises BadRecord, IllegalMove."""
    start = to_start_board(request.position)
    record = Record.from_board(start)
    record.black, record.white = request.black, request.white
    record.result, record.event = request.result, request.event
    nodes: list[tuple[Node, Board]] = []
    for number, entry in enumerate(request.nodes):
        if entry.parent >= number:
            raise BadRecord(f"node {number} comes before its parent {entry.parent}", "<page>")
        parent, board = nodes[entry.parent] if entry.parent >= 0 else (record.root, start)
        after = board.copy()
        move = after.push(entry.move)
        node = Node(move, board.turn, entry.comment)
        parent.children.append(node)
        nodes.append((node, after))
    return records.dumps(record, "sgf")
