# SPDX-License-Identifier: MIT
"""A default net that cannot be loaded: classical plays, with the reason, and the next game retries
the net. A named net that cannot be loaded is an error.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tengen import Board, Engine, Limit
from tengen.engine import native
from tengen.engine.errors import BadNet, BadTables
from tengen.engine.info import PlayResult
from tengen.engine.nets import DATA, lazy_tables_path

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"
QUICK = Limit(time=0.1)
DAMAGED = "classical (own cannot be loaded: damaged"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundled net for all boards of freestyle."""
    nets = tmp_path / "nets"
    nets.mkdir()
    line = {"rule": "freestyle", "from": 5, "to": 22, "net": "own"}
    (nets / "registry.json").write_text(json.dumps({"format": 1, "nets": [line]}))
    for tables in DATA.glob("*.tables"):
        shutil.copy(tables, tmp_path)
    monkeypatch.setattr(native, "DATA", tmp_path)
    return Path(shutil.copy(LIVELY, nets / "own.net"))


def damage(net: Path) -> None:
    """Change a weight: the header is still that of the file."""
    data = bytearray(LIVELY.read_bytes())
    data[-5] ^= 16
    net.write_bytes(data)


def started() -> Board:
    board = Board()
    board.push("h8")
    return board


def evaluator_of(played: PlayResult) -> str:
    assert played.info is not None
    return str(played.info.evaluation)


def test_classical_plays_with_a_reason_until_the_next_game(own: Path) -> None:
    damage(own)
    with Engine(memory=8) as engine:
        assert engine.evaluation(started()).name == "mixnet"
        engine.prepare(started(), seconds=None)
        result = [engine.play(started(), QUICK) for _ in range(2)]
        shutil.copy(LIVELY, own)
        result.append(engine.play(started(), QUICK))
        assert all(evaluator_of(played).startswith(DAMAGED) for played in result)
        assert not any(played.info.visits for played in result if played.info), "alpha-beta"
        assert str(engine.evaluation(started())).startswith(DAMAGED)
        (info,) = engine.analyse(started(), Limit(depth=1))
        assert str(info.evaluation).startswith(DAMAGED)
        assert engine.policy(started())
        engine.new_game()
        engine.prepare(started(), seconds=None)
        played = engine.play(started(), QUICK)
        assert evaluator_of(played) == "mixnet (net own)"
        assert played.info is not None
        assert played.info.visits, "with the search that is meant for nets"


def test_damaged_lazy_tables(own: Path) -> None:
    lazy_tables_path(own).write_bytes(b"rubbish")
    with Engine(memory=8) as engine:
        engine.prepare(started(), seconds=None)
        result = evaluator_of(engine.play(started(), QUICK))
        assert result.startswith(f"classical (own cannot be loaded: {lazy_tables_path(own)}: ")
    with Engine(memory=8, net=str(own)) as engine, pytest.raises(BadTables):
        engine.play(started(), Limit(depth=1))


def test_a_named_net_that_fails_is_an_error(own: Path) -> None:
    damage(own)
    with Engine(memory=8, net=str(own)) as engine:
        for _ in range(2):
            with pytest.raises(BadNet, match=r"own.net: damaged"):
                engine.play(started(), Limit(depth=1))
        engine.configure(net="")
        engine.prepare(started(), seconds=None)
        assert evaluator_of(engine.play(started(), QUICK)).startswith(DAMAGED)
