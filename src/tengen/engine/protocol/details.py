# SPDX-License-Identifier: MIT
"""A search in words: the MESSAGE lines that tell how it goes, written and read.

Ours are `DEPTH 12-20 | EVAL +35 | NODES 81230 | SPEED 1200000 | TIME 68 | LINE 7,7 8,8`: depth and
deepest line, points or `+M9` for the side to move, nodes, nodes a second, ms, points. Other engines
write the same in similar words, and these are read too. Pure functions; relies on `info`.
"""

from __future__ import annotations

import re

from tengen.engine.info import Info
from tengen.engine.protocol.gomocup import parse_point
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.errors import BadNotation
from tengen.game.move import Move

__all__ = ["format_info", "parse_info"]

# Moves of a line that are told: as many as a window of a manager has room for.
_LONGEST_LINE = 24

_DEPTH = re.compile(r"\bdepth\b[ :=]*(\d{1,6})(?:[-/](\d{1,6}))?", re.IGNORECASE | re.ASCII)
_SCORE = re.compile(
    r"\b(?:eval|ev|score|value)\b[ :=]*([+-]?)(M?)(\d{1,9})(?:\.\d{1,9})?\b",
    re.IGNORECASE | re.ASCII,
)
_COUNT = r"[ :=]*(\d{1,18})(?:\.(\d{1,3}))?([KMG]?)\b"
_NODES = re.compile(rf"\b(?:nodes?|n)\b(?!/){_COUNT}", re.IGNORECASE | re.ASCII)
_SPEED = re.compile(rf"\b(?:speed|nps|(n/ms))\b{_COUNT}", re.IGNORECASE | re.ASCII)
_TIME = re.compile(
    r"\b(?:time|tm)\b[ :=]*(\d{1,12}(?:\.\d{1,6})?) ?(ms|s)?\b", re.IGNORECASE | re.ASCII
)
_LINE = re.compile(r"\b(?:line|bestline|pv)\b[ :=]*(.*)", re.IGNORECASE | re.ASCII)
_NAME = re.compile(r"([a-z])([1-9]\d?)", re.IGNORECASE | re.ASCII)
_FACTORS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def format_info(info: Info) -> str:
    """The line, without the MESSAGE before it."""
    line = [move.gomocup for move in info.pv[:_LONGEST_LINE] if not move.is_pass]
    parts = [
        f"DEPTH {info.depth}-{max(info.depth, info.seldepth)}",
        f"EVAL {info.score.relative}",
        f"NODES {info.nodes}",
        f"SPEED {info.nps}",
        f"TIME {round(info.time * 1000)}",
    ]
    if info.multipv != 1:
        parts.insert(0, f"({info.multipv})")
    return " | ".join([*parts, f"LINE {' '.join(line)}"] if line else parts)


def parse_info(text: str, board: Board) -> Info | None:
    """What a MESSAGE tells about the search of this board; None if it tells neither depth nor score
    in words that are known. Points of other engines are taken as ours.
    """
    depth, score = _DEPTH.search(text), _SCORE.search(text)
    if depth is None and score is None:
        return None
    nodes, speed, time = _NODES.search(text), _SPEED.search(text), _TIME.search(text)
    line = _LINE.search(text)
    return Info(
        score=PovScore(_score(score), board.turn),
        pv=_line(line[1], board) if line else (),
        depth=int(depth[1]) if depth else 0,
        seldepth=int(depth[2] or depth[1]) if depth else 0,
        nodes=_count(nodes[1], nodes[2], nodes[3]) if nodes else 0,
        nps=_count(speed[2], speed[3], speed[4]) * (1000 if speed[1] else 1) if speed else 0,
        time=float(time[1]) / (1 if time[2] in ("s", "S") else 1000) if time else 0.0,
    )


def _score(found: re.Match[str] | None) -> Score:
    if found is None:
        return Score(0)
    number = int(found[1] + found[3])
    return Score(number, number or None) if found[2] else Score(number)


def _count(whole: str, fraction: str | None, unit: str) -> int:
    factor = _FACTORS[unit.upper()]
    thousandths = int((fraction or "").ljust(3, "0"))
    return int(whole) * factor + thousandths * factor // 1000


def _line(text: str, board: Board) -> tuple[Move, ...]:
    """The moves that a text begins with, as far as they could be played one after the other."""
    found: dict[Move, None] = {}
    for word in text.split()[:_LONGEST_LINE]:
        move = _point(word.strip("[]();|."), board.size)
        if move is None or move in found or board.stone_at(move) is not None:
            break
        found[move] = None
    return tuple(found)


def _point(word: str, size: int) -> Move | None:
    """A point as `7,7`, or by name as other engines have it: rows are counted from the bottom of
    a board whose first row is at the top.
    """
    if name := _NAME.fullmatch(word):
        column, row = ord(name[1].lower()) - ord("a"), size - int(name[2])
        return Move(column, row) if column < size and row >= 0 else None
    try:
        return parse_point(word, size)
    except BadNotation:
        return None
