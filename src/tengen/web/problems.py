# SPDX-License-Identifier: MIT
"""Problems: positions with one winning first move, made by scripts/make_problems.py, and the
judgement of a try. Relies on the solver and on the data file of the package.
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
from tengen.solver import Proof, solve
from tengen.web import tells
from tengen.web.errors import Refused
from tengen.web.shapes import Position

__all__ = ["Judged", "PosedProblem", "Problems", "hint", "judge"]

_TIME = 3.0  # s for a solver; the problems take hundredths
_MEMORY = 16  # MiB


@dataclass(frozen=True, slots=True)
class PosedProblem:
    """A problem: the side to move wins, and only one first move does it."""

    name: str
    position: Position
    goal: Literal["vcf", "vct"]
    length: int  # moves of the attacker, the five included

    def board(self) -> Board:
        setup = self.position.setup
        assert setup is not None
        return Board.from_stones(
            setup.black, setup.white, setup.turn, self.position.size, self.position.rule
        )


class Problems:
    """The problems of the package, in the order in which they are posed."""

    def __init__(self, problems: Iterable[PosedProblem]) -> None:
        self._all = {problem.name: problem for problem in problems}

    @classmethod
    @cache
    def shipped(cls) -> Problems:
        text = files("tengen.web").joinpath("data", "problems.json").read_text(encoding="utf-8")
        problems = [_read(entry) for entry in json.loads(text)["problems"]]
        return cls(sorted(problems, key=_easy_first))

    def __len__(self) -> int:
        return len(self._all)

    def get(self, name: str) -> PosedProblem:
        """Raises Refused."""
        if name not in self._all:
            raise Refused("problem", f"there is no problem {name!r}")
        return self._all[name]

    def fitting(self, rule: str | None, length: int | None) -> list[PosedProblem]:
        return [
            problem
            for problem in self._all.values()
            if rule in (None, problem.position.rule) and length in (None, problem.length)
        ]

    def next(self, fitting: list[PosedProblem], solved: set[str]) -> PosedProblem:
        """The first that is not solved, else the first. Raises Refused."""
        if not fitting:
            raise Refused("problem", "there is no problem of that kind")
        return next((p for p in fitting if p.name not in solved), fitting[0])

    def counts(self, solved: set[str]) -> list[tells.ProblemCount]:
        total = Counter((p.position.rule, p.length) for p in self._all.values())
        done = Counter((p.position.rule, p.length) for p in self._all.values() if p.name in solved)
        return [
            tells.ProblemCount(rule=rule, length=length, count=n, solved=done[rule, length])
            for (rule, length), n in sorted(total.items())
        ]


def _easy_first(problem: PosedProblem) -> tuple[int, int, str]:
    return problem.length, list(Rule).index(Rule(problem.position.rule)), problem.name


def _read(entry: dict[str, object]) -> PosedProblem:
    setup = {"black": entry["black"], "white": entry["white"], "turn": entry["turn"]}
    position = {"rule": entry["rule"], "size": entry["size"], "setup": setup}
    return PosedProblem(
        str(entry["name"]),
        Position.model_validate(position),
        entry["goal"],  # type: ignore[arg-type]
        int(str(entry["length"])),
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a try: `moves` with the defender's answer."""

    verdict: Literal["right", "wrong", "solved"]
    words: str
    moves: list[Move]
    board: Board
    why: Literal["", "five", "nothing", "answer"] = ""
    point: Move | None = None  # of the other side's five or answer


@dataclass(frozen=True, slots=True)
class _Failed:
    """Why an attack has failed."""

    why: Literal["five", "nothing", "answer"]
    words: str
    point: Move | None = None


def judge(problem: PosedProblem, moves: list[str]) -> Judged:
    """Judge the last of these moves. Raises IllegalMove, and Refused for half a try."""
    board = problem.board()
    played = [board.push(move) for move in moves]
    if len(played) % 2 == 0:
        raise Refused("turn", "a try ends with a move of the side that wins")
    outcome = board.outcome()
    if outcome is not None:
        won = outcome.winner is problem.board().turn
        return Judged("solved" if won else "wrong", str(outcome), played, board)
    reply = _resistance(problem, board)
    if isinstance(reply, _Failed):
        return Judged("wrong", reply.words, played, board, reply.why, reply.point)
    board.push(reply)
    return Judged("right", "", [*played, reply], board)


def _resistance(problem: PosedProblem, board: Board) -> Move | _Failed:
    """The reply that holds out longest, or why the attack has failed."""
    attacker = board.turn.other
    own_five = board.threats(board.turn, Threat.FIVE)
    if own_five:
        point = next(iter(own_five))
        return _Failed("five", f"{board.turn} makes five at {point}", point)
    fives = [move for move in board.threats(attacker, Threat.FIVE) if board.is_legal(move)]
    threatened = bool(board.threats(attacker, Threat.FIVE))
    replies = fives if threatened else _candidates(problem, board)
    if threatened and not fives:  # the only answer is forbidden: any move will do
        return next(iter(board.legal_moves()), PASS)
    if not replies:
        return _Failed("nothing", "it threatens nothing that must be answered")
    longest: tuple[int, Move] | None = None
    for reply in replies:
        after = board.copy()
        after.push(reply)
        found = solve(after, problem.goal, time=_TIME, memory=_MEMORY)
        if not isinstance(found, Proof):
            return _Failed("answer", f"{reply} is an answer to it", reply)
        if longest is None or found.depth > longest[0]:
            longest = (found.depth, reply)
    assert longest is not None
    return longest[1]


def _candidates(problem: PosedProblem, board: Board) -> list[Move]:
    """Replies to a threat that is no four, by the solver; none if it is no threat."""
    if problem.goal == "vcf":
        return []
    from tengen.solver import defences

    found = defences(board, problem.goal, time=_TIME, memory=_MEMORY)
    if not found:
        return []
    return [*found.moves, *found.unknown, *found.losing]


def hint(problem: PosedProblem, moves: list[str]) -> tells.ProblemHinted | None:
    """The next move of the win, or None where it is gone. Raises IllegalMove."""
    board = problem.board()
    for move in moves:
        board.push(move)
    if board.is_over():
        return None
    found = solve(board, problem.goal, time=_TIME, memory=_MEMORY)
    if not isinstance(found, Proof):
        return None
    threat = board.threats(board.turn, Threat.TWO).get(found.move)
    words = "" if threat is None else str(threat)
    return tells.ProblemHinted(
        type="problem_hinted", id=0, problem=problem.name, move=found.move.name, words=words
    )
