# SPDX-License-Identifier: MIT
"""Invented matches and games for the tests of standings, reports and the live view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tengen.arena.control import TimeControl
from tengen.arena.definition import Definition
from tengen.arena.game import MatchGame, MoveReport
from tengen.arena.player import Player
from tengen.game.rule import Colour

# Black makes a row of five, white answers elsewhere.
BLACK_WINS = ("h8", "a1", "i8", "a3", "j8", "a5", "k8", "a7", "l8")
WHITE_WINS = ("h8", "a1", "i8", "b1", "j8", "c1", "k8", "d1", "h10", "e1")
UNFINISHED = ("h8", "i9", "j7", "g7")
OPENINGS = [("h8", "a1"), ("h8", "i9"), ()]
WINNERS = {"b": Colour.BLACK, "w": Colour.WHITE, "d": None}
# Names that must come out as text: of players, of faults, of events.
HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "a & <b>b</b>",
)


def definition(*names: str, **options: Any) -> Definition:
    """Players of these names, by default two."""
    players = tuple(Player(name, preset="random") for name in names or ("one", "two"))
    kind = "match" if len(players) == 2 else "round-robin"
    values: dict[str, Any] = {"kind": kind, "pairs": 10, "limit": TimeControl(time=0.1)}
    return Definition(players, **(values | options))


def game(number: int, black: int, white: int, result: str = "b", **options: Any) -> MatchGame:
    """A game with the result b, w or d."""
    moves = {"b": BLACK_WINS, "w": WHITE_WINS, "d": UNFINISHED}[result]
    reports = tuple(
        MoveReport(0.01 * (n + 1), 10 * n, None, 5, 1000) for n in range(len(moves) - 2)
    )
    values: dict[str, Any] = {
        "pair": number // 2,
        "opening": 0,
        "opening_moves": 2,
        "moves": moves,
        "winner": WINNERS[result],
        "reason": "dead_draw" if result == "d" else "five",
        "reports": reports,
        "seconds": 1.0,
    }
    return MatchGame(number=number, black=black, white=white, **(values | options))


def match(results: Sequence[str]) -> list[MatchGame]:
    """Games of a match; the first player is black in those with even numbers."""
    return [game(n, n % 2, 1 - n % 2, result) for n, result in enumerate(results)]


def fault(number: int, black: int, white: int, reason: str, words: str) -> MatchGame:
    """A game that black lost by an error."""
    return game(
        number, black, white, "w", reason=reason, detail=words, moves=UNFINISHED, reports=()
    )
