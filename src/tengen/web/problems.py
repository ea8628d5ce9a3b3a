# SPDX-License-Identifier: MIT
"""Problems, made by scripts/make_problems.py: positions with one winning first move; checks
attempts with the solver.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from tengen.game.board import Board
from tengen.game.move import PASS, Move
from tengen.game.rule import Rule
from tengen.game.threat import Threat
from tengen.solver import Proof, defences, solve
from tengen.web.conversions import to_board
from tengen.web.events import ProblemCount
from tengen.web.limits import RequestError
from tengen.web.messages import ColourName, GamePosition, Message, RuleName, SetupStones

_TIME = 3.0  # s per call of the solver; the problems take hundredths
_MEMORY = 16  # MiB


class WinProblem(Message):
    """A position in which exactly one move of the side to move wins by force."""

    name: str
    rule: RuleName
    size: int
    goal: Literal["vcf", "vct"]
    length: int  # moves of the attacker, the five included
    turn: ColourName
    black: list[str]
    white: list[str]
    first: str  # the winning move

    @property
    def position(self) -> GamePosition:
        setup = SetupStones(black=self.black, white=self.white, turn=self.turn)
        return GamePosition(rule=self.rule, size=self.size, setup=setup)

    def board(self) -> Board:
        return to_board(self.position)


class Problems:
    """The bundled problems, easy ones first."""

    def __init__(self, problems: Iterable[WinProblem]) -> None:
        self._all = {problem.name: problem for problem in problems}

    @classmethod
    @cache
    def bundled(cls) -> Problems:
        text = files("tengen.web").joinpath("data", "problems.json").read_text(encoding="utf-8")
        problems = map(WinProblem.model_validate, json.loads(text)["problems"])
        rules = list(Rule)
        return cls(sorted(problems, key=lambda p: (p.length, rules.index(Rule(p.rule)), p.name)))

    def get(self, name: str) -> WinProblem:
        """Raises RequestError."""
        if name not in self._all:
            raise RequestError("problem", f"unknown problem {name!r}")
        return self._all[name]

    def matching(self, rule: str | None, length: int | None) -> list[WinProblem]:
        every = self._all.values()
        return [p for p in every if rule in (None, p.rule) and length in (None, p.length)]

    def next(self, matching: list[WinProblem], solved: set[str]) -> WinProblem:
        """The first unsolved problem, else the first. Raises RequestError."""
        if not matching:
            raise RequestError("problem", "no problem matches")
        return next((p for p in matching if p.name not in solved), matching[0])

    def counts(self, solved: set[str]) -> list[ProblemCount]:
        total = Counter((p.rule, p.length) for p in self._all.values())
        done = Counter((p.rule, p.length) for p in self._all.values() if p.name in solved)
        return [
            ProblemCount(rule=rule, length=length, count=n, solved=done[rule, length])
            for (rule, length), n in sorted(total.items())
        ]


Reason = Literal["", "five", "no_threat", "defence"]


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The verdict on an attempt; `moves` include the defender's reply."""

    verdict: Literal["right", "wrong", "solved"]
    moves: list[Move]
    board: Board
    reason: Reason = ""  # why it is wrong
    point: Move | None = None  # of the defender's five or defence


def check_attempt(problem: WinProblem, moves: list[str]) -> AttemptResult:
    """Checks the last of these moves. Raises IllegalMove, and RequestError if it is not a move of
    the attacker.
    """
    board = problem.board()
    attacker = board.turn
    played = [board.push(move) for move in moves]
    if len(played) % 2 == 0:
        raise RequestError("turn", "an attempt ends with a move of the attacker")
    outcome = board.outcome()
    if outcome is not None:
        return AttemptResult("solved" if outcome.winner is attacker else "wrong", played, board)
    reason, reply = _reply(problem, board)
    if reason or reply is None:
        return AttemptResult("wrong", played, board, reason, reply)
    board.push(reply)
    return AttemptResult("right", [*played, reply], board)


def _reply(problem: WinProblem, board: Board) -> tuple[Reason, Move | None]:
    """The reply that delays the win longest; if the attack has failed, the reason and the move
    that refutes it.
    """
    own_five = board.threats(board.turn, Threat.FIVE)
    if own_five:
        return "five", next(iter(own_five))
    fives = board.threats(board.turn.other, Threat.FIVE)
    if fives:
        replies = [move for move in fives if board.is_legal(move)]
        if not replies:  # the only reply is forbidden: any move loses
            return "", next(iter(board.legal_moves()), PASS)
    else:
        replies = _defences(problem, board)
    if not replies:
        return "no_threat", None
    depths: dict[Move, int] = {}
    for reply in replies:
        after = board.copy()
        after.push(reply)
        proof = solve(after, problem.goal, time=_TIME, memory=_MEMORY)
        if not isinstance(proof, Proof):
            return "defence", reply
        depths[reply] = proof.depth
    return "", max(replies, key=depths.__getitem__)


def _defences(problem: WinProblem, board: Board) -> list[Move]:
    """Replies to a threat that is not a four; empty if there is no threat."""
    if problem.goal == "vcf":
        return []
    found = defences(board, problem.goal, time=_TIME, memory=_MEMORY)
    return [*found.moves, *found.unknown, *found.losing] if found else []


def find_hint(problem: WinProblem, moves: list[str]) -> Move | None:
    """The next move of the win; None if there is no forced win. Raises IllegalMove."""
    board = problem.board()
    for move in moves:
        board.push(move)
    if board.is_over():
        return None
    proof = solve(board, problem.goal, time=_TIME, memory=_MEMORY)
    return proof.move if isinstance(proof, Proof) else None
