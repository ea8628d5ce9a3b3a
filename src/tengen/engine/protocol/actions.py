# SPDX-License-Identifier: MIT
"""The actions of a server session: lines to write, searches to start and to end. An adapter does
them in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tengen.engine.limit import Limit
from tengen.game.board import Board


@dataclass(frozen=True, slots=True)
class SendLine:
    """Write a line and flush."""

    line: str


@dataclass(frozen=True, slots=True)
class StartGame:
    """Start a new game: clear the tables; with a board, also load its evaluator. No search runs."""

    options: Mapping[str, int]
    board: Board | None = None


@dataclass(frozen=True, slots=True)
class PrepareEvaluator:
    """Load the evaluator for boards of this rule and size. `StartSearch` may follow at once."""

    board: Board
    options: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StartSearch:
    """Start a search; pass each `Info`, then one `PlayResult` or `SearchFailed`, to `search_event`.

    The limit counts from the arrival of the command. `options` are those of the engine.
    """

    board: Board
    limit: Limit
    options: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StartPondering:
    """Search the board after the expected reply, without reports. The next `StartSearch` continues
    it on the same board and ends it on another; so do `StartGame` and `StopSearch`.
    """

    board: Board


@dataclass(frozen=True, slots=True)
class StopSearch:
    """End the running search, if any; its result is still reported."""


@dataclass(frozen=True, slots=True)
class Quit:
    """End the program at once."""


Action: TypeAlias = (
    SendLine | StartGame | PrepareEvaluator | StartSearch | StartPondering | StopSearch | Quit
)


@dataclass(frozen=True, slots=True)
class SearchFailed:
    """The event of a search that failed."""

    reason: str
