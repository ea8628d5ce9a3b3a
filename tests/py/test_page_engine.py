# SPDX-License-Identifier: MIT
"""The engine of the page: the same requests to the native core and, if it was built (`make wasm`),
to WebAssembly under node.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tengen import _core
from tengen.engine.nets import DATA
from tengen.engine.onnx_net import load_external
from tengen.game import Board

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "build" / "wasm" / "page-engine.js"
PROCESS = ROOT / "tests" / "page" / "engine_process.mjs"

OPTIONS = {"memory": "16", "preset": "classical"}

Events = list[dict[str, Any]]
Ask = Callable[..., Events]


def native() -> Iterator[Ask]:
    engine = _core.PageEngine(OPTIONS, DATA, load_external)

    def ask(**request: Any) -> Events:
        events: Events = []
        engine.handle(json.dumps(request), lambda text: events.append(json.loads(text)))
        return events

    yield ask


def wasm() -> Iterator[Ask]:
    if not PROGRAM.is_file() or shutil.which("node") is None:
        pytest.skip("needs node and `make wasm`")
    command = ["node", "--no-experimental-fetch", str(PROCESS), str(PROGRAM), str(DATA)]
    command.append(json.dumps(OPTIONS))
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def ask(**request: Any) -> Events:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
            return [json.loads(line) for line in iter(stdout.readline, "\n")]

        yield ask
        stdin.close()


@pytest.fixture(scope="module", params=[native, wasm], ids=["native", "wasm"])
def ask(request: pytest.FixtureRequest) -> Iterator[Ask]:
    yield from request.param()


GAME_MOVES = ["h8", "h9", "i8", "g8", "i7", "i9", "g9", "f10", "j6", "k5", "h7"]
GAME = {"rule": "renju", "moves": GAME_MOVES}


def position(count: int, rule: str = "renju") -> dict[str, Any]:
    return {"rule": rule, "moves": GAME_MOVES[:count]}


def test_views_are_those_of_the_board(ask: Ask) -> None:
    (event,) = ask(type="view", id=1, position=GAME, whole_line=True)
    assert event["type"] == "views"
    board = Board(15, "renju")
    for ply, view in enumerate(event["views"]):
        assert view["ply"] == ply
        assert view["stones"] == "".join(".bw"[cell] for cell in board._core.cells())
        forbidden = board.forbidden_points() if board.turn.name == "BLACK" else {}
        assert {(one["point"], one["reason"]) for one in view["forbidden"]} == {
            (move.name, why.value) for move, why in forbidden.items()
        }
        if ply < len(GAME_MOVES):
            board.push(GAME_MOVES[ply])


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro", "caro6"])
def test_moves_of_levels_are_legal(ask: Ask, rule: str) -> None:
    moves: list[str] = []
    for level in (1, 3, 5):
        (event,) = ask(type="move", id=2, level=level, position={"rule": rule, "moves": moves})
        assert event["type"] == "move"
        moves.append(event["move"])
    board = Board(15, rule)
    for move in moves:
        board.push(move)


def test_seeds_vary_weak_levels(ask: Ask) -> None:
    def moves(seeds: Iterator[int]) -> list[str]:
        return [
            ask(type="move", id=2, level=1, seed=seed, position=position(4))[0]["move"]
            for seed in seeds
        ]

    first = moves(iter(range(12)))
    assert len(set(first)) > 1
    assert moves(iter(range(12))) == first


def test_analyses_end_with_the_best_lines(ask: Ask) -> None:
    events = ask(type="analyse", id=3, position=position(8), lines=2, seconds=0.5)
    assert events[-1]["state"] == "done"
    assert {event["state"] for event in events[:-1]} == {"running"}
    assert [line["rank"] for line in events[-1]["lines"]] == [1, 2]
    assert len({line["moves"][0] for line in events[-1]["lines"]}) == 2
    assert events[-1]["nodes"] > 100


def test_a_win_by_fours(ask: Ask) -> None:
    three = {"moves": ["h8", "a1", "i8", "a3", "j8", "a5"]}
    *_, event = ask(type="solve", id=4, position=three, goal="vcf")
    assert event["state"] == "win"
    (node,) = ask(type="proof_step", id=4, moves=event["line"][:1])
    assert node["type"] == "proof_node"
    assert node["threat"] or node["replies"]


def problems() -> list[dict[str, Any]]:
    text = (ROOT / "src/tengen/web/static/problems.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["problems"]
    return found


def problem_position(problem: dict[str, Any], moves: list[str]) -> dict[str, Any]:
    setup = {name: problem[name] for name in ("black", "white", "turn")}
    return {"rule": problem["rule"], "size": problem["size"], "setup": setup, "moves": moves}


def test_the_first_move_of_every_problem_wins(ask: Ask) -> None:
    for problem in problems()[::3]:
        position = problem_position(problem, [problem["first"]])
        (event,) = ask(type="attempt", id=7, position=position, goal=problem["goal"])
        assert event["type"] == "attempt_result"
        assert event["verdict"] in ("right", "solved"), problem["name"]


def test_problems_are_solved_against_the_longest_resistance(ask: Ask) -> None:
    for problem in problems()[::40]:
        moves = [problem["first"]]
        for _ in range(problem["length"] + 1):
            position = problem_position(problem, moves)
            (event,) = ask(type="attempt", id=8, position=position, goal=problem["goal"])
            if event["verdict"] == "solved":
                break
            assert event["verdict"] == "right", problem["name"]
            moves.append(event["reply"])
            position = problem_position(problem, moves)
            *_, win = ask(type="solve", id=9, position=position, goal=problem["goal"])
            moves.append(win["line"][0])
        assert event["verdict"] == "solved", problem["name"]


def test_other_moves_of_a_problem_fail(ask: Ask) -> None:
    for problem in problems()[::40]:
        taken = {*problem["black"], *problem["white"], problem["first"]}
        far = next(p for p in ("a1", "o15", "a15", "o1") if p not in taken)
        position = problem_position(problem, [far])
        (event,) = ask(type="attempt", id=10, position=position, goal=problem["goal"])
        assert event["verdict"] == "wrong", problem["name"]
        assert event["reason"]


def test_a_review(ask: Ask) -> None:
    *_, event = ask(type="review", id=5, position=GAME, effort=0.05)
    assert event["state"] == "done"
    assert [move["move"] for move in event["moves"]] == GAME_MOVES


def test_what_a_hostile_page_sends(ask: Ask) -> None:
    for text in ({}, {"type": "view"}, {"type": "view", "position": {"size": 1e300}},
                 {"type": "analyse", "position": {"moves": ["h8"] * 1000}},
                 {"type": "move", "id": 6, "position": {"moves": ["ü1"]}}):  # fmt: skip
        (event,) = ask(**text)
        assert event["type"] == "error"
        assert event["code"]


def test_the_answers_are_the_same() -> None:
    """Of both editions, where nothing depends on the time."""
    answers = []
    for make in (native, wasm):
        for ask in make():
            asked = [
                *ask(type="view", id=1, position=GAME, whole_line=True),
                *ask(type="new_game", id=2),
                *(
                    ask(type="move", id=3, level=3, seconds=60, position=position(n))[0]
                    for n in range(8)
                ),
                *ask(type="swap2", id=4, number=5, position={}),
                ask(type="solve", id=5, position=position(6), goal="vcf")[-1],
                *ask(type="move", id=6, position={"moves": ["h8", "h8"]}),
            ]
            answers.append(asked)
    assert answers[0] == answers[1]


def test_an_event_handler_that_raises() -> None:
    engine = _core.PageEngine({"memory": "4", "preset": "classical"}, DATA, load_external)

    def raising(text: str) -> None:
        raise RuntimeError("no room")

    position = {"moves": ["h8", "i9"]}
    start = monotonic()
    with pytest.raises(RuntimeError, match="no room"):
        engine.handle(
            json.dumps({"type": "analyse", "position": position, "seconds": 600}), raising
        )
    assert monotonic() - start < 300
    events: list[str] = []
    engine.handle(json.dumps({"type": "view", "position": {}}), events.append)
    assert len(events) == 1
