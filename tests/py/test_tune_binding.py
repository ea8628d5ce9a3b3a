# SPDX-License-Identifier: MIT
"""Search parameters in the core: constants in an ordinary build, settable in the tuning build
(tested if `make tuning` has built it).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tengen import _core

TUNING = Path(__file__).parents[2] / ".venv-tuning" / "bin" / "python"


@pytest.mark.skipif(_core.is_tuning(), reason="this is the tuning build")
def test_an_ordinary_build_sets_nothing() -> None:
    _core.set_tunables({})
    before = _core.tunables()
    for values in ({"LMR_BASE": 300}, {"NOTHING": 1}):
        with pytest.raises(ValueError, match="make tuning"):
            _core.set_tunables(values)
    assert _core.tunables() == before


_IN_TUNING_BUILD = """
import timeit
import tengen
from tengen import _core

def values():
    return {name: value for name, value, *_ in _core.tunables()}

assert _core.is_tuning()
built_in = values()
_core.set_tunables({"LMR_BASE": 500, "NULL_BASE": 6})
assert values() == built_in | {"LMR_BASE": 500, "NULL_BASE": 6}
_core.set_tunables({"LMR_BASE": -1000})
assert values() == built_in | {"LMR_BASE": -1000}
for bad, words in (
    ({"NOTHING": 1}, "no tunable NOTHING"),
    ({"LMR_BASE": 2001}, "no LMR_BASE of 2001: use -1000 to 2000"),
    ({"LMR_BASE": 2**40}, "use -1000 to 2000"),
    ({"LMR_BASE": 7, "NULL_BASE": 0}, "use 1 to 6"),
):
    try:
        _core.set_tunables(bad)
    except ValueError as error:
        assert words in str(error), error
    else:
        raise AssertionError(bad)
    assert values() == built_in | {"LMR_BASE": -1000}
_core.set_tunables({})
assert values() == built_in

def nodes(tunables):
    _core.set_tunables(tunables)
    board = tengen.Board(15)
    for move in "h8 i9 h9 h10 i8 g8".split():
        board.push(move)
    with tengen.Engine(memory=4) as engine:
        return engine.play(board, tengen.Limit(depth=8)).info.nodes

plain = nodes({})
other = nodes({"LMR_SCALE": 100, "LMR_BASE": -1000, "LMP_BASE": 30})
assert plain != other
assert nodes({}) == plain
assert min(timeit.repeat(lambda: _core.set_tunables(built_in), number=100, repeat=20)) < 100 * 50e-6
"""


@pytest.mark.slow
@pytest.mark.skipif(not TUNING.exists(), reason="there is no tuning build: make tuning")
def test_the_tuning_build() -> None:
    done = subprocess.run(
        [TUNING, "-c", _IN_TUNING_BUILD], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not TUNING.exists(), reason="there is no tuning build: make tuning")
def test_a_real_run(tmp_path: Path) -> None:
    message = "--params LMR_*,NULL_BASE --iterations 4 --nodes 100 --openings renju26 --rule renju"
    command = [str(TUNING), "-m", "tengen", "tune", *message.split(), "--processes", "1", "--json"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "run")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"games": 8' in done.stdout
    assert (tmp_path / "run" / "report.html").exists()
