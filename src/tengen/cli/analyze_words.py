# SPDX-License-Identifier: MIT
"""What `tengen analyze` says: lines of play as rows of a table and as JSON objects. Pure functions;
relies on the engine's values.
"""

from __future__ import annotations

from typing import Any

from tengen.engine import Info, Played
from tengen.game.rule import Colour

__all__ = [
    "HEADER",
    "WIDTHS",
    "cells",
    "conclusion",
    "final_json",
    "info_json",
    "percent",
    "row",
    "short",
]

HEADER = ("#", "depth", "score", "win", "nodes", "nodes/s", "time", "line")
WIDTHS = (2, 7, 7, 6, 7, 7, 8)  # of all columns but the line
_SIGNS = {"exact": "", "lower": ">", "upper": "<"}


def short(number: int) -> str:
    """A number in at most five signs: 999, 12.3k, 1.23M."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size:
            part = number / size
            return f"{part:.{2 if part < 9.995 else 1 if part < 99.95 else 0}f}{unit}"
    return str(number)


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}%"


def cells(info: Info) -> tuple[str, ...]:
    """What the columns of `HEADER` hold; the score is that of the side to move."""
    score = info.score.relative
    return (
        str(info.multipv),
        f"{info.depth}/{info.seldepth}",
        _SIGNS[info.bound] + str(score),
        percent(score.win_rate),
        short(info.nodes),
        short(info.nps),
        f"{info.time:.2f} s",
        " ".join(map(str, info.pv)),
    )


def row(columns: tuple[str, ...]) -> str:
    """The columns as one line of text."""
    *left, line = columns
    told = (f"{cell:>{width}}" for cell, width in zip(left, WIDTHS, strict=True))
    return " ".join([*told, f" {line}"]).rstrip()


def conclusion(played: Played, turn: Colour) -> str:
    """The end of an analysis, in a sentence."""
    told = f"{str(turn).capitalize()} should play {played.move}"
    if played.info is not None:
        score = played.info.score.pov(turn)
        told += f": {score}, win rate {percent(score.win_rate)}, depth {played.info.depth}"
    if played.ponder is not None:
        told += f"; {played.ponder} is the reply to expect"
    return told + "."


def info_json(info: Info) -> dict[str, Any]:
    """A line of play for a program. Score and win rate are those of `turn`, the side to move."""
    score = info.score.relative
    return {
        "turn": str(info.score.turn),
        "depth": info.depth,
        "seldepth": info.seldepth,
        "multipv": info.multipv,
        "score": {
            "value": score.value,
            "mate": score.mate,
            "proven": score.proven,
            "win_rate": round(score.win_rate, 6),
        },
        "bound": info.bound,
        "pv": [str(move) for move in info.pv],
        "visits": info.visits,
        "nodes": info.nodes,
        "vcf_nodes": info.vcf_nodes,
        "solver_nodes": info.solver_nodes,
        "evaluations": info.evaluations,
        "seconds": round(info.time, 6),
        "nps": info.nps,
        "hashfull": info.hashfull,
        "evaluation": None
        if info.evaluation is None
        else {"name": info.evaluation.name, "about": info.evaluation.about},
    }


def final_json(played: Played) -> dict[str, Any]:
    """The end of an analysis for a program: the move, and the line that it was chosen for."""
    return {
        "final": True,
        "move": str(played.move),
        "ponder": None if played.ponder is None else str(played.ponder),
        **(info_json(played.info) if played.info is not None else {}),
    }
