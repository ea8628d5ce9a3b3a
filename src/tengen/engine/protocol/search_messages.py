# SPDX-License-Identifier: MIT
"""Reads the MESSAGE lines of engines about a search.

Tengen writes `DEPTH 12-20 | EVAL +35 | NODES 81230 | SPEED 1200000 | TIME 68 | LINE 7,7 8,8`: depth
and selective depth, score or `+M9` for the side to move, nodes, nodes per second, ms, line. Similar
lines of other engines are read too.
"""

from __future__ import annotations

import re

from tengen.engine.info import Info
from tengen.engine.protocol.syntax import parse_point
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.errors import BadNotation
from tengen.game.move import Move

_MAX_LINE = 24  # moves of a line, as many as a manager's window shows

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


def parse_info(text: str, board: Board) -> Info | None:
    """The search info of a MESSAGE; None if it has neither depth nor score in a known form. Scores
    of other engines are read as if they had the same unit.
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


def _score(match: re.Match[str] | None) -> Score:
    if match is None:
        return Score(0)
    number = int(match[1] + match[3])
    return Score(number, number or None) if match[2] else Score(number)


def _count(whole: str, fraction: str | None, unit: str) -> int:
    factor = _FACTORS[unit.upper()]
    thousandths = int((fraction or "").ljust(3, "0"))
    return int(whole) * factor + thousandths * factor // 1000


def _line(text: str, board: Board) -> tuple[Move, ...]:
    """The moves at the start of a text, as far as they can be played in turn."""
    moves: dict[Move, None] = {}
    for word in text.split()[:_MAX_LINE]:
        move = _point(word.strip("[]();|."), board.size)
        if move is None or move in moves or board.stone_at(move) is not None:
            break
        moves[move] = None
    return tuple(moves)


def _point(word: str, size: int) -> Move | None:
    """A point as `7,7`, or by name as other engines write it, with rows counted from the bottom."""
    if name := _NAME.fullmatch(word):
        column, row = ord(name[1].lower()) - ord("a"), size - int(name[2])
        return Move(column, row) if column < size and row >= 0 else None
    try:
        return parse_point(word, size)
    except BadNotation:
        return None
