# SPDX-License-Identifier: MIT
"""A reviewed game as a record: verdicts as comments, better lines as variations. Relies on the
review and on the record model; `tengen review --out` and the page rely on it.
"""

from __future__ import annotations

from copy import deepcopy

from tengen.engine.review import Review, ReviewedMove, Verdict
from tengen.game.records import Node, Record
from tengen.game.rule import Colour

__all__ = ["annotated", "words_of"]

_WORDS = {
    Verdict.BEST: "best move",
    Verdict.GOOD: "good move",
    Verdict.FORCED: "forced",
    Verdict.INACCURACY: "inaccuracy",
    Verdict.MISTAKE: "mistake",
    Verdict.BLUNDER: "blunder",
    Verdict.MISSED_WIN: "missed win",
}
# SGF's own marks of bad and doubtful moves.
_MARKS = {
    Verdict.INACCURACY: ("DO", ""),
    Verdict.MISTAKE: ("BM", "1"),
    Verdict.MISSED_WIN: ("BM", "1"),
    Verdict.BLUNDER: ("BM", "2"),
}
_MARK_NAMES = ("BM", "DO", "IT", "TE")


def words_of(move: ReviewedMove) -> str:
    """What is to be said of a move, in a sentence or two."""
    rate = move.after.score.black().win_rate
    told = f"{_WORDS[move.verdict].capitalize()}. Black's win rate: {100 * rate:.0f}%."
    if move.better:
        line = " ".join(point.name for point in move.better)
        told = f"{told} It gives away {100 * move.loss:.0f}%; better was {line}."
    return told


def annotated(record: Record, review: Review) -> Record:
    """A copy of the record whose main line carries the review. Comments that are there stay."""
    found = deepcopy(record)
    nodes = [node for node in found.main_line() if node.move is not None]
    parents = {id(child): node for node in found.main_line() for child in node.children[:1]}
    for move in review.moves:
        if move.ply > len(nodes) or nodes[move.ply - 1].move != move.move:
            continue
        node = nodes[move.ply - 1]
        words = words_of(move)
        node.comment = f"{node.comment}\n{words}" if node.comment else words
        for name in _MARK_NAMES:
            node.properties.pop(name, None)
        if mark := _MARKS.get(move.verdict):
            node.properties[mark[0]] = [mark[1]]
        parent = parents.get(id(node))
        if move.better and parent is not None:
            _add_line(parent, move)
    _tell_accuracy(found, review)
    return found


def _add_line(parent: Node, move: ReviewedMove) -> None:
    """The better line as a variation, unless the record has one that begins so."""
    first, *rest = move.better
    if any(child.move == first for child in parent.children):
        return
    node = Node(first, move.colour)
    node.extend(rest, move.colour.other)
    parent.children.append(node)


def _tell_accuracy(record: Record, review: Review) -> None:
    told = [
        f"{str(colour).capitalize()}'s accuracy: {accuracy:.0f}%."
        for colour in Colour
        if (accuracy := review.accuracy(colour)) is not None
    ]
    words = " ".join(["Reviewed by Tengen.", *told])
    root = record.root
    root.comment = f"{root.comment}\n{words}" if root.comment else words
