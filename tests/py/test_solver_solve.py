# SPDX-License-Identifier: MIT
"""`solve`, `defences` and `Solver`: answers, limits, invalid arguments, stopping."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import threading
from typing import Any

import pytest

import tengen
from solver_cases import ENDLESS, endless, names, open_three, quiet_board, two_twos
from tengen import (
    BadLimit,
    BadNotation,
    BadPosition,
    Board,
    Cancel,
    Colour,
    GameOver,
    Move,
    NoProof,
    Proof,
    Solver,
    SolverBusy,
    TengenError,
)
from tengen.solver import SolverProgress, Status


def solved(board: Board, goal: str = "vct", **options: Any) -> Proof:
    result = tengen.solve(board, goal, **options)
    assert isinstance(result, Proof), result
    return result


def refused(board: Board, goal: str = "vct", **options: Any) -> NoProof:
    result = tengen.solve(board, goal, **options)
    assert isinstance(result, NoProof), result
    return result


# --- answers ----------------------------------------------------------------------------------


def test_a_win_by_fours() -> None:
    proof = solved(open_three(), "vcf")
    assert proof
    assert proof.verify()
    assert (proof.goal, proof.attacker, proof.depth) == ("vcf", Colour.BLACK, 2)
    assert proof.board == open_three()
    line = proof.line()
    assert line[0] == proof.move in (Move("h7"), Move("h11"))
    board = proof.board
    for move in line:
        board.push(move)
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (Colour.BLACK, "five")
    assert proof.stats is not None
    assert proof.stats.seconds >= 0


def test_a_five_at_once() -> None:
    board = Board.from_stones("h8 h9 h10 h11", "h12 a1 a2", "black")
    proof = solved(board, "vcf")
    assert names(proof.line()) == "h7"
    assert (proof.nodes, proof.depth, proof.root.wins) == (1, 1, True)
    assert str(proof) == "Black wins by continuous fours in 1 move, starting with h7."


def test_a_win_by_threats_only() -> None:
    assert refused(two_twos(), "vcf").status == "no win"
    proof = solved(two_twos())
    assert proof.verify()
    assert proof.goal == "vct"
    again = solved(two_twos(), "ANY")
    assert again.goal == "any"


def test_no_win() -> None:
    answer = refused(quiet_board(), "vcf")
    assert not answer
    assert (answer.status, answer.status == "no win") == (Status.NO_WIN, True)
    assert answer.reason == "no win by continuous fours"
    assert str(answer).startswith("Black has no win by continuous fours (")
    answer = refused(quiet_board(), "any", quiet=1)
    assert answer.reason == "no win by continuous threats and 1 quiet move"


def test_the_answer_at_a_limit() -> None:
    answer = refused(endless(), "any", quiet=5, nodes=5000, time=None)
    assert (answer.status, answer.reason) == (Status.UNKNOWN, "limit of 5,000 nodes reached")
    assert 0 < answer.nodes <= 5000
    assert str(answer).startswith("Unknown whether black wins by threats and quiet moves: limit of")
    answer = refused(endless(), "any", quiet=5, time=0.02)
    assert answer.reason == "time limit of 0.02 s reached"
    assert answer.status == "unknown"
    assert answer.best is None or isinstance(answer.best, Move)


def test_the_side_to_move_attacks() -> None:
    board = Board.from_stones("a1 a3 a5", "h8 h9 h10", "white")
    assert solved(board, "vcf").attacker is Colour.WHITE


def test_forbidden_moves_are_respected() -> None:
    """Black's only four in renju is an overline: no win, but one in freestyle."""
    stones = {"black": "c8 d8 e8 g8 h8 k3", "white": "b8 i8 o1 o3 o5", "to_move": "black"}
    assert not tengen.solve(Board.from_stones(**stones, rule="renju"), "vcf")  # type: ignore[arg-type]
    assert tengen.solve(Board.from_stones(**stones), "vcf")  # type: ignore[arg-type]


