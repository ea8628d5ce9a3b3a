# SPDX-License-Identifier: MIT
"""Programs that exit while an engine searches exit cleanly."""

from __future__ import annotations

import subprocess
import sys

import pytest

_START = """
import threading
import tengen
engine = tengen.Engine(memory=4)
board = tengen.Board()
board.push("h8")
begun = threading.Event()

def think():
    for info in engine.analyse(board, tengen.Limit()):
        begun.set()
"""
_THREAD = "threading.Thread(target=think, daemon={}).start()\nbegun.wait()\n"


@pytest.mark.parametrize(
    "ending",
    [
        "analysis = engine.analyse(board)\nnext(analysis)",
        "engine.ponder(board)",
        _THREAD.format(True),
        _THREAD.format(False) + "engine.stop()",
        _THREAD.format(True) + "raise SystemExit(0)",
    ],
)
def test_the_end_of_a_program(ending: str) -> None:
    program = [sys.executable, "-c", _START + ending]
    result = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")
