# SPDX-License-Identifier: MIT
"""What `tengen solve` says: answers as text and as JSON objects, and the summary of many. Pure
functions; relies on the solver's results and on `drawing`.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tengen.cli.common import move_list
from tengen.cli.drawing import MOST_NUMBERED, numbered_board
from tengen.game.render.text import board_text
from tengen.solver import Answer, Defences, Proof, Status

__all__ = [
    "Solved",
    "answer_lines",
    "as_json",
    "defences_as_json",
    "defences_lines",
    "row",
    "status_of",
    "summary",
    "summary_lines",
]

WIN = "win"
_COLUMNS = ("problems", "win", "no win", "unknown", "verified", "refuted", "broken")


@dataclass(frozen=True, slots=True)
class Solved:
    """One position and what came of it. `verified` is None where nothing was checked."""

    name: str
    goal: str
    result: Proof | Answer
    seconds: float
    verified: bool | None = None
    fault: str = ""  # why the proof does not hold


def status_of(result: Proof | Answer) -> str:
    """`win`, `no win` or `unknown`."""
    return WIN if isinstance(result, Proof) else str(result.status)


# --- one position ---


def answer_lines(solved: Solved, width: int) -> Iterator[str]:
    """The answer, the main line, and the board with its numbers if `width` columns hold it."""
    proof = solved.result
    if isinstance(proof, Answer):
        yield str(proof)
        return
    line = proof.line()
    yield str(proof)
    yield ""
    yield from move_list(line)
    if any(move.is_pass for move in line):
        yield "(pass: any reply that does nothing against the threat)"
    if len(line) <= MOST_NUMBERED and 3 * proof.size + 6 <= width:
        yield ""
        yield numbered_board(proof.board, line)
    yield ""
    if proof.stats is not None:
        yield f"{_nodes(proof.stats.nodes)} searched in {proof.stats.seconds:.2f} s."
    checked = {True: "the referee checked it", None: "not checked", False: solved.fault}
    yield f"The proof has {_nodes(proof.nodes)}; {checked[solved.verified]}."


def _nodes(count: int) -> str:
    return f"{count:,} node{'s' if count != 1 else ''}"


def as_json(solved: Solved) -> dict[str, Any]:
    """The answer for a program."""
    result = solved.result
    found: dict[str, Any] = {
        "id": solved.name,
        "goal": solved.goal,
        "status": status_of(result),
        "seconds": round(solved.seconds, 6),
    }
    if isinstance(result, Proof):
        stats = result.stats
        return found | {
            "attacker": str(result.attacker),
            "nodes": stats.nodes if stats else None,
            "move": str(result.move),
            "moves": result.depth,
            "line": [str(move) for move in result.line()],
            "proof_nodes": result.nodes,
            "verified": solved.verified,
            **({"fault": solved.fault} if solved.fault else {}),
        }
    return found | {
        "attacker": str(result.attacker),
        "nodes": result.nodes,
        "reason": result.reason,
        "depth": result.depth,
        "best": None if result.best is None else str(result.best),
    }


def defences_lines(found: Defences, checked: bool) -> Iterator[str]:
    """What threatens, and the board with a star on each move that refutes it."""
    yield str(found)
    board = found.board
    marks = dict.fromkeys(found.moves, "*") | dict.fromkeys(found.unknown, "?")
    if found:
        last = board.peek() if board.ply else None
        yield from ("", board_text(board.size, board.stones(), last=last, marks=marks), "")
        unknown = f", {len(found.unknown)} unknown (?)" if found.unknown else ""
        lost = f"{len(found.losing)} lose" + (", checked by the referee" if checked else "")
        yield f"{len(found.moves)} refute the threat (*), {lost}{unknown}."


def defences_as_json(found: Defences, name: str, verified: bool | None) -> dict[str, Any]:
    threat = found.threat
    return {
        "id": name,
        "goal": str(found.goal),
        "defender": str(found.board.turn),
        "threat": status_of(threat),
        "reason": None if isinstance(threat, Proof) else threat.reason,
        "line": [str(move) for move in threat.line()] if isinstance(threat, Proof) else None,
        "moves": [str(move) for move in found.moves],
        "losing": {
            str(move): [str(step) for step in proof.line()] for move, proof in found.losing.items()
        },
        "unknown": [str(move) for move in found.unknown],
        "verified": verified,
    }


# --- many positions ---


def row(solved: Solved, width: int) -> str:
    """One line for one position of many; `width` is for the names."""
    result = solved.result
    told = ""
    if isinstance(result, Proof):
        told = f"{result.move} in {result.depth}"
        told += {True: ", verified", None: "", False: f", REFUTED: {solved.fault}"}[solved.verified]
    elif result.status is Status.UNKNOWN:
        told = result.reason
    nodes = (
        result.nodes if isinstance(result, Answer) else result.stats.nodes if result.stats else 0
    )
    return (
        f"{solved.name:<{width}}  {solved.goal:<10}  {status_of(result):<7}"
        f" {1000 * solved.seconds:>10.2f} ms {nodes:>12,} nodes  {told}"
    ).rstrip()


def summary(done: Sequence[Solved], broken: int, interrupted: bool) -> dict[str, Any]:
    """The numbers of many positions, by goal and in all."""
    goals = sorted({solved.goal for solved in done})
    parts = {goal: [solved for solved in done if solved.goal == goal] for goal in goals}
    return {
        "goals": {goal: _numbers(part) for goal, part in parts.items()},
        "all": _numbers(done) | {"broken": broken},
        "interrupted": interrupted,
    }


def _numbers(done: Sequence[Solved]) -> dict[str, Any]:
    kinds = [status_of(solved.result) for solved in done]
    times = [solved.seconds for solved in done]
    return {
        "problems": len(done),
        **{kind: kinds.count(kind) for kind in (WIN, *map(str, Status))},
        "verified": sum(solved.verified is True for solved in done),
        "refuted": sum(solved.verified is False for solved in done),
        "seconds": {
            "total": round(sum(times), 6),
            "median": round(statistics.median(times), 6) if times else 0.0,
            "worst": round(max(times, default=0.0), 6),
        },
    }


def summary_lines(found: dict[str, Any]) -> Iterator[str]:
    """The summary as a table. A column of faults is there only if there are any."""
    shown = [c for c in _COLUMNS if c not in ("refuted", "broken") or found["all"].get(c)]
    yield "goal      " + "".join(f"{name:>10}" for name in shown) + "   total s median ms  worst ms"
    lines = dict(found["goals"])
    if len(lines) != 1 or found["all"]["broken"]:
        lines["all"] = found["all"]
    for goal, numbers in lines.items():
        cells = "".join(f"{numbers.get(name, ''):>10}" for name in shown)
        seconds = numbers["seconds"]
        times = f"{seconds['total']:>10.3f}" + "".join(
            f"{1000 * seconds[which]:>10.2f}" for which in ("median", "worst")
        )
        yield f"{goal:<10}{cells}{times}"