def test_a_move_limit_is_respected() -> None:
    proof = solved(open_three(move_limit=3), "vcf")
    assert proof.verify()
    assert proof.to_json()["moves_left"] == 3
    assert not tengen.solve(open_three(move_limit=2), "vcf")


def test_answers_pickle_and_compare() -> None:
    answer = refused(quiet_board(), "vcf")
    assert pickle.loads(pickle.dumps(answer)) == answer == copy.deepcopy(answer)
    proof = solved(open_three(), "vcf")
    again = pickle.loads(pickle.dumps(proof))
    assert again == proof
    assert again.stats == proof.stats


def test_the_board_is_not_changed() -> None:
    board = open_three()
    board.push("o15")
    board.pop()
    before = board.copy()
    tengen.solve(board, "vcf")
    assert board == before
    assert board.ply == before.ply


# --- wrong questions --------------------------------------------------------------------------


def full_board() -> Board:
    """No five anywhere."""
    pattern = ["XXOOX", "OOXXO", "XXOOX", "OOXXO", "XXOOX"]
    cells = [(x, y) for y in range(5) for x in range(5)]
    black = [cell for cell in cells if pattern[cell[1]][cell[0]] == "X"]
    return Board.from_stones(black, [cell for cell in cells if cell not in black], size=5)


def passed_twice() -> Board:
    board = open_three()
    board.push("pass")
    board.push("pass")
    return board


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (Board.from_stones("a1 b1 c1 d1 e1", "a3", "white"), r"black wins \(five\)"),
        (Board.from_stones("a1 b1 c1 d1 e1", "a3 b3 c3 d3 e3", "black"), r"white wins \(five\)"),
        (full_board(), r"draw \(full board\)"),
        (passed_twice(), r"draw \(passes\)"),
    ],
)
def test_a_game_that_is_over(board: Board, message: str) -> None:
    for ask in (tengen.solve, tengen.defences):
        with pytest.raises(GameOver, match=f"nothing to solve: the game is over, {message}"):
            ask(board)


def test_unreachable_positions_are_solved() -> None:
    assert not tengen.solve(Board(5), "vcf")
    assert not tengen.solve(Board.from_stones("", "a1 b2 c5 d4 o15 o13 a8", "black"), "vcf")
    many = Board.from_stones("h8 h9 h10 a1 c1 e1 g1 i1 k1", "", "white")
    assert not tengen.solve(many, "vcf")
    # Six black stones in a row are no win in renju, and the game continues.
    six = Board.from_stones("a1 b1 c1 d1 e1 f1", "h8 h9 h10", "white", rule="renju")
    assert solved(six, "vcf").verify()
    passed = open_three()
    passed.push("pass")
    passed.push("o1")
    passed.push("pass")
    assert not tengen.solve(passed, "vcf")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"goal": "mate"}, BadNotation, "no goal 'mate': known are vcf, vct, any"),
        ({"goal": 3}, BadNotation, "no goal 3"),
        ({"time": -1}, BadLimit, "no time limit of -1: use seconds greater than 0, or None"),
        ({"time": 0}, BadLimit, "no time limit of 0"),
        ({"time": math.nan}, BadLimit, "no time limit of nan"),
        ({"time": "5"}, BadLimit, "no time limit of '5'"),
        ({"time": True}, BadLimit, "no time limit of True"),
        ({"nodes": 0}, BadLimit, "no number of nodes of 0: use 1 or more, or None"),
        ({"nodes": -5}, BadLimit, "no number of nodes of -5"),
        ({"nodes": 1.5}, BadLimit, "no number of nodes of 1.5"),
        ({"memory": 0}, BadLimit, r"no memory \(in MiB\) of 0: use 1 to"),
        ({"memory": -64}, BadLimit, "of -64"),
        ({"memory": 1 << 40}, BadLimit, "use 1 to"),
        ({"memory": 0.5}, BadLimit, "of 0.5"),
        ({"goal": "any", "quiet": -1}, BadLimit, "no number of quiet moves of -1: use 0 to 100"),
        ({"goal": "any", "quiet": 101}, BadLimit, "no number of quiet moves of 101"),
        ({"goal": "vct", "quiet": 1}, BadLimit, "quiet moves go with goal 'any'"),
    ],
)
def test_wrong_limits(options: dict[str, Any], error: type[Exception], message: str) -> None:
    for ask in (tengen.solve, tengen.defences):
        with pytest.raises(error, match=message) as caught:
            ask(open_three(), **options)
        assert isinstance(caught.value, TengenError)
        assert isinstance(caught.value, ValueError)


