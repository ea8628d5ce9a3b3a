# SPDX-License-Identifier: MIT
"""`Defences`: what a side must answer, and how it can. Relies on proofs and answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from tengen.game.board import Board
from tengen.game.move import Move
from tengen.solver.answer import Answer, Status
from tengen.solver.goal import Goal
from tengen.solver.proof import Proof

__all__ = ["Defences"]

# So many moves are named in a sentence.
_NAMED = 20


@dataclass(slots=True)
class Defences:
    """What the opponent threatens, and what each legal move does about it. True if it threatens.

    If it does not, or if that is unknown, no move was tried, and the three lists are empty: there
    is nothing to refute. (In renju not even then is each move safe: a black stone may turn a point
    that black will need into a forbidden one.)
    """

    board: Board  # the side to move defends
    goal: Goal
    threat: Proof | Answer  # what the opponent would do after a pass
    moves: list[Move] = field(default_factory=list)  # that refute the threat, by index
    losing: dict[Move, Proof] = field(default_factory=dict)  # with the opponent's win after each
    unknown: list[Move] = field(default_factory=list)  # for which the limits did not suffice

    def __bool__(self) -> bool:
        return isinstance(self.threat, Proof)

    def take(self, move: Move, answer: Proof | Answer) -> None:
        """Note what the opponent can do after a move."""
        if isinstance(answer, Proof):
            self.losing[move] = answer
        elif answer.status is Status.NO_WIN:
            self.moves.append(move)
        else:
            self.unknown.append(move)

    def __str__(self) -> str:
        opponent = str(self.board.turn.other).capitalize()
        how = self.goal.words()
        if isinstance(self.threat, Answer):
            if self.threat.status is Status.NO_WIN:
                return f"{opponent} threatens no win by {how}."
            return f"Unknown whether {opponent.lower()} threatens to win: {self.threat.reason}."
        told = f"{opponent} threatens to win by {how}, starting with {self.threat.move}."
        if self.moves:
            verb = "refutes" if len(self.moves) == 1 else "refute"
            told += f" {_names(self.moves)} {verb} it."
        elif not self.unknown:
            told += " No move refutes it."
        if self.unknown:
            told += f" Unknown: {_names(self.unknown)}."
        return told


def _names(moves: list[Move]) -> str:
    named = ", ".join(map(str, moves[:_NAMED]))
    more = len(moves) - _NAMED
    return named if more <= 0 else f"{named} and {more} more"
