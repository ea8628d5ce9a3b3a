# SPDX-License-Identifier: MIT
"""Engines with a net from a file, shared by all engines of the process; invalid and unsuitable
files.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path

import pytest

from tengen import Board, Engine, Limit, _core
from tengen.engine.errors import BadNet, BadOption
from tengen.engine.native_net import read_net

NETS = Path(__file__).parents[1] / "golden" / "mixnet"
LIVELY = NETS / "lively.net"


def _codebook_address(net: _core.Net) -> int:
    return int(net.codebook(0).ctypes.data)


def test_a_net_plays_and_repeats_itself() -> None:
    board = Board()
    for move in ["h8", "i9", "g9"]:
        board.push(move)
    with Engine("alphabeta", net=str(LIVELY), memory=8) as one, Engine("random") as other:
        other.configure(preset="alphabeta", memory=8, net=str(LIVELY))
        first = one.play(board, Limit(nodes=3000))
        assert first.info is not None
        assert first.info.evaluations > 0
        assert other.play(board, Limit(nodes=3000)).move == first.move
        with Engine("classical", memory=8) as plain:
            reported = plain.play(board, Limit(nodes=3000)).info
            assert reported is not None
            assert reported.score != first.info.score, "the net has an opinion of its own"


def test_a_net_without_a_preset_is_the_best_search_with_it() -> None:
    with Engine(net=str(LIVELY), memory=8) as engine, Engine("classical", net=str(LIVELY)) as plain:
        assert engine.options["preset"] == "alphabeta"
        assert plain.options["preset"] == "classical"


def test_one_net_for_all_engines() -> None:
    net = read_net(LIVELY)
    place = _codebook_address(net)
    assert _codebook_address(read_net(str(LIVELY))) == place
    assert _codebook_address(read_net(NETS / ".." / "mixnet" / "lively.net")) == place
    assert _codebook_address(read_net(NETS / "all_plus.net")) != place
    del net
    gc.collect()
    assert isinstance(read_net(LIVELY), _core.Net)


def test_the_net_can_be_changed() -> None:
    board = Board()
    board.push("h8")
    with Engine(net=str(LIVELY), memory=8) as engine, Engine("classical", memory=8) as plain:
        lively = engine.play(board, Limit(depth=2)).info
        engine.configure(net=str(NETS / "at_bounds.net"))
        other = engine.play(board, Limit(depth=2)).info
        engine.configure(net="classical")
        without = engine.play(board, Limit(depth=2)).info
        engine.configure(net=str(LIVELY))
        again = engine.play(board, Limit(depth=2)).info
        expected = plain.play(board, Limit(depth=2)).info
    assert lively is not None
    assert other is not None
    assert without is not None
    assert again is not None
    assert expected is not None
    assert lively.score != other.score
    assert without.score == expected.score
    assert again.score == lively.score


def test_a_net_for_another_rule() -> None:
    with (
        Engine("alphabeta", net=str(LIVELY), memory=8) as engine,
        pytest.raises(BadNet, match="this net is not for renju 15x15: it is for freestyle"),
    ):
        engine.play(Board(rule="renju"), Limit(depth=1))


@pytest.mark.parametrize("kept", [0, 7, 63, 200, 5000, -1])
def test_damaged_files(kept: int, tmp_path: Path) -> None:
    bad = tmp_path / "bad.net"
    bad.write_bytes(LIVELY.read_bytes()[:kept])
    with (
        Engine("alphabeta", net=str(bad), memory=8) as engine,
        pytest.raises(BadNet, match=r"bad\.net"),
    ):
        engine.play(Board(), Limit(depth=1))
    shutil.copy(LIVELY, bad)  # and when it is whole again, it plays
    with Engine("alphabeta", net=str(bad), memory=8) as engine:
        assert engine.play(Board(), Limit(depth=1)).move is not None


def test_a_damaged_payload_is_reported_after_the_start(tmp_path: Path) -> None:
    bad = tmp_path / "bad.net"
    data = bytearray(LIVELY.read_bytes())
    data[-1] ^= 1
    bad.write_bytes(data)
    with Engine(net=str(bad), memory=8) as engine:
        for _ in range(2):
            with pytest.raises(BadNet, match=r"bad\.net"):
                engine.play(Board(), Limit(depth=1))
        with pytest.raises(BadNet, match=r"bad\.net"):
            engine.analyse(Board()).wait()
        shutil.copy(LIVELY, bad)
        assert engine.play(Board(), Limit(depth=1)).move is not None


def test_two_boards_prepared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_CACHE", "off")  # both nets are baked
    with Engine(memory=8) as engine, ThreadPoolExecutor(2) as threads:
        boards = [Board(15), Board(20)]
        assert list(threads.map(lambda board: engine.prepare(board, seconds=100), boards)) == [
            True,
            True,
        ]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes")
def test_file_names_that_are_not_text(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"n\xe9.net")
    shutil.copy(LIVELY, file)
    with Engine(net=str(file), memory=8) as engine:
        played = engine.play(Board(), Limit(depth=2))
    assert played.info is not None
    assert played.info.evaluation is not None
    assert file.stem in played.info.evaluation.about
    file.write_bytes(b"")
    with pytest.raises(BadNet) as caught:
        read_net(file)
    assert caught.value.source == str(file)


def test_values_of_enumerations() -> None:
    class Preset(StrEnum):
        RANDOM = "random"

    with Engine(preset=Preset.RANDOM) as engine:
        assert engine.options["preset"] == "random"
        engine.play(Board(), Limit(depth=1))
    with pytest.raises(BadOption, match="at most 4096 bytes"):
        Engine(net="\u00e4" * 3000)


def test_a_locale_with_a_decimal_comma(tmp_path: Path) -> None:
    made = (
        subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")],
            check=False,
            capture_output=True,
        )
        if shutil.which("localedef")
        else None
    )
    if made is None or made.returncode > 1:
        pytest.skip("no locale can be made here")
    program = """
import locale
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.format_string("%.1f", 1.5) == "1,5"
from tengen import Board, Engine, Limit
with Engine(memory=8, c=1.25) as engine:
    engine.configure(seed=3)
    assert engine.options["c"] == 1.25
    engine.play(Board(), Limit(depth=2))
"""
    environment = os.environ | {"LOCPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=100)
