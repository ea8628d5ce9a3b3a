# SPDX-License-Identifier: MIT
"""Adjudication: games end early by claimed and proven wins and by dead draws, and for no other
reason.
"""

from __future__ import annotations

import random

import pytest

from arena_fakes import FakeProgressRecord, Scripted, claims
from tengen import Board, Move
from tengen.arena.control import TimeControl
from tengen.arena.definition import ScheduledGame
from tengen.arena.game import MatchGame
from tengen.arena.referee import Participant, Referee, is_dead_draw, is_proven_win
from tengen.game.rule import Colour

OPEN_THREE = "h8 a1 i8 a3"  # black continues with j8


def play(black: Scripted, white: Scripted, board: Board, adjudicates: bool = True) -> MatchGame:
    control, fixture = TimeControl(depth=1), ScheduledGame(0, 0, 0, 1, 0)
    participants = Participant(0, black, control, 1), Participant(1, white, control, 1)
    return Referee(
        fixture, board, participants, FakeProgressRecord(), adjudicates=adjudicates
    ).play()


def after(moves: str, move_limit: int | None = None) -> Board:
    board = Board(move_limit=move_limit)
    for move in moves.split():
        board.push(move)
    return board


# --- wins ---


def test_a_claim_that_is_proven() -> None:
    game = play(Scripted(claims("j8")), Scripted("a5"), after(OPEN_THREE))
    assert (game.winner, game.reason, game.detail) == (Colour.BLACK, "proven_win", "")
    assert game.moves[-2:] == ("j8", "a5")
    assert game.at_fault is None


def test_white_s_claim() -> None:
    board = after("a1 h8 a3 i8 a9")
    game = play(Scripted("a13"), Scripted(claims("j8")), board)
    assert (game.winner, game.reason) == (Colour.WHITE, "proven_win")


@pytest.mark.parametrize("answer", ["j8", claims("j8", -4)], ids=["silent", "claims to lose"])
def test_no_claim(answer: str) -> None:
    black = Scripted(answer, "k8", "l8")
    game = play(black, Scripted("a5", "a7"), after(OPEN_THREE))
    assert (game.winner, game.reason, len(game.moves)) == (Colour.BLACK, "five", 9)


def test_the_claim_of_the_other_side_does_not_count() -> None:
    """The side to move has a win, but its opponent claims one."""
    black, white = Scripted("j8", "k8", "l8"), Scripted(claims("a5"), claims("a7"))
    game = play(black, white, after(OPEN_THREE))
    assert game.reason == "five"


def test_a_claim_without_proof() -> None:
    black = Scripted(*(claims(move) for move in ("h8", "a1", "o15")))
    game = play(black, Scripted("i9", "o1"), after("", move_limit=5))
    assert (game.winner, game.reason) == (None, "move_limit")


def test_a_claim_that_is_withdrawn() -> None:
    """The report of the last move counts."""
    black = Scripted(claims("h8"), "i8", "j8", "k8", "l8")
    game = play(black, Scripted("a1", "a3", "a5", "a7"), after(""))
    assert game.reason == "five"


def test_no_adjudication() -> None:
    black = Scripted(claims("j8"), claims("k8"), claims("l8"))
    game = play(black, Scripted("a5", "a7"), after(OPEN_THREE), adjudicates=False)
    assert (game.reason, len(game.moves)) == ("five", 9)
    black, white = Scripted(), Scripted()
    assert play(black, white, blocked(5), adjudicates=False).reason != "dead_draw"


def test_proofs() -> None:
    assert is_proven_win(after(f"{OPEN_THREE} j8 a5"))
    assert not is_proven_win(after("h8 i9"))
    assert not is_proven_win(after(f"{OPEN_THREE} j8 a5 o15"))  # the other side is to move


# --- draws ---


def blocked(size: int, black: int = 0, white: int = 1) -> Board:
    """Each five points in a line have just one stone of either colour."""
    points: dict[int, list[Move]] = {number: [] for number in range(5)}
    for y in range(size):
        for x in range(size):
            points[(x + 2 * y) % 5].append(Move(x, y))
    return Board.from_stones(points[black], points[white], size=size)


def board_of(stones: dict[Move, Colour], size: int) -> Board:
    black, white = ([m for m, result in stones.items() if result is colour] for colour in Colour)
    return Board.from_stones(black, white, to_move="black", size=size)


def is_dead_by_lines(board: Board) -> bool:
    """The same by another way: along every line, no five points next to each other are free of one
    of the colours.
    """
    size = board.size
    rows = [[board.stone_at((x, y)) for x in range(size)] for y in range(size)]
    lines = [*rows, *map(list, zip(*rows, strict=True))]
    for sign in (1, -1):
        for start in range(-size, 2 * size):
            points = [(x, start + sign * x) for x in range(size)]
            lines.append([rows[y][x] for x, y in points if 0 <= y < size])
    for line in lines:
        for colour in Colour:
            text = "".join("#" if stone is colour else "." for stone in line)
            if any(len(part) >= 5 for part in text.split("#")):
                return False
    return True


@pytest.mark.parametrize("size", [5, 6, 7, 9, 10, 15, 19, 22])
def test_blocked_boards(size: int) -> None:
    """Dead with few stones; alive again without a single one of them, wherever it was."""
    for black, white in ((0, 1), (1, 3), (4, 2)):
        board = blocked(size, black, white)
        assert is_dead_draw(board)
        assert is_dead_by_lines(board)
        stones = board.stones()
        centre = Move(size // 2 - (size % 2 == 0), size // 2)
        near = sorted(stones, key=lambda move: (move.x - centre.x) ** 2 + (move.y - centre.y) ** 2)
        for gone in near[:4]:
            assert not is_dead_draw(board_of({m: c for m, c in stones.items() if m != gone}, size))


def test_random_boards() -> None:
    chance = random.Random(7)
    seen = {True: 0, False: 0}
    for _ in range(600):
        size = chance.choice([5, 5, 6, 7])
        points = [Move(x, y) for x in range(size) for y in range(size)]
        chance.shuffle(points)
        points = points[: chance.randrange(size * size // 2, size * size + 1)]
        half = chance.randrange(len(points) // 3, len(points) - len(points) // 3)
        board = Board.from_stones(points[:half], points[half:], size=size)
        expected = is_dead_by_lines(board)
        assert is_dead_draw(board) == expected
        seen[expected] += 1
    assert min(seen.values()) > 30


def test_a_dead_draw_ends_the_game() -> None:
    black, white = Scripted(), Scripted()
    game = play(black, white, blocked(7))
    assert (game.winner, game.reason) == (None, "dead_draw")
    assert black.boards == white.boards == []


def test_one_line_that_is_left() -> None:
    """The game continues while a five is possible, and ends when it is not."""
    stones = blocked(5).stones()
    last = next(move for move, colour in stones.items() if colour is Colour.BLACK)
    del stones[last]
    board = board_of(stones, 5)
    one, two = [move for move in board.legal_moves() if move != last][:2]
    game = play(Scripted(one.name, last.name), Scripted(two.name), board)
    assert game.reason == "dead_draw"
    assert game.moves == (one.name, two.name, last.name)
