# SPDX-License-Identifier: MIT
"""How long a review takes, and how many of its mistakes an analysis ten times as long confirms.

    python benchmarks/review.py --games 4

Plays games of weak levels, reviews them at the default setting, and searches the positions before
and after each mistake for ten times the time of a position. A mistake is confirmed if it still
gives away half of the least that a mistake gives away, or if a forced win is still missed.
Nothing passes or fails.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time

import tengen
from tengen.engine.review import DEFAULT_TIME, MISTAKE, ReviewedMove, review

_LENGTH = 60


def game(rule: str, seed: int) -> list[tengen.Move]:
    """A game of levels that make mistakes, up to 60 moves."""
    chance = random.Random(seed)
    board = tengen.Board(15, rule)
    with tengen.Engine(memory=8) as engine:
        while board.ply < _LENGTH and not board.is_over():
            engine.configure(level=chance.choice((3, 4, 5, 6)), seed=chance.randrange(2**31))
            board.push(engine.play(board, tengen.Limit(time=1)).move)
    return list(board.moves)


def loss(engine: tengen.Engine, board: tengen.Board, move: ReviewedMove) -> float:
    """Win rate that the move gives away, by a long search of both positions."""
    limit = tengen.Limit(time=10 * DEFAULT_TIME)
    rates = []
    for position in (board, _after(board, move.move)):
        if outcome := position.outcome():
            rates.append(1.0 if outcome.winner is move.colour else 0.0)
            continue
        engine.new_game()
        info = engine.play(position, limit).info
        rates.append(0.5 if info is None else info.score.pov(move.colour).win_rate)
    return rates[0] - rates[1]


def _after(board: tengen.Board, move: tengen.Move) -> tengen.Board:
    after = board.copy()
    after.push(move)
    return after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    marked = confirmed = 0
    print(f"machine {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for number in range(args.games):
        rule = ("renju", "freestyle")[number % 2]
        moves = game(rule, args.seed + number)
        start = tengen.Board(15, rule)
        with tengen.Engine(memory=32) as engine:
            begun = time.monotonic()
            found = review(engine, start, moves)
            seconds = time.monotonic() - begun
            errors = [move for move in found.moves if move.verdict.is_error]
            for move in errors:
                board = start.copy()
                for made in moves[: move.ply - 1]:
                    board.push(made)
                marked += 1
                confirmed += loss(engine, board, move) >= MISTAKE / 2
        share = 100 * confirmed / max(1, marked)
        print(
            f"{rule}, {len(moves)} moves: {seconds:.1f} s, {len(errors)} mistakes;"
            f" so far {confirmed} of {marked} confirmed ({share:.0f}%)",
            flush=True,
        )


if __name__ == "__main__":
    main()
