# SPDX-License-Identifier: MIT
"""A finished game: players, moves with the reports of the engines, result and reason; and its form
as one line of JSON (docs/formats/arena.md).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple

from tengen.arena.errors import BadRun
from tengen.game.rule import Colour
from tengen.util.deprecation import renamed_fields

# How a game can end, with the text of reports.
REASONS = {
    "five": "five in a row",
    "full_board": "the board is full",
    "move_limit": "the limit of moves",
    "passes": "both sides passed",
    "no_legal_move": "black has only forbidden points left",
    "proven_win": "adjudicated: the win was claimed and proven",
    "dead_draw": "adjudicated: nobody can make five any more",
    "illegal": "an illegal move",
    "forbidden": "a forbidden move",
    "crash": "the player's process ended",
    "no_response": "no response",
    "output": "an invalid answer",
    "time": "out of time",
}
# Errors of a player, who loses; `detail` says more.
FAULTS = ("illegal", "forbidden", "crash", "no_response", "output", "time")
_OLD_REASONS = {"silence": "no_response"}  # of version 0.1.0
_NUMBERS = ("pair", "black", "white", "opening", "opening_moves")  # keys of a line


class MoveReport(NamedTuple):
    """The time of a move, and what the engine reported; None: nothing."""

    seconds: float  # by the arena's clock
    value: int | None = None  # evaluation for the side that moved, 200 per logit
    mate: int | None = None  # moves of both sides to the end: positive wins, negative loses
    depth: int = 0
    nodes: int = 0


@renamed_fields(words="detail", told="reports", spent="seconds")
@dataclass(frozen=True, slots=True)
class MatchGame:
    """A finished game. Players are numbers, their indices in the list of players."""

    number: int  # of the game in the schedule, from 0
    pair: int  # of two games with one opening and colours swapped, from 0
    black: int
    white: int
    opening: int  # its index in the list of openings; -1 if the players made it (swap2)
    opening_moves: int  # how many of the moves belong to the opening
    moves: tuple[str, ...]  # "h8"; those of the opening first
    winner: Colour | None
    reason: str  # a key of REASONS
    detail: str = ""  # what a fault was
    reports: tuple[MoveReport, ...] = ()  # of the moves after the opening
    seconds: float = 0.0  # from the first move to the end

    @property
    def score(self) -> float:
        """Black's points."""
        return 0.5 if self.winner is None else float(self.winner is Colour.BLACK)

    @property
    def loser(self) -> int | None:
        """Who lost it; None for a draw."""
        if self.winner is None:
            return None
        return self.white if self.winner is Colour.BLACK else self.black

    @property
    def at_fault(self) -> int | None:
        """Whose error ended it; None if it was played to its end."""
        return self.loser if self.reason in FAULTS else None

    def points(self, player: int) -> float:
        """The points of one of its two players."""
        return self.score if player == self.black else 1.0 - self.score

    def result(self) -> dict[str, Any]:
        """The part that does not depend on the clock: equal for equal searches on any machine."""
        return {
            "game": self.number,
            **{name: getattr(self, name) for name in _NUMBERS},
            "moves": " ".join(self.moves),
            "winner": None if self.winner is None else str(self.winner),
            "reason": self.reason,
        }

    def to_json(self) -> str:
        """One line, without its end."""
        reports = [[round(report.seconds * 1000, 2), *report[1:]] for report in self.reports]
        more = {"words": self.detail, "told": reports, "spent": round(self.seconds, 4)}
        return json.dumps(self.result() | more, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> MatchGame:
        """The game of a line. Raises BadRun."""
        try:
            data = json.loads(line)
            winner = data["winner"]
            reports = tuple(
                MoveReport(t[0] / 1000, _whole(t[1]), _whole(t[2]), index(t[3]), index(t[4]))
                for t in data["told"]
            )
            game = cls(
                number=index(data["game"]),
                **{name: index(data[name]) for name in _NUMBERS},
                moves=tuple(str(data["moves"]).split()),
                winner=None if winner is None else Colour.parse(winner),
                reason=_OLD_REASONS.get(str(data["reason"]), str(data["reason"])),
                detail=str(data["words"]),
                reports=reports,
                seconds=float(data["spent"]),
            )
        except (LookupError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise BadRun(f"not a game: {type(error).__name__}: {error}") from None
        if game.reason not in REASONS:
            raise BadRun(f"not a game: the reason {game.reason!r} is unknown")
        return game


def _whole(number: Any) -> int | None:
    return None if number is None else index(number)
