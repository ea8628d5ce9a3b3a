# SPDX-License-Identifier: MIT
"""The vocabulary of SGF that its reader and its writer share: properties, rule names, points.

Relies on moves, rules and `text`.
"""

from __future__ import annotations

import re
from functools import cache

from tengen.game.move import PASS, Move
from tengen.game.records.text import unescape
from tengen.game.rule import Rule

__all__ = ["HEADER", "SETUP", "letters", "points", "rule_of"]

# Property to field, of the node and of the record.
SETUP = {"AB": "black", "AW": "white", "AE": "empty"}
HEADER = {"PB": "black", "PW": "white", "DT": "date", "EV": "event"}

_NOT_ALNUM = re.compile(r"[^a-z0-9]")
# Set off by a mark: "Renju, Soosorv-8" is renju, but "Gomoku Swap2" might be anything.
_FIRST_WORD = re.compile(r"([a-z0-9]+)\s*[,;:(/]")
# By small letters and digits alone. Plain "gomoku" is exactly five, as federations use the word.
_RULES = {str(rule): rule for rule in Rule} | {
    "freestylegomoku": Rule.FREESTYLE,
    "gomokufreestyle": Rule.FREESTYLE,
    "free": Rule.FREESTYLE,
    "gomoku": Rule.STANDARD,
    "standardgomoku": Rule.STANDARD,
    "gomokustandard": Rule.STANDARD,
    "exactfive": Rule.STANDARD,
    "rif": Rule.RENJU,
    "carogomoku": Rule.CARO,
    "gomokucaro": Rule.CARO,
}
# On boards up to this size `tt` is a pass, as in older versions of SGF.
_TT_PASSES = 19


def rule_of(raw: str) -> Rule | None:
    """The rule that the value of an RU property names, if it is one of ours.

    A name, a Gomocup number, or a name and then, behind a mark, an opening (`Renju, Soosorv-8`).
    """
    text = unescape(raw[:200]).strip().lower()
    if re.fullmatch(r"\d{1,2}", text, re.ASCII):
        return next((rule for rule in Rule if rule.gomocup == int(text)), None)
    first = _FIRST_WORD.match(text)
    whole = _RULES.get(_NOT_ALNUM.sub("", text))
    return whole or (_RULES.get(first[1]) if first else None)


def letters(move: Move, size: int) -> str:
    """Column letter, then row letter counted from the top; empty for the pass."""
    return "" if move.is_pass else chr(ord("a") + move.x) + chr(ord("a") + size - 1 - move.y)


@cache
def points(size: int) -> dict[str, Move]:
    """Every spelling of every point of a board, and of the pass, as they stand in a move."""
    found = {"": PASS}
    if size <= _TT_PASSES:
        found["tt"] = PASS
    for x in range(size):
        for y in range(size):
            move = Move(x, y)
            found[letters(move, size)] = found[move.name] = found[move.name.upper()] = move
    return found