def test_generous_limits() -> None:
    proof = solved(open_three(), "vcf", time=math.inf, nodes=1 << 80, memory=1)
    assert proof.verify()
    assert solved(open_three(), " VCF ", time=None)


def test_wrong_kinds_of_arguments() -> None:
    with pytest.raises(TypeError, match=r"a tengen\.Board is needed, not str"):
        tengen.solve("h8 i9")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        tengen.solve(open_three(), "vcf", 5)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        tengen.solve(open_three(), "vcf", cancel=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a tengen\.Board is needed"):
        Solver().solve(None)  # type: ignore[arg-type]


# --- one solver for many positions ------------------------------------------------------------


def test_one_solver_for_many_positions() -> None:
    solver = Solver(15, "freestyle", memory=8)
    assert (solver.size, solver.rule, solver.memory) == (15, "freestyle", 8)
    for _ in range(3):
        assert solver.solve(two_twos(), "vct")
        assert not solver.solve(quiet_board(), "vct")
        assert tengen.solve(open_three(), "vcf", solver=solver)
        assert solver.defences(quiet_board(), "vcf").threat.goal == "vcf"
    assert 0 <= solver.memory_used <= 8 << 20
    assert repr(solver) == "<Solver freestyle 15x15, 8 MiB>"


def test_a_solver_for_another_board() -> None:
    for board in (Board(19), Board(15, "renju")):
        with pytest.raises(BadPosition, match="this solver is for freestyle on 15x15"):
            Solver(15, "freestyle").solve(board)
    with pytest.raises(BadPosition, match="no board of size 3"):
        Solver(3)
    with pytest.raises(BadNotation, match="no rule"):
        Solver(15, "chess")
    with pytest.raises(BadLimit):
        Solver(15, memory=0)


def test_a_busy_solver_rejects_a_second_search() -> None:
    solver = Solver(20)
    caught: list[Exception] = []

    def again(progress: SolverProgress) -> None:
        try:
            solver.solve(endless())
        except SolverBusy as error:
            caught.append(error)
            cancel.set()

    cancel = Cancel()
    solver.solve(endless(), cancel=cancel, progress=again, **ENDLESS)  # type: ignore[arg-type]
    assert "use one for each thread" in str(caught[0])
    assert not solver.solve(endless(), "vcf")


# --- stopping ---------------------------------------------------------------------------------


def test_cancelled_from_another_thread() -> None:
    cancel = Cancel()
    assert not cancel.is_set()
    threading.Timer(0.05, cancel.set).start()
    answer = refused(endless(), cancel=cancel, **ENDLESS)  # type: ignore[arg-type]
    assert (answer.status, answer.reason) == ("unknown", "cancelled")
    assert cancel.is_set()


def test_cancelled_before_the_start() -> None:
    cancel = Cancel()
    cancel.set()
    answer = refused(endless(), cancel=cancel, **ENDLESS)  # type: ignore[arg-type]
    assert answer.reason == "cancelled"


def test_the_search_releases_the_gil() -> None:
    """The GIL is free: a thread counts while the search runs, and it ends the search."""
    cancel = Cancel()

    def count() -> None:
        for _ in range(100_000):
            pass
        cancel.set()

    worker = threading.Thread(target=count)
    worker.start()
    assert refused(endless(), cancel=cancel, **ENDLESS).reason == "cancelled"  # type: ignore[arg-type]
    worker.join()


def test_progress() -> None:
    cancel = Cancel()
    messages: list[SolverProgress] = []

    def listen(progress: SolverProgress) -> None:
        messages.append(progress)
        if len(messages) == 3:
            cancel.set()

    refused(endless(), cancel=cancel, progress=listen, **ENDLESS)  # type: ignore[arg-type]
    assert len(messages) >= 3
    nodes = [progress.nodes for progress in messages]
    assert nodes == sorted(nodes)
    assert nodes[-1] > nodes[0]
    assert all(p.depth >= 0 and p.seconds >= 0 for p in messages)
    assert all(p.best is None or isinstance(p.best, Move) for p in messages)


def test_an_exception_in_progress_ends_the_search() -> None:
    class Enough(Exception):
        pass

    def stop(progress: SolverProgress) -> None:
        raise Enough

    solver = Solver(20)
    with pytest.raises(Enough):
        solver.solve(endless(), progress=stop, **ENDLESS)  # type: ignore[arg-type]
    assert not solver.solve(endless(), "vcf")  # it is still usable


def test_ctrl_c_ends_a_search() -> None:
    code = (
        "import signal, threading, os, tengen\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "board = tengen.Board.from_stones('k10', 'l11', 'black', 20)\n"
        "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    tengen.solve(board, 'any', quiet=5, time=None)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (result.stdout, result.returncode) == ("interrupted\n", 0), result.stderr


# --- defences ---------------------------------------------------------------------------------


def test_no_threat() -> None:
    result = tengen.defences(quiet_board(), "vcf")
    assert not result
    assert isinstance(result.threat, NoProof)
    assert (result.moves, result.losing, result.unknown) == ([], {}, [])
    assert str(result) == "White threatens no win by continuous fours."


def test_a_threat_and_its_refutations() -> None:
    """White to move must stop black's open three; its ends and the points beside them do."""
    board = Board.from_stones("h8 h9 h10", "a1 a3", "white")
    result = tengen.defences(board, "vcf")
    assert result
    assert isinstance(result.threat, Proof)
    assert result.threat.attacker is Colour.BLACK
    assert result.threat.verify()
    assert (
        {Move("h7"), Move("h11")}
        <= set(result.moves)
        <= {Move(name) for name in ("h6", "h7", "h11", "h12")}
    )
    legal = board.legal_moves()
    assert sorted([*result.moves, *result.losing, *result.unknown]) == sorted(legal)
    for move, proof in list(result.losing.items())[::50]:
        assert proof.board.stone_at(move) is Colour.WHITE
        assert proof.attacker is Colour.BLACK
        assert proof.verify()
    assert "Black threatens to win by continuous fours, starting with" in str(result)
    assert "refute it." in str(result)


def test_no_defence() -> None:
    board = Board.from_stones("h8 h9 h10 h11", "a1 a3 a5", "white")
    result = tengen.defences(board, "vcf")
    assert result
    assert (result.moves, result.unknown) == ([], [])
    assert str(result).endswith("No move refutes it.")


def test_winning_at_once_refutes() -> None:
    board = Board.from_stones("h8 h9 h10 h11", "a1 b1 c1 d1", "white")
    assert tengen.defences(board, "vcf").moves == [Move("e1")]


def test_defences_after_a_pass() -> None:
    """The tested pass would be the second in a row and end the game."""
    board = Board.from_stones("h8 h9 h10", "a1 a3", "black", move_limit=50)
    board.push("pass")
    result = tengen.defences(board, "vcf")
    assert isinstance(result.threat, Proof)
    assert not result.threat.board.is_over()
    assert result.threat.verify()


def test_defences_out_of_time() -> None:
    board = Board.from_stones("h8 h9 h10", "a1 a3", "white")
    cancel = Cancel()
    cancel.set()
    result = tengen.defences(board, "vct", cancel=cancel)
    assert not result or result.unknown
    if not result:
        assert str(result) == "Unknown whether black threatens to win: cancelled."
