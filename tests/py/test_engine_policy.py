# SPDX-License-Identifier: MIT
"""The root policy, and the progress of a search between infos."""

from __future__ import annotations

import math
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tengen import Board, Engine, EngineBusy, EngineClosed, GameOver, Limit, Move, Rule
from tengen.engine import BadNet, SearchProgress
from tengen.engine.native_net import read_net
from tengen.engine.nets import net_path

OPENING = ("h8", "i9", "j7", "g7", "i8")
BUNDLED = "mixnet-m-freestyle"


def _board(*moves: str, rule: str = "freestyle") -> Board:
    board = Board(15, rule)
    for move in moves:
        board.push(move)
    return board


def test_a_net_gives_the_policy() -> None:
    board = _board(*OPENING)
    with Engine(net=BUNDLED, memory=4) as engine:
        result = engine.policy(board)
    assert math.isclose(sum(result.values()), 1)
    assert list(result.values()) == sorted(result.values(), reverse=True)
    # The same from the bare net, which sees the stones of the side to move as 1.
    mine = {board.turn: 1, board.turn.other: 2, None: 0}
    planes = board.to_array().copy()
    for move in (Move.from_index(n, 15) for n in range(225)):
        planes[move.y, move.x] = mine[board.stone_at(move)]
    _, policy = read_net(net_path(BUNDLED)).evaluate(planes[None])
    logits = {move: float(policy[0].ravel()[move.to_index(15)]) / 65536 for move in result}
    top = max(logits.values())
    whole = sum(math.exp(logit - top) for logit in logits.values())
    for move, chance in result.items():
        assert math.isclose(chance, math.exp(logits[move] - top) / whole, abs_tol=0.004)


def test_the_preset_policy_plays_by_the_net() -> None:
    board = _board(*OPENING)
    with Engine("policy", net=BUNDLED, memory=4) as engine:
        assert "mixnet" in engine.evaluation(board).name
        engine.prepare(board, seconds=None)
        best = next(iter(engine.policy(board)))
        lines = list(engine.analyse(board, Limit(depth=1), multipv=3))
        assert engine.play(board, Limit(depth=1)).move == best
    assert lines[-1].pv[0] == best
    with Engine(net=BUNDLED, memory=4) as engine:
        assert next(iter(engine.policy(board))) == best
    with Engine("policy", net="classical", memory=4) as engine:
        assert engine.evaluation(board).name == "classical"


@pytest.mark.parametrize("rule", list(Rule))
def test_the_classical_policy_follows_the_move_scores(rule: Rule) -> None:
    board = _board(*OPENING, rule=str(rule))
    with Engine("classical", memory=4) as engine, Engine("policy", memory=4) as looker:
        result = engine.policy(board)
        best = looker.play(board, Limit(nodes=1)).move
    assert math.isclose(sum(result.values()), 1)
    assert result[best] == max(result.values())
    assert all(board.is_legal(move) for move in result)


def test_the_policy_has_only_forced_moves() -> None:
    four = ("h8", "h7", "h9", "a3", "h10", "a5", "h11")
    with Engine(memory=4) as engine:
        assert engine.policy(_board(*four)) == {Move("h12"): 1.0}  # stops the five
        open_four = _board("h8", "a1", "h9", "a3", "h10", "a5", "h11", "c1")
        assert {move.name for move in engine.policy(open_four)} == {"h7", "h12"}  # makes it
        open_three = _board("h8", "a1", "h9", "a3", "h10")
        assert {m.name for m in engine.policy(open_three)} == {"h7", "h11"}
        assert engine.policy(_board()) == {Move("h8"): 1.0}
        assert len(set(Engine("random", memory=4).policy(_board(*OPENING)).values())) == 1


def test_the_policy_has_no_forbidden_points() -> None:
    board = _board("h8", "a1", "i8", "a15", "j9", "o1", "j10", "o15", rule="renju")
    assert board.forbidden("j8") is not None
    with Engine(memory=4) as engine:
        assert Move("j8") not in engine.policy(board)


def test_engines_without_a_policy_raise(tmp_path: Path) -> None:
    won = _board("h8", "a1", "h9", "a3", "h10", "a5", "h11", "a7", "h12")
    engine = Engine(memory=4)
    with pytest.raises(GameOver):
        engine.policy(won)
    with pytest.raises(TypeError):
        engine.policy("h8")  # type: ignore[arg-type]
    with engine.analyse(_board()), pytest.raises(EngineBusy, match="evaluate"):
        engine.policy(_board())
    engine.close()
    with pytest.raises(EngineClosed):
        engine.policy(_board())
    (tmp_path / "bad.net").write_bytes(b"no net")
    with pytest.raises(BadNet), Engine(net=str(tmp_path / "bad.net")) as broken:
        broken.policy(_board())


def test_policy_keeps_the_tables() -> None:
    board = _board(*OPENING)

    def nodes(looks: bool) -> int:
        with Engine(memory=8) as engine:
            engine.analyse(board, Limit(depth=8)).wait()
            if looks:
                engine.policy(board)
            last = engine.analyse(board, Limit(depth=9)).wait().info
            assert last is not None
            return last.nodes

    assert nodes(True) == nodes(False)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_between_infos(threads: int) -> None:
    with Engine("classical", memory=16, threads=threads) as engine:
        analysis = engine.analyse(_board(*OPENING), Limit(time=30), multipv=2)
        seen: list[SearchProgress] = []
        end = time.monotonic() + 20
        while len(seen) < 4 and time.monotonic() < end:
            time.sleep(0.05)
            now = analysis.progress()  # none of its infos is read
            if now is not None and (not seen or now.nodes > seen[-1].nodes):
                seen.append(now)
        analysis.stop()
        played = analysis.wait()
        assert len(seen) == 4
        assert all(a.time < b.time for a, b in pairwise(seen))
        assert all(now.nps > 0 and now.seldepth > 0 for now in seen)
        assert played.info is not None
        assert played.info.nodes >= seen[-1].nodes
        assert analysis.progress() is None


def test_progress_of_a_new_search_starts_at_zero() -> None:
    with Engine("classical", memory=16) as engine:
        engine.analyse(_board(*OPENING), Limit(nodes=300_000)).wait()
        with engine.analyse(_board(), Limit(time=20)) as analysis:
            while (now := analysis.progress()) is None and not analysis.is_done:
                analysis._search.next_info(0.01)
            assert now is None or now.nodes < 300_000
