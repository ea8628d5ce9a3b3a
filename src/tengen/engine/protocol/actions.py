# SPDX-License-Identifier: MIT
"""What a server session wants done, as values: lines to say, searches to start and to end. An
adapter does them, in order. Relies on boards and limits alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tengen.engine.limit import Limit
from tengen.game.board import Board

__all__ = [
    "Action",
    "Halt",
    "Ponder",
    "Prepare",
    "Quit",
    "Say",
    "SearchFailed",
    "StartGame",
    "Think",
]


@dataclass(frozen=True, slots=True)
class Say:
    """Write a line, and flush."""

    line: str


@dataclass(frozen=True, slots=True)
class StartGame:
    """Another game begins: what was learnt from the last one may go. Nothing is being searched.
    With a board, it is also to be prepared for, as by `Prepare`.
    """

    options: Mapping[str, int]
    board: Board | None = None


@dataclass(frozen=True, slots=True)
class Prepare:
    """Boards of this rule and size are to come: begin to load what the engine needs for them. A
    `Think` may follow at once.
    """

    board: Board
    options: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Think:
    """Search, and report to `search_event`: each `Info`, then one `Played` or `SearchFailed`.

    The limit counts from the moment the command arrived. `options` are for the engine; most times
    they are what they were.
    """

    board: Board
    limit: Limit
    options: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ponder:
    """Think, unasked, about a board on which the expected reply was played. Nothing is reported;
    the next `Think`, `StartGame` or `Halt` ends it.
    """

    board: Board


@dataclass(frozen=True, slots=True)
class Halt:
    """End the search that runs; what it has is still reported. Nothing to do if none runs."""


@dataclass(frozen=True, slots=True)
class Quit:
    """End the program, at once."""


Action: TypeAlias = Say | StartGame | Prepare | Think | Ponder | Halt | Quit


@dataclass(frozen=True, slots=True)
class SearchFailed:
    """The event of a search that could not be made, with the reason in words."""

    words: str
