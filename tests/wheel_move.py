# SPDX-License-Identifier: MIT
"""Checks an installed wheel: the environment of the Python that runs this answers with a move, by
the program in its scripts folder and by the class `Engine`. Imports nothing of this repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

DIALOGUE = "START 15\nINFO rule 4\nINFO timeout_turn 200\nBEGIN\nABOUT\nEND\n"


def program() -> Path:
    suffix = ".exe" if os.name == "nt" else ""
    return Path(sysconfig.get_path("scripts")) / f"pbrain-tengen{suffix}"


def main() -> int:
    command = [str(program()), *sys.argv[1:]]
    done = subprocess.run(
        command, input=DIALOGUE, capture_output=True, text=True, timeout=60, check=True
    )
    answers = done.stdout.split()
    if not any(all(part.isdigit() for part in answer.split(",")) for answer in answers):
        raise SystemExit(f"{program()} gives no move:\n{done.stdout}{done.stderr}")
    import tengen

    with tengen.Engine() as engine:
        result = engine.play(tengen.Board(), tengen.Limit(nodes=100))
    print(done.stdout.strip())
    print(tengen.__version__, result.move, tengen.__file__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
