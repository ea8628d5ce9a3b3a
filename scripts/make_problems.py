# SPDX-License-Identifier: MIT
"""Makes the problems of the page, `src/tengen/web/static/problems.json`: positions of self-play
games in which the side to move has a forced win with exactly one first move.

    python scripts/make_problems.py --rule renju --each 60 --seconds 600

Adds to the file until it has enough of each rule, or the time is over. A win is by fours alone
(vcf) or by threats (vct, where fours do not suffice); the referee verifies its proof. Every other
first move that makes a threat was tried and refuted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tengen
from tengen.game.rule import Colour, Rule
from tengen.game.threat import Threat
from tengen.solver import Proof, Solver, Status

TARGET = Path(__file__).parents[1] / "src" / "tengen" / "web" / "static" / "problems.json"
_LEVELS = (3, 4, 5, 6)  # of the players: good enough for real positions, weak enough for mistakes
_FIRST_PLY = 9
_MIN_MOVES = {"vcf": 3, "vct": 3}  # of the attacker
_MAX_MOVES = {"vcf": 14, "vct": 9}
_NODES = {"vcf": 30_000, "vct": 60_000}
_TRIED_NODES = 40_000  # for another first move


def games(rule: Rule, seed: int) -> Iterator[tengen.Board]:
    """Positions of games of the engine against itself, each before a move."""
    chance = random.Random(seed)
    with tengen.Engine(memory=8) as engine:
        while True:
            board = tengen.Board(15, rule)
            for _ in range(chance.choice((3, 4, 5))):
                near = [m for m in board.legal_moves() if abs(m.x - 7) < 3 and abs(m.y - 7) < 3]
                board.push(chance.choice(near))
            while not board.is_over() and board.ply < 90:
                engine.configure(level=chance.choice(_LEVELS), seed=chance.randrange(2**31))
                board.push(engine.play(board, tengen.Limit(time=1)).move)
                if board.ply >= _FIRST_PLY and not board.is_over():
                    yield board.copy()


def problem(board: tengen.Board, solver: Solver) -> dict[str, Any] | None:
    """The position as a problem, if it is one."""
    if board.threats(board.turn.other, Threat.FIVE) or board.threats(board.turn, Threat.FIVE):
        return None
    if not _is_pressed(board, solver):
        return None
    for goal in ("vcf", "vct"):
        found = solver.solve(board, goal, time=2, nodes=_NODES[goal])
        if not isinstance(found, Proof):
            continue
        if not _MIN_MOVES[goal] <= found.depth <= _MAX_MOVES[goal] or not found.verify():
            return None
        if any(_may_win(board, move, solver) for move in _others(board, found)):
            return None
        return _entry(board, goal, found)
    return None


def _is_pressed(board: tengen.Board, solver: Solver) -> bool:
    """Whether the opponent would win if the side to move did nothing: then not every threat wins,
    and a problem has a point.
    """
    after = board.copy()
    after.push("pass")
    return isinstance(solver.solve(after, "vcf", time=1, nodes=_NODES["vcf"]), Proof)


def _others(board: tengen.Board, found: Proof) -> list[tengen.Move]:
    """First moves that threaten something, beside the one that wins."""
    tried = board.threats(board.turn, Threat.THREE)
    return [move for move in tried if move != found.move and board.is_legal(move)]


def _may_win(board: tengen.Board, move: tengen.Move, solver: Solver) -> bool:
    """Whether another first move wins too, or that could not be decided."""
    after = board.copy()
    after.push(move)
    if after.is_over():
        return True
    answers = [m for m in after.threats(board.turn, Threat.FIVE) if after.is_legal(m)]
    if len(answers) == 1:  # a four with its one answer
        after.push(answers[0])
        again = solver.solve(after, "vct", time=1, nodes=_TRIED_NODES)
        return isinstance(again, Proof) or again.status is not Status.NO_WIN
    if answers or after.threats(board.turn, Threat.FIVE):
        return True
    if isinstance(solver.solve(after, "vcf", time=1, nodes=_NODES["vcf"]), Proof):
        return False  # the opponent wins first
    tried = solver.defences(after, "vct", time=1, nodes=10 * _TRIED_NODES)
    if not isinstance(tried.threat, Proof):
        return tried.threat.status is not Status.NO_WIN
    return not tried.moves


def _entry(board: tengen.Board, goal: str, found: Proof) -> dict[str, Any]:
    stones = board.stones()
    black, white = (
        [point.name for point, owner in stones.items() if owner is colour] for colour in Colour
    )
    text = f"{board.rule}{board.turn}{black}{white}"
    return {
        "name": f"{board.rule}-{hashlib.sha256(text.encode()).hexdigest()[:8]}",
        "rule": str(board.rule),
        "size": board.size,
        "goal": goal,
        "length": found.depth,
        "turn": str(board.turn),
        "black": black,
        "white": white,
        "first": found.move.name,
    }


def _order(entry: dict[str, Any]) -> tuple[str, int, str, str]:
    return entry["rule"], entry["length"], entry["goal"], entry["name"]


def write(entries: dict[str, dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(e) for e in sorted(entries.values(), key=_order))
    about = json.dumps("made by scripts/make_problems.py from games of the engine with itself")
    TARGET.write_text(f'{{"about": {about}, "problems": [\n{lines}\n]}}\n', encoding="utf-8")


def collect(rule: Rule, entries: dict[str, dict[str, Any]], each: int, seed: int) -> Iterator[int]:
    """Add problems of a rule; yields their number after each position."""
    solver = Solver(15, rule, 64)
    lengths = Counter(e["length"] for e in entries.values() if e["rule"] == str(rule))
    most = max(4, each // 5)  # of one length: the short ones are easily found
    for board in games(rule, seed):
        found = problem(board, solver)
        is_new = found is not None and found["name"] not in entries
        if found is not None and is_new and lengths[found["length"]] < most:
            lengths[found["length"]] += 1
            entries[found["name"]] = found
        yield lengths.total()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rule", choices=[str(rule) for rule in Rule], help="only this rule")
    parser.add_argument("--each", type=int, default=60, help="problems of each rule")
    parser.add_argument("--seconds", type=float, default=300, help="the most for each rule")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    kept = json.loads(TARGET.read_text(encoding="utf-8"))["problems"] if TARGET.exists() else []
    entries = {entry["name"]: entry for entry in kept}
    for rule in [Rule(args.rule)] if args.rule else list(Rule):
        end = time.monotonic() + args.seconds
        for number in collect(rule, entries, args.each, args.seed):
            if number >= args.each or time.monotonic() > end:
                break
        write(entries)
        print(rule, sum(e["rule"] == str(rule) for e in entries.values()), flush=True)


if __name__ == "__main__":
    main()
