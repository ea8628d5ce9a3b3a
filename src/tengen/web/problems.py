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
from tengen.web.messages import GamePosition

__all__ = ["AttemptResult", "Problems", "WinProblem", "check_attempt", "find_hint"]

_TIME = 3.0  # s per call of the solver; the problems take hundredths
_MEMORY = 16  # MiB


@dataclass(frozen=True, slots=True)
class WinProblem:
    """A position in which exactly one move of the side to move wins by force."""

    name: str
    position: GamePosition
    goal: Literal["vcf", "vct"]
    length: int  # moves of the attacker, the five included

    def board(self) -> Board:
        return to_board(self.position)


class Problems:
    """The shipped problems, easy ones first."""

    def __init__(self, problems: Iterable[WinProblem]) -> None:
        self._all = {problem.name: problem for problem in problems}

    @classmethod
    @cache
    def shipped(cls) -> Problems:
        text = files("tengen.web").joinpath("data", "problems.json").read_text(encoding="utf-8")
        problems = [_read(entry) for entry in json.loads(text)["problems"]]
        return cls(sorted(problems, key=_by_difficulty))

    def get(self, name: str) -> WinProblem:
        """Raises RequestError."""
        if name not in self._all:
            raise RequestError("problem", f"unknown problem {name!r}")
        return self._all[name]

    def matching(self, rule: str | None, length: int | None) -> list[WinProblem]:
        return [
            problem
            for problem in self._all.values()
            if rule in (None, problem.position.rule) and length in (None, problem.length)
        ]

    def next(self, matching: list[WinProblem], solved: set[str]) -> WinProblem:
        """The first unsolved problem, else the first. Raises RequestError."""
        if not matching:
            raise RequestError("problem", "no problem matches")
        return next((p for p in matching if p.name not in solved), matching[0])

    def counts(self, solved: set[str]) -> list[ProblemCount]:
        total = Counter((p.position.rule, p.length) for p in self._all.values())
        done = Counter((p.position.rule, p.length) for p in self._all.values() if p.name in solved)
        return [
            ProblemCount(rule=rule, length=length, count=n, solved=done[rule, length])
            for (rule, length), n in sorted(total.items())
        ]


def _by_difficulty(problem: WinProblem) -> tuple[int, int, str]:
    return problem.length, list(Rule).index(Rule(problem.position.rule)), problem.name


def _read(entry: dict[str, object]) -> WinProblem:
    setup = {"black": entry["black"], "white": entry["white"], "turn": entry["turn"]}
    position = {"rule": entry["rule"], "size": entry["size"], "setup": setup}
    return WinProblem(
        str(entry["name"]),
        GamePosition.model_validate(position),
        entry["goal"],  # type: ignore[arg-type]
        int(str(entry["length"])),
    )


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
