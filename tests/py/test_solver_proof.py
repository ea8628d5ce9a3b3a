# SPDX-License-Identifier: MIT
"""Proofs in Python: properties, tree, verification, copies, pictures."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import pytest

import tengen
from solver_cases import (
    long_proof,
    made,
    names,
    open_three,
    open_three_proof,
    quiet_board,
    two_twos_proof,
)
from tengen import BadProof, Board, Colour, IllegalMove, Move, Proof
from tengen.solver import Cancelled
from tengen.solver.tree import ProofTree


def test_properties_of_a_proof() -> None:
    proof = open_three_proof()
    assert proof
    assert (proof.attacker, proof.goal, proof.rule, proof.size) == (
        Colour.BLACK,
        "vcf",
        "freestyle",
        15,
    )
    assert (proof.nodes, len(proof), proof.depth, proof.move) == (3, 3, 2, Move("h7"))
    assert names(proof.line()) == "h7 h6 h11"
    assert proof.stats is None
    assert str(proof) == "Black wins by continuous fours in 2 moves, starting with h7."
    assert repr(proof) == "<Proof vcf: black h7, 3 nodes>"
    assert proof.board == open_three()


def test_a_proof_is_immutable() -> None:
    board = open_three()
    proof = made(board, ("h7", 1, [("h6", 2)]), ("h6", -1, []), ("h11", -1, []))
    board.push("o15")
    proof.board.push("n15")
    proof.line().clear()
    assert proof.board == open_three()
    assert names(proof.line()) == "h7 h6 h11"
    assert proof.verify()


# --- the check --------------------------------------------------------------------------------


def test_the_verifier_accepts_the_proof() -> None:
    assert open_three_proof().verify()
    assert open_three_proof(move_limit=3).verify()
    assert two_twos_proof().verify()


def test_a_win_that_comes_too_late() -> None:
    with pytest.raises(BadProof):
        open_three_proof(move_limit=2).verify()


@pytest.mark.parametrize(
    ("nodes", "path"),
    [
        ([("h7", 1, []), ("h6", -1, [])], "h7 h6"),  # the answer to h6 is missing
        ([("h7", 1, [("h6", 2)]), ("h6", -1, []), ("h12", -1, [])], "h7 h6"),  # no five
        ([("h7", 1, [("h6", 2)]), ("h5", -1, []), ("h11", -1, [])], "h7"),  # the threat is none
        ([("h8", 1, []), ("h6", -1, [])], ""),  # occupied
        ([("h7", -1, [])], ""),  # no five
    ],
)
def test_the_verifier_finds_the_fault(nodes: list[Any], path: str) -> None:
    with pytest.raises(BadProof) as caught:
        made(open_three(), *nodes).verify()
    assert names(caught.value.path).startswith(path)
    if path:
        assert f"after {path}" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.path) == (str(caught.value), caught.value.path)


def test_a_proof_of_the_wrong_game() -> None:
    won = Board.from_stones("a1 b1 c1 d1 e1", "a3", "white")
    with pytest.raises(BadProof):
        made(won, ("h7", -1, [])).verify()
    with pytest.raises(BadProof):
        made(quiet_board(), ("h7", 1, [("h6", 2)]), ("h6", -1, []), ("h11", -1, [])).verify()


def test_long_paths_are_shortened_in_messages() -> None:
    error = BadProof("no five", [Move(x, y) for y in range(6) for x in range(6)])
    assert "(12 more moves)" in str(error)
    assert len(error.path) == 36


# --- the tree ---------------------------------------------------------------------------------


def test_stepping_through() -> None:
    proof = open_three_proof()
    root = proof.root
    assert (root.move, root.wins, root.index, root.bound) == (Move("h7"), False, 0, 2)
    assert root.threat is not None
    assert root.threat.move == Move("h6")
    assert list(root.replies) == [Move("h6")]
    assert root.replies[Move("h6")].move == Move("h11")
    assert root.refutation("h6").wins
    assert root.refutation("a2") == root.refutation("pass") == root.threat
    with pytest.raises(IllegalMove, match="no reply is left"):
        root.threat.refutation("h11")
    assert "h7" in repr(root)
    assert len({root, proof.root, root.threat}) == 2


def test_walking() -> None:
    proof = open_three_proof()
    assert proof.walk([]) == proof.walk(["h7"]) == proof.root
    assert proof.walk(["h7", "h6"]).move == Move("h11")
    assert proof.walk(["h7", "o15"]).move == Move("h6")
    for moves, message in (
        (["h8"], "h8 is occupied"),
        (["h11"], "the proof continues with h7, not with h11"),
        (["h7", "h8"], "h8 is occupied"),
        (["h7", "h6", "h11", "a2"], "the game is over"),
    ):
        with pytest.raises(IllegalMove, match=message):
            proof.walk(moves)


def test_the_threat_may_be_the_longest_resistance() -> None:
    board = Board.from_stones("h8 h9 h10 d4 e4 f4", "", "black")
    # h7 threatens, without need, to make another four first.
    nodes = [
        ("h7", 1, [("h6", 4), ("h11", 5)]),
        ("g4", 2, [("c4", 3)]),
        ("c4", -1, []),
        ("h4", -1, []),
        ("h11", -1, []),
        ("h6", -1, []),
    ]
    proof = made(board, *nodes)
    assert names(proof.line()) == "h7 pass g4 c4 h4"
    assert proof.depth == 3
    # With the pass listed, the reply is the first point that is not.
    listed = [("h7", 1, [("h6", 4), ("h11", 5), ("pass", 4)]), *nodes[1:]]
    assert names(made(board, *listed).line()) == "h7 a1 g4 c4 h4"


def test_a_reply_that_cannot_be_played_is_not_in_the_main_line() -> None:
    nodes = [("h7", 2, [("h8", 1), ("h6", 3)]), ("a2", 2, []), ("h6", -1, []), ("h11", -1, [])]
    assert names(made(open_three(), *nodes).line()) == "h7 h6 h11"


def test_a_line_that_cannot_be_played_is_reported() -> None:
    with pytest.raises(BadProof, match="next move of the proof is not legal"):
        made(open_three(), ("h8", -1, [])).line()
    with pytest.raises(BadProof, match="after h7: the proof ends, but the game does not"):
        made(open_three(), ("h7", -1, [])).svg()


def test_long_chains_need_no_recursion() -> None:
    count = 200_000
    nodes = [(0, -1, [(i % 200, i + 1)]) for i in range(count - 1)]
    nodes.append((0, -1, []))
    tree = ProofTree(nodes)
    assert tree == ProofTree(tree.core_nodes())
    assert Proof(Board(), "vcf", nodes).root.bound == count


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "a proof without nodes"),
        ([(0, 0, [])], "node 0 continues with node 0"),
        ([(0, 1, []), (0, 5, [])], "node 1 continues with node 5, not with a later"),
        ([(0, 1, []), (0, -1, [(3, 0)])], "node 1 continues with node 0"),
        ([(0, 1, [(3, 1), (3, 1)]), (0, -1, [])], "node 0 lists a reply twice"),
        ([(225, -1, [])], "."),
        ([(0, 1, [(225, 1)]), (1, -1, [])], "."),
        ([(-1, -1, [])], "."),
    ],
)
def test_invalid_trees(nodes: list[Any], message: str) -> None:
    with pytest.raises(BadProof, match=message):
        Proof(open_three(), "vcf", nodes)


# --- storing and drawing ----------------------------------------------------------------------


def test_equality() -> None:
    proof = open_three_proof()
    assert proof == open_three_proof()
    assert hash(proof) == hash(open_three_proof())
    assert proof != open_three_proof(move_limit=9)
    assert proof != made(open_three(), ("h7", 1, [("h6", 2)]), ("h6", -1, []), ("h12", -1, []))
    assert proof != made(
        open_three(), ("h7", 1, [("h6", 2)]), ("h6", -1, []), ("h11", -1, []), goal="vct"
    )
    assert proof != "h7"


def test_copies_and_pickles() -> None:
    for proof in (open_three_proof(), open_three_proof(move_limit=9)):
        again = pickle.loads(pickle.dumps(proof))
        assert again == proof == copy.copy(proof) == copy.deepcopy(proof)
        assert again.verify()
        assert again.board == proof.board


def test_pictures() -> None:
    proof = open_three_proof()
    picture = proof.svg(title="a proof")
    assert all(f">{number}</text>" in picture for number in (1, 2, 3))
    assert "<title>a proof</title>" in picture
    assert proof.svg(moves=0) == proof.board.svg(numbers={})
    assert proof.svg(moves=1).count("<circle") < picture.count("<circle")
    assert proof._repr_svg_() == proof.svg()


# --- stopping ---------------------------------------------------------------------------------


def test_a_cancelled_check() -> None:
    cancel = tengen.Cancel()
    cancel.set()
    with pytest.raises(Cancelled, match="cancelled after"):
        two_twos_proof().verify(cancel=cancel)


def test_a_check_cancelled_from_another_thread() -> None:
    cancel = tengen.Cancel()
    threading.Timer(0.05, cancel.set).start()
    with pytest.raises(Cancelled):
        long_proof().verify(cancel=cancel)


def test_an_exception_in_progress_ends_the_check() -> None:
    class Enough(Exception):
        pass

    calls: list[int] = []

    def stop(moves: int) -> None:
        calls.append(moves)
        if len(calls) == 3:
            raise Enough

    with pytest.raises(Enough):
        long_proof().verify(stop)
    assert 0 <= calls[0] < calls[1] < calls[2]
