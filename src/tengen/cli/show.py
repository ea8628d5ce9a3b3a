# SPDX-License-Identifier: MIT
"""`tengen show`: a game record on the terminal, as an SVG file, or as JSON."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from typing import Any

from tengen.cli.common import (
    add_options,
    add_record_options,
    add_rule,
    check_new,
    log,
    pick_game,
    printable,
)
from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.records.record import Node, Record, RecordReplay
from tengen.game.rule import Colour

MOVES_PER_ROW = 8
# Nested variations are indented up to this depth.
MAX_INDENT = 10
INDENT = "    "
_HEADER_FIELDS = ("black", "white", "date", "event", "result")

_CHOICE = re.compile(r"(\d{1,6})\.(\d{1,6})", re.ASCII)
_EXAMPLES = """\
examples:
  tengen show game.sgf                      the final position, all moves, comments, variations
  tengen show game.sgf --move 12            the position after move 12
  tengen show games.sgf --game 3            the third game of a collection
  tengen show game.sgf --variation 7.2      the line with the second choice at move 7
  tengen show game.psq --rule renju         by a rule that the file does not name
  tengen show openings.txt --size 20        Gomocup openings, which do not state the board size
  tengen show game.sgf --svg board.svg      write the position as an SVG file
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "file", metavar="FILE", help="a record: sgf, psq, a plain move list, openings"
    )
    add_rule(parser, "replay by this rule instead of the record's")
    add_record_options(parser)
    add_options(
        parser,
        ("--game N", "which game of the file", int, 1),
        ("--move N", "show the board after move N", int),
        ("--variation PATH", "moves and choices, as 7.2 or 7.2,11.3 (1: main line)"),
        ("--svg OUT.svg", "also write the board as an SVG file"),
        ("--overwrite", "let --svg replace a file"),
        ("--json", "print one JSON object instead"),
    )


def run(args: argparse.Namespace) -> int:
    games = records.read(args.file, args.source_format, args.size)
    record = pick_game(games, args.game, args.file)
    line = record.line(_choices(args.variation, args.file))
    state = record.replay(args.move, args.rule, line)
    if args.svg:
        check_new(args.svg, args.overwrite)
        records.write_text(state.board.svg(numbers=True), args.svg)
        log("tengen show", f"wrote {args.svg}")
    if args.json:
        print(json.dumps(_as_json(record, state, args.game, len(games))))
        return 0
    title = f"{args.file} ({record.format})"
    if len(games) > 1:
        title += f", game {args.game} of {len(games)}"
    print(printable(title), *_header(record, state), "", state.board, "", sep="\n")
    print(printable(_where(line, state)))
    for text in _move_list(record.root):
        print(text)
    return 0


def _choices(path: str | None, source: str) -> dict[int, int]:
    """The choices of a variation path: move number to alternative."""
    found: dict[int, int] = {}
    for part in path.split(",") if path else ():
        choice = _CHOICE.fullmatch(part.strip())
        if choice is None:
            raise BadRecord(f"no variation {part!r}: use 7.2 for the second choice at 7", source)
        found[int(choice[1])] = int(choice[2])
    return found


def _header(record: Record, state: RecordReplay) -> Iterator[str]:
    rule = str(state.board.rule) if record.rule else f"{state.board.rule} (the file names none)"
    lines = {"rule": rule, "size": str(record.size)}
    lines |= {name: getattr(record, name) for name in _HEADER_FIELDS}
    lines["result"] = record.result_text()
    for name, value in lines.items():
        if value:
            yield f"  {name:<8}{printable(value)}"


def _where(line: list[Node], state: RecordReplay) -> str:
    """Which position the board shows, and why the replay stopped there."""
    moves = [node for node in line if node.move is not None]
    text = f"after move {state.ply} of {len(moves)}"
    if state.ply:
        text += f": {moves[state.ply - 1].move} ({moves[state.ply - 1].colour})"
    if state.fault is not None:
        text += f"\nthe record cannot be replayed further: {state.fault.fault}"
    elif outcome := state.board.outcome():
        text += f"\n{outcome}"
    return text + "\n"


def _move_list(root: Node) -> Iterator[str]:
    """All moves with comments; a variation is indented and has its `--variation` path."""
    # (node, moves before it, depth, label of a variation, whether the node is printed already)
    waiting = [(root, 0, 0, "", False)]
    while waiting:
        node, number, depth, label, printed = waiting.pop()
        rows = _Rows(depth, label)
        while True:
            if not printed:
                number += node.move is not None
                yield from rows.add(node, number)
            children = node.children
            if len(children) != 1:
                break
            node, printed = children[0], False
        if children:
            after = number + (children[0].move is not None)
            yield from rows.add(children[0], after)
            waiting.append((children[0], after, depth, "", True))
            for index in range(len(children), 1, -1):
                name = f"{number + 1}.{index}"
                waiting.append((children[index - 1], number, depth + 1, name, False))
        yield from rows.flush()


class _Rows:
    """Collects the moves of one line of play into rows."""

    def __init__(self, depth: int, label: str) -> None:
        self.indent = INDENT * min(depth, MAX_INDENT)
        self.label = f"[{label}] " if label else ""
        self.row: list[str] = []

    def add(self, node: Node, number: int) -> Iterator[str]:
        if node.move is not None:
            self.row.append(f"{number:>3} {node.move!s:<4}")
        notes = [
            f"set up {name}: {' '.join(map(str, getattr(node, name)))}"
            for name in ("black", "white", "empty")
            if getattr(node, name)
        ]
        notes += node.comment.split("\n") if node.comment else []
        if notes or len(self.row) == MOVES_PER_ROW:
            yield from self.flush()
        for note in notes:
            yield f"{self.indent}      {printable(note)}".rstrip()

    def flush(self) -> Iterator[str]:
        if self.row or self.label:
            yield f"{self.indent}{self.label}{' '.join(self.row)}".rstrip()
        self.row, self.label = [], ""


def _as_json(record: Record, state: RecordReplay, game: int, games: int) -> dict[str, Any]:
    stones = state.board.stones()
    return {
        "file": record.source,
        "format": record.format,
        "game": game,
        "games": games,
        **{name: getattr(record, name) for name in ("size", "rule", *_HEADER_FIELDS)},
        "moves": [str(move) for move in record.moves],
        "shown": {
            "ply": state.ply,
            "rule": state.board.rule,
            "to_move": str(state.board.turn),
            "black": [str(point) for point, owner in stones.items() if owner == Colour.BLACK],
            "white": [str(point) for point, owner in stones.items() if owner == Colour.WHITE],
        },
        "fault": state.fault.fault if state.fault else None,
        "nodes": list(_nodes_as_json(record.root)),
    }


def _nodes_as_json(root: Node) -> Iterator[dict[str, Any]]:
    """The tree as a flat list, each node with the index of its parent: JSON nesting is limited."""
    waiting = [(-1, root)]
    index = 0
    while waiting:
        parent, node = waiting.pop()
        found: dict[str, Any] = {"parent": parent}
        if node.move is not None:
            found["move"] = str(node.move)
        if node.colour is not None:
            found["colour"] = str(node.colour)
        for name in ("black", "white", "empty"):
            if points := getattr(node, name):
                found[name] = [str(point) for point in points]
        for name in ("comment", "time_ms", "properties"):
            if (value := getattr(node, name)) not in ("", None, {}):
                found[name] = value
        yield found
        waiting.extend((index, child) for child in reversed(node.children))
        index += 1
