# SPDX-License-Identifier: MIT
"""Engines that play with a net: from a file, shared by all engines of the process; and files that
are none, or for something else.
"""

from __future__ import annotations

import gc
import shutil
from pathlib import Path

import pytest

from tengen import Board, Engine, Limit, _core
from tengen.engine.errors import BadNet
from tengen.engine.native_net import read_net
from tengen.engine.nets import nets_for
from tengen.game.rule import Rule

NETS = Path(__file__).parents[1] / "golden" / "mixnet"
LIVELY = NETS / "lively.net"


def test_a_net_plays_and_repeats_itself() -> None:
    board = Board()
    for move in ["h8", "i9", "g9"]:
        board.push(move)
    with Engine("mixnet", net=str(LIVELY), memory=8) as one, Engine(net=str(LIVELY)) as other:
        other.configure(preset="mixnet", memory=8)
        first = one.play(board, Limit(nodes=3000))
        assert first.info is not None
        assert first.info.evaluations > 0
        assert other.play(board, Limit(nodes=3000)).move == first.move
        with Engine("classical", memory=8) as plain:
            told = plain.play(board, Limit(nodes=3000)).info
            assert told is not None
            assert told.score != first.info.score, "the net has an opinion of its own"


def test_one_net_for_all_engines() -> None:
    net = read_net(LIVELY)
    assert read_net(str(LIVELY)) is net
    assert read_net(NETS / ".." / "mixnet" / "lively.net") is net
    assert read_net(NETS / "all_plus.net") is not net
    del net
    gc.collect()
    assert isinstance(read_net(LIVELY), _core.Net)


def test_the_net_can_be_changed() -> None:
    board = Board()
    board.push("h8")
    with Engine("mixnet", net=str(LIVELY), memory=8) as engine:
        lively = engine.play(board, Limit(depth=2)).info
        engine.configure(net=str(NETS / "at_bounds.net"))
        other = engine.play(board, Limit(depth=2)).info
    assert lively is not None
    assert other is not None
    assert lively.score != other.score


def test_a_net_for_another_rule() -> None:
    with (
        Engine("mixnet", net=str(LIVELY), memory=8) as engine,
        pytest.raises(BadNet, match="renju"),
    ):
        engine.play(Board(rule="renju"), Limit(depth=1))


def test_no_net_ships_for_a_board() -> None:
    with pytest.raises(BadNet, match="no net comes with the package for caro6 on 5x5"):
        nets_for("", Rule.CARO6, 5)
    with pytest.raises(BadNet, match="there is no file"):
        nets_for("no-such-net", Rule.FREESTYLE, 15)


@pytest.mark.parametrize("kept", [0, 7, 63, 200, 5000, -1])
def test_damaged_files(kept: int, tmp_path: Path) -> None:
    bad = tmp_path / "bad.net"
    bad.write_bytes(LIVELY.read_bytes()[:kept])
    with (
        Engine("mixnet", net=str(bad), memory=8) as engine,
        pytest.raises(BadNet, match=r"bad\.net"),
    ):
        engine.play(Board(), Limit(depth=1))
    shutil.copy(LIVELY, bad)  # and when it is whole again, it plays
    with Engine("mixnet", net=str(bad), memory=8) as engine:
        assert engine.play(Board(), Limit(depth=1)).move is not None
