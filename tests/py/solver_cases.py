# SPDX-License-Identifier: MIT
"""Positions and proofs for the tests of solving, small enough to check by hand."""

from __future__ import annotations

from tengen import Board, Move, Proof

Node = tuple[str, int, list[tuple[str, int]]]


def open_three(**options: int) -> Board:
    """Black to move has h8, h9 and h10: a four wins in two."""
    return Board.from_stones("h8 h9 h10", "a1 a3 a5", "black", **options)  # type: ignore[arg-type]


def two_twos() -> Board:
    """Black has no win by fours, but i8 makes two open threes at once."""
    return Board.from_stones("g8 h8 i9 i10", "a1 c1 a15 o1", "black")


def quiet_board() -> Board:
    """Nothing to be won by fours."""
    return Board.from_stones("h8", "i9", "black")


def endless() -> Board:
    """Nearly empty and large: a search with quiet moves (`ENDLESS`) takes hours."""
    return Board.from_stones("k10", "l11", "black", 20)


ENDLESS = {"goal": "any", "quiet": 5, "time": None}


def made(board: Board, *nodes: Node, goal: str = "vcf") -> Proof:
    """A proof from nodes written by name."""
    place = {"pass": -1}
    place |= {str(Move.from_index(i, board.size)): i for i in range(board.size**2)}
    listed = [
        (place[move], threat, [(place[reply], node) for reply, node in replies])
        for move, threat, replies in nodes
    ]
    return Proof(board, goal, listed)


def open_three_proof(**options: int) -> Proof:
    """h7; h6 would be answered by h11, anything else by h6."""
    return made(open_three(**options), ("h7", 1, [("h6", 2)]), ("h6", -1, []), ("h11", -1, []))


def two_twos_proof() -> Proof:
    """i8, then the four that white's reply leaves open. The check plays some 90,000 moves."""
    return made(
        two_twos(),
        ("i8", 1, [("e8", 4), ("f8", 4), ("j8", 4)]),
        ("f8", 2, [("e8", 3)]),
        ("e8", -1, []),
        ("j8", -1, []),
        ("i11", 5, [("i7", 6)]),
        ("i7", -1, []),
        ("i12", -1, []),
        goal="vct",
    )


def long_proof() -> Proof:
    """A proof whose check takes minutes: a first move without a threat on the largest board. It
    does not even hold: late in the check, white answers where it hurts.
    """
    board = Board.from_stones("r17 s17 t18 t19", "a1", "black", 22)
    return made(
        board,
        ("b1", 1, []),
        ("t17", 2, [("p17", 5), ("q17", 5), ("u17", 5)]),
        ("q17", 3, [("p17", 4)]),
        ("p17", -1, []),
        ("u17", -1, []),
        ("t20", 6, [("t16", 7)]),
        ("t16", -1, []),
        ("t21", -1, []),
    )


def names(moves: list[Move]) -> str:
    return " ".join(map(str, moves))
