# SPDX-License-Identifier: MIT
"""The engine with MCTS: from Python, the command line, the protocol and the arena."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from callback_players import player_with, result_of
from onnx_files import write_net
from tengen import Board, Engine, Limit, Rule
from tengen.arena.errors import BadArena
from tengen.arena.player import Player
from tengen.cli.main import main
from tengen.engine import BadOption, EngineDied
from tengen.engine.options import DEFAULT_PRESET, SEARCHES, check_options

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"


def started(rule: Rule | str = "freestyle", size: int = 15) -> Board:
    board = Board(size, rule)
    centre = size // 2
    for dx, dy in ((0, 0), (1, 1), (-1, 1)):
        board.push((centre + dx, centre + dy))
    return board


@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize("size", [5, 9, 22])
def test_every_rule_and_size(rule: Rule, size: int) -> None:
    with Engine(search="mcts", memory=4) as engine:
        board = started(rule, size)
        played = engine.play(board, Limit(nodes=200))
        assert board.is_legal(played.move)
        assert played.info is not None
        assert 0 <= played.info.score.relative.win_rate <= 1
        assert played.info.nodes <= 200


def test_visits_of_lines() -> None:
    with Engine(search="mcts", net="classical", memory=4) as engine:
        with engine.analyse(started(), Limit(nodes=300), multipv=4) as analysis:
            last = {info.multipv: info for info in analysis}
        visits = [last[place].visits for place in sorted(last)]
        assert len(visits) == 4
        assert min(visits) > 0
        assert max(visits) > 300 / 8
        assert sum(visits) <= 300
        engine.configure(search="alphabeta")
        with engine.analyse(started(), Limit(nodes=300), multipv=4) as analysis:
            assert {info.visits for info in analysis} == {0}


# Black wins with g4 or g9; to move after 32 stones.
WIN_IN_ONE = (
    "h8 h9 k5 j6 g8 j8 g7 j7 j5 k6 i8 i6 f8 e8 h6 m6 l6 e9 i9 j10 j9 l5 j4 i5 g5 n3 m4 m7 i3 h2"
    " g6 g3"
)
# Black has lost after most moves, not after c5.
ONE_GOOD_MOVE = "h8 g7 g8 f8 h6 h7 g6 f6 f7 e6 e8 h5 d7 c6 e7 c7 i7 b6 d6 d4 d8 d10 e9 d9"


def after(moves: str) -> Board:
    board = Board(15, "freestyle")
    for move in moves.split():
        board.push(move)
    return board


@pytest.mark.parametrize("net", ["classical", str(LIVELY)])
@pytest.mark.parametrize("level", range(1, 10))
def test_every_level_wins_in_one(level: int, net: str) -> None:
    with Engine(search="mcts", net=net, level=level, memory=4) as engine:
        assert str(engine.play(after(WIN_IN_ONE), Limit(time=5)).move) in ("g4", "g9")


@pytest.mark.parametrize("depth", [1, 2, 10])
def test_a_depth_limit_does_not_stop_at_a_lost_move(depth: int) -> None:
    with Engine(search="mcts") as engine:
        played = engine.play(after(ONE_GOOD_MOVE), Limit(depth=depth, nodes=20_000))
    assert played.info is not None
    assert played.info.score.relative.mate is None or played.info.score.relative.mate > 0


def test_fives_come_first_among_several_lines() -> None:
    with Engine(search="mcts", net=str(LIVELY)) as engine:
        played = engine.analyse(after(WIN_IN_ONE), Limit(nodes=1), multipv=3).wait()
    assert str(played.move) in ("g4", "g9")


def test_the_same_request_has_the_same_result() -> None:
    result = []
    for _ in range(2):
        with Engine(search="mcts") as engine:
            result.append(engine.play(started("renju"), Limit(nodes=500)))
    assert result[0].move == result[1].move
    assert result[0].info is not None
    assert result[1].info is not None
    assert result[0].info.pv == result[1].info.pv
    assert result[0].info.score == result[1].info.score


def test_the_tree_is_reused_by_default() -> None:
    for reuse in (True, False):
        with Engine(search="mcts", tree_reuse=reuse) as engine:
            board = Board()
            board.push("h8")
            first = engine.play(board, Limit(nodes=1000))
            assert first.ponder is not None
            for move in (first.move, first.ponder):
                board.push(move)
            again = engine.play(board, Limit(nodes=10))
            fresh = Engine(search="mcts").play(board, Limit(nodes=10))
            assert again.info is not None
            assert fresh.info is not None
            same = (again.info.score, again.info.pv) == (fresh.info.score, fresh.info.pv)
            assert same != reuse


def test_lines_infos_and_stopping() -> None:
    with Engine(search="mcts", threads=2) as engine:
        with engine.analyse(started(), multipv=3) as analysis:
            seen = set()
            for info in analysis:
                seen.add(info.multipv)
                if info.nodes > 300 and len(seen) == 3:
                    break
        assert seen == {1, 2, 3}
        assert analysis.played is not None
        board = started()
        only = list(engine.analyse(board, Limit(nodes=100), moves=["a1", "o15"]))
        assert {str(info.pv[0]) for info in only} <= {"a1", "o15"}
        # The depth is that of the line.
        deep = engine.play(board, Limit(depth=4)).info
        assert deep is not None
        assert deep.depth >= 4
        timer = threading.Timer(0.1, engine.stop)
        timer.start()
        assert board.is_legal(engine.play(board, Limit()).move)
        timer.join()


def test_pondering() -> None:
    with Engine(search="mcts") as engine:
        board = started()
        engine.ponder(board)
        played = engine.ponder_hit(Limit(nodes=50))
        assert board.is_legal(played.move)
        played = engine.play(board, Limit(time=0.05, clock=3.0), ponder=True)
        assert board.is_legal(played.move)


def test_a_move_limit_and_a_single_point() -> None:
    board = Board(5, move_limit=6)
    for move in ("c3", "b2", "c2", "b3", "d4"):
        board.push(move)
    with Engine(search="mcts") as engine:
        played = engine.play(board, Limit(nodes=100))
        assert board.is_legal(played.move)
        assert played.info is not None
        assert played.info.score.relative.value == 0
        assert engine.play(Board(), Limit(nodes=5)).move.name == "h8"


def test_with_nets(tmp_path: Path) -> None:
    onnx = write_net(tmp_path / "small.onnx")
    fixed = write_net(tmp_path / "one.onnx", batch=1)
    for net in (LIVELY, onnx, fixed):
        with Engine(search="mcts", net=str(net), memory=8, batch=8) as engine:
            board = started()
            played = engine.play(board, Limit(nodes=60))
            assert board.is_legal(played.move)
            assert played.info is not None
            assert played.info.evaluations > 20
            assert engine.options["preset"] == "alphabeta"


def test_nets_are_evaluated_in_batches(tmp_path: Path) -> None:
    sizes: list[int] = []

    def ask(planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        sizes.append(len(planes))
        value = np.stack([planes[:, 0].sum((1, 2)), planes[:, 1].sum((1, 2))] * 2, 1)[:, :3]
        return value.astype(np.float32), np.cumsum(planes[:, 0] - planes[:, 1], 2, dtype=np.float32)

    def played(batch: int) -> list[int]:
        core = player_with(tmp_path, ask, search="mcts", batch=batch)
        core.start(started()._core, nodes=64)
        return list(result_of(core).pv)

    first = played(8)
    assert max(sizes) == 8
    assert played(8) == first
    sizes.clear()
    assert played(1)
    assert set(sizes) == {1}


def test_a_net_that_fails_ends_the_search(tmp_path: Path) -> None:
    net = write_net(tmp_path / "nan.onnx", nan=True)
    with (
        Engine(search="mcts", net=str(net), threads=2) as engine,
        pytest.raises(EngineDied, match="not a number"),
    ):
        engine.play(started(), Limit(nodes=100))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "deep"}, "no search of 'deep': use alphabeta, mcts, auto"),
        ({"tau": 1.5}, "no tau of 1.5: use a number from 0 to 1"),
        ({"tau": "0.5"}, "no tau of '0.5'"),
        ({"c": -0.1}, "no c of -0.1: use a number from 0 to 100"),
        ({"c": float("nan")}, "no c of nan"),
        ({"fpu": float("inf")}, "no fpu of inf"),
        ({"lcb": True}, "no lcb of True"),
        ({"temperature": 0}, "no temperature of 0: use a number from 0.01 to 100"),
        ({"c_base": 0.5}, "no c_base of 0.5"),
        ({"gumbel": 485}, "no gumbel of 485: use a whole number from 0 to 484"),
        ({"gumbel": 1.5}, "no gumbel of 1.5"),
        ({"batch": 0}, "no batch of 0"),
        ({"memory": 1}, "no memory of 1"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(BadOption) as caught:
        Engine(**options)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_options_change_the_search() -> None:
    board = started()
    moves = {}
    for options in ({}, {"c": 4}, {"tau": 0.9}, {"fpu": 1.0}, {"temperature": 5.0}, {"gumbel": 4}):
        with Engine(search="mcts", **options) as engine:
            info = engine.play(board, Limit(nodes=400)).info
            assert info is not None
            moves[str(options)] = (info.score, info.pv, info.evaluations)
    assert len(set(moves.values())) == len(moves)


def test_players_of_the_arena() -> None:
    player = Player.parse("search=mcts,net=my.net,tau=0.737,c=0.057,nodes=32,name=tree")
    assert (player.preset, player.name) == ("alphabeta", "tree")
    assert player.options["search"] == "mcts"
    assert player.options["tau"] == 0.737
    assert player.limit is not None
    assert player.limit.nodes == 32
    assert Player.parse("Search=mcts").preset == DEFAULT_PRESET
    assert Player.from_dict(player.to_dict()) == player
    assert Player.parse("classical,search=mcts").options["search"] == SEARCHES[1]
    with pytest.raises(BadArena, match="no search of 'deep'"):
        Player.parse("search=deep")
    with pytest.raises(BadArena, match="no tau of 2"):
        Player.parse("search=mcts,tau=2")
    assert check_options({"tau": 1}) == {"tau": 1.0}


def test_a_match_against_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "match"
    arguments = ["match", "search=mcts,nodes=150,memory=8,name=tree", "random", "--games", "4"]
    assert main([*arguments, "--nodes", "100", "--size", "11", "--out", str(out), "--json"]) == 0
    output = capsys.readouterr().out
    assert output
    result = json.loads((out / "result.json").read_text())
    assert "tree" in json.dumps(result)


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["h8 i9 h9", "--search", "mcts", "--nodes", "100", "--json", "--option", "tau=0.6"]
    assert main(["analyze", *arguments]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["final"]
    assert last["move"]
