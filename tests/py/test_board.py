# SPDX-License-Identifier: MIT
"""The public interface of `Board`: moves, errors, outcomes, copies, pickling, drawing."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

import tengen
from tengen import (
    BadPosition,
    Board,
    Colour,
    Forbidden,
    ForbiddenMove,
    GameOver,
    IllegalMove,
    Move,
    Rule,
    Shape,
    Threat,
)


def played(moves: str, rule: str = "freestyle", size: int = 15) -> Board:
    board = Board(size, rule)
    for move in moves.split():
        board.push(move)
    return board


def test_push_pop_and_turns() -> None:
    board = Board(size=15, rule="renju")
    turns = [board.turn]
    assert board.push("h8") == Move(7, 7)
    turns.append(board.turn)
    assert turns == [Colour.BLACK, Colour.WHITE]
    assert board.peek() == Move(7, 7)
    assert board.stone_at("h8") is Colour.BLACK
    assert board.stone_at("i9") is None
    board.push("i9")
    assert board.stones() == {Move(7, 7): Colour.BLACK, Move(8, 8): Colour.WHITE}
    assert board.moves == [Move(7, 7), Move(8, 8)]
    assert board.pop() == Move(8, 8)
    assert board.pop() == Move(7, 7)
    assert board == Board(15, "renju")
    with pytest.raises(IndexError, match="no move"):
        board.pop()
    with pytest.raises(IndexError, match="no move"):
        board.peek()


@pytest.mark.parametrize("size", [4, 23, 0, -1, 15.0, "15", True, None])
def test_bad_sizes(size: object) -> None:
    with pytest.raises(BadPosition, match="sizes are 5 to 22"):
        Board(size)  # type: ignore[arg-type]


def test_illegal_moves_raise_and_change_nothing() -> None:
    board = played("h8 i9")
    before = board.copy()
    with pytest.raises(IllegalMove, match="h8 is occupied by black"):
        board.push("h8")
    with pytest.raises(IllegalMove, match="off the 15x15 board"):
        board.push("p1")
    with pytest.raises(IllegalMove, match="no move"):
        board.push("nonsense")
    assert board == before
    assert board.moves == before.moves
    assert not board.is_legal("h8")
    assert board.is_legal("pass")


def test_forbidden_moves_name_the_reason() -> None:
    board = Board.from_stones(
        black=["d7", "e7", "f7", "h7", "i7"], white=["a1", "a3", "a5", "a7", "a9"], rule="renju"
    )
    assert board.forbidden_points() == {Move.parse("g7"): Forbidden.OVERLINE}
    with pytest.raises(ForbiddenMove, match="g7 is forbidden to black: an overline") as caught:
        board.push("g7")
    assert caught.value.reason is Forbidden.OVERLINE
    assert isinstance(caught.value, IllegalMove)
    assert Move.parse("g7") not in board.legal_moves()
    assert pickle.loads(pickle.dumps(caught.value)).reason == "overline"
    board.push("pass")
    assert board.forbidden_points() != {}  # depends on the stones only
    board.push("g7")  # white may


def test_a_five_ends_the_game() -> None:
    board = played("h8 a1 i8 a2 j8 a3 k8 a4 l8")
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner is Colour.BLACK
    assert outcome.reason == "five"
    assert outcome.lines == (tuple(Move(x, 7) for x in range(7, 12)),)
    assert str(outcome) == "black wins (five)"
    assert board.is_over()
    assert board.legal_moves() == []
    assert not board.is_legal("a5")
    with pytest.raises(GameOver, match="black wins"):
        board.push("a5")
    with pytest.raises(GameOver):
        board.push("pass")
    board.pop()
    assert board.outcome() is None


def test_passes_and_limits_draw() -> None:
    board = played("h8 pass")
    assert board.outcome() is None
    board.push("pass")
    assert board.outcome() == tengen.Outcome(None, "passes")
    assert str(board.outcome()) == "draw (passes)"
    limited = Board(move_limit=2)
    limited.push("a1")
    limited.push("a2")
    assert limited.outcome() == tengen.Outcome(None, "move_limit")
    for bad in (0, -1, 10**12, "3", 2.5):
        with pytest.raises(BadPosition, match="move limit"):
            Board(move_limit=bad)  # type: ignore[arg-type]


def test_from_stones() -> None:
    study = Board.from_stones(
        black=["h8", "j9"], white=["i9"], to_move="white", size=15, rule="renju"
    )
    assert study.turn is Colour.WHITE
    assert study.moves == []
    assert study.stone_at("j9") is Colour.BLACK
    assert Board.from_stones(black=["a1"]).turn is Colour.WHITE  # black has one more
    assert Board.from_stones(black=["a1"], white=["b1"]).turn is Colour.BLACK
    assert Board.from_stones(black=["a1"], white=["b1", "c1"]).turn is Colour.BLACK
    with pytest.raises(IndexError):
        study.pop()


@pytest.mark.parametrize(
    ("black", "white", "message"),
    [
        (["h8", "h8"], [], "h8 is given twice, as black and as black"),
        (["h8"], ["7,7"], "h8 is given twice, as black and as white"),
        (["p1"], [], "black stone: 'p1' is off the 15x15 board"),
        ([], ["pass"], "white stone: a pass is no stone"),
        ([], [None], "white stone: no move None"),
    ],
)
def test_bad_set_ups(black: list[str], white: list[str], message: str) -> None:
    with pytest.raises(BadPosition, match=message):
        Board.from_stones(black=black, white=white)


def test_other_ways_to_set_up() -> None:
    board = Board.from_stones(black="h8 j9", white=["i9"], to_move="white")
    assert board == Board.from_stones(black=["h8", "j9"], white="i9", to_move="white")
    assert Board.from_array(board.to_array(), "white") == board
    assert Board.from_array([[0] * 9 for _ in range(9)], rule="caro") == Board(9, "caro")
    assert Board(np.int64(9)) == Board(9)
    with pytest.raises(BadPosition, match="mapping"):
        Board.from_stones(board.stones())
    for bad in ([[0] * 5] * 4, [0] * 25, [[3] * 5] * 5, [["x"] * 5] * 5):
        with pytest.raises(BadPosition, match="an array"):
            Board.from_array(bad)
    with pytest.raises(BadPosition, match="did you mean rule='renju'"):
        Board("renju")  # type: ignore[arg-type]


def test_threats_distinguish_forbidden_double_threes_from_false_ones() -> None:
    """Two crossing threes at h8; with a white stone beyond one end of each, still threes."""
    cross, away = ["f8", "g8", "h6", "h7"], ["a1", "o1", "a15"]
    renju = Board.from_stones(cross, away, "black", rule="renju")
    assert Move("h8") not in renju.threats()
    assert renju.threats(minimum=Threat.FOUR) == {}
    with pytest.warns(DeprecationWarning, match="minimum"):
        assert renju.threats(least=Threat.FOUR) == {}  # type: ignore[call-arg]
    assert renju.forbidden("h8") is Forbidden.DOUBLE_THREE
    assert renju.forbidden("h9") is None
    free = Board.from_stones(cross, away, "black", rule="freestyle")
    assert free.threats()[Move("h8")] is Threat.DOUBLE_THREE
    assert free.forbidden("h8") is None
    # The row's three can become an open four only at i8 or e8; at e8 white blocks, and at i8 black
    # would make an overline upward: so the row is no three, and h8 may be played.
    column = ["i4", "i5", "i6", "i7", "i9"]
    false = Board.from_stones(
        black=[*cross, *column],
        white=["e8", "a1", "a3", "a5", "i3", "i10", "o1", "o3"],
        to_move="black",
        rule="renju",
    )
    assert false.forbidden("h8") is None
    assert Move("h8") in false.threats()
    with pytest.raises(IllegalMove, match="occupied"):
        false.forbidden("e8")


def test_a_won_set_up_is_over() -> None:
    board = Board.from_stones(black=["a1", "b1", "c1", "d1", "e1"], white=["a3", "a4", "a5", "a6"])
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner is Colour.BLACK
    with pytest.raises(GameOver):
        board.push("h8")


def test_threats_shapes_counts_answers() -> None:
    board = played("h8 a1 i8 o1 j8 a15")
    assert board.threats(minimum=Threat.NONE) == board.threats(minimum=Threat.TWO)
    threats = board.threats()
    assert threats[Move.parse("g8")] is Threat.OPEN_FOUR
    assert threats[Move.parse("k8")] is Threat.OPEN_FOUR
    assert threats[Move.parse("l8")] is Threat.FOUR
    assert list(threats.values()) == sorted(threats.values(), reverse=True)
    assert board.threats("white") == {}
    assert board.shapes("g8") == (Shape.OPEN_FOUR, *[Shape.OPEN_ONE] * 3)
    assert board.threat_counts("white")[Threat.OPEN_FOUR] == 0
    counts = board.threat_counts()
    assert counts[Threat.OPEN_FOUR] == 2
    assert sum(counts.values()) == 225 - 6
    names = {move.name for move in board.defences("g8")}
    assert {"g8", "f8", "k8"} <= names
    board.push("k8")
    assert [m.name for m in board.defences("g8", "black")] == ["g8"]
    with pytest.raises(IllegalMove, match="occupied"):
        board.shapes("h8")
    assert board.defences("a14") == []


def test_copies_are_independent() -> None:
    board = played("h8 i9")
    for twin in (board.copy(), copy.copy(board), copy.deepcopy(board)):
        assert twin == board
        assert twin.moves == board.moves
        twin.push("a1")
        assert twin != board
        twin.pop()
        assert twin == board
    study = Board.from_stones(black=["h8"], white=["i9", "j9"])
    assert pickle.loads(pickle.dumps(study.copy())) == study

    class Marked(Board):
        __slots__ = ()

    assert type(Marked(9).copy()) is Marked
    assert type(copy.deepcopy(Marked(9))) is Marked
    assert type(pickle.loads(pickle.dumps(board))) is Board


def test_equality_and_hash() -> None:
    a, b = played("h8 i9 g7"), played("g7 i9 h8")
    assert a == b
    assert hash(a) == hash(b)
    assert len({a, b, Board()}) == 2
    assert a != played("h8 i9 g7", rule="standard")
    assert a != "h8 i9 g7"
    once = Board.from_stones(black=["h8"], to_move="black")
    once.push("pass")
    twice = Board.from_stones(black=["h8"], to_move="white")
    twice.push("pass")
    twice.push("pass")
    assert once != twice  # the second is over
    assert Board(move_limit=5) != Board(move_limit=6)
    passed = played("h8 i9 g7 pass")
    fresh = Board.from_stones(black=["h8", "g7"], white=["i9"], to_move="black")
    assert passed != fresh  # one more pass would end the first


@pytest.mark.parametrize("rule", list(Rule))
def test_pickle_keeps_moves_and_set_up(rule: Rule) -> None:
    board = Board.from_stones(["h8"], ["i9", "j9"], "black", 15, rule, move_limit=50)
    for move in ("a1", "pass", "c3"):
        board.push(move)
    twin = pickle.loads(pickle.dumps(board))
    assert twin == board
    assert twin.moves == board.moves
    assert twin.move_limit == 50
    assert twin.pop() == Move(2, 2)


def test_arrays_are_copies_in_row_order() -> None:
    board = played("h8 a2")
    array = board.to_array()
    assert array.shape == (15, 15)
    assert array[7, 7] == 1
    assert array[1, 0] == 2
    array[0, 0] = 1
    assert board.stone_at("a1") is None


def test_drawing() -> None:
    board = played("h8 i9", rule="renju")
    assert "X" in str(board)
    assert "O" in str(board)
    assert repr(board) == "<Board renju 15x15, ply 2, black to move>"
    assert board.svg(numbers=True).startswith("<svg")
    assert board._repr_svg_() == board.svg()
    by_name = board.svg(marks={"a1": "A"}, heat={"b2": 0.5, (2, 2): 1.0})
    assert by_name == board.svg(marks={Move("a1"): "A"}, heat={Move("b2"): 0.5, Move("c3"): 1.0})
    assert board.svg(heat=np.eye(15)) == board.svg(heat=np.eye(15).tolist())
    with pytest.raises(BadPosition, match="15 rows of 15"):
        board.svg(heat=np.eye(9))


def test_svg_crosses_numbers_and_rings() -> None:
    board = Board.from_stones("d7 e7 f7 h7 i7", "d8 e8 f8", "black", rule="renju")
    crossed = board.svg()
    assert crossed != board.svg(forbidden=False)
    board.push("pass")
    assert board.svg() == board.svg(forbidden=False)  # white to move
    board.push("g8")
    assert board.svg(forbidden={"a1": "given"}) != board.svg(forbidden=False)
    assert board.svg(numbers=True) == board.svg(numbers={"g8": 2})  # the pass was move 1
    assert board.svg(last="d7") != board.svg()


@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize("size", [5, 9, 15, 22])
def test_random_games_are_consistent(rule: Rule, size: int) -> None:
    """The conformance suite of the binding: random games to the end, undone to the start."""
    rng = random.Random(size)
    board = Board(size, rule)
    seen = [board.copy()]
    while not board.is_over():
        legal = board.legal_moves()
        move: Move | str = rng.choice(legal) if legal and rng.random() < 0.98 else "pass"
        assert board.is_legal(move)
        board.push(move)
        seen.append(board.copy())
    for expected in reversed(seen[:-1]):
        board.pop()
        assert board == expected
        assert hash(board) == hash(expected)
    assert board.ply == 0
