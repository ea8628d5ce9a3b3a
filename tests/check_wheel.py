# SPDX-License-Identifier: MIT
"""Checks an installed wheel: the environment of the Python that runs this answers with a move, by
the program in its scripts folder and by the class `Engine`. Imports nothing of this repository.
"""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

GAME = "START 15\nINFO rule 4\nINFO timeout_turn 200\nBEGIN\n"


def program() -> Path:
    suffix = ".exe" if os.name == "nt" else ""
    return Path(sysconfig.get_path("scripts")) / f"pbrain-tengen{suffix}"


def first_move(command: list[str]) -> str:
    """The move with which a program begins; empty if it ends without one."""
    done = subprocess.run(
        command, input=f"{GAME}END\n", capture_output=True, text=True, timeout=60, check=False
    )
    moves = re.findall(r"^\d+,\d+$", done.stdout, re.MULTILINE)
    return moves[0] if moves else ""


def main() -> int:
    move = first_move([str(program())])
    if not move:
        raise SystemExit(f"{program()} gives no move")
    import tengen

    with tengen.Engine() as engine:
        result = engine.play(tengen.Board(), tengen.Limit(nodes=100))
    print(move, tengen.__version__, result.move, tengen.__file__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
