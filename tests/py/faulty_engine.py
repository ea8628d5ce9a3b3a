# SPDX-License-Identifier: MIT
"""A faulty Gomocup engine: `python faulty_engine.py FAULT`. Apart from its fault it answers
correctly, with points of the first rows.

`python faulty_engine.py --each FILE` uses the next fault of the list in each process; the length of
the file, which each process extends by a byte, selects it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
LATE = 1.5  # seconds


def say(line: str) -> None:
    print(line, flush=True)


def crash() -> None:
    print("out of luck", file=sys.stderr, flush=True)
    os._exit(3)


def sleep() -> None:
    while True:
        time.sleep(1)


def ignore() -> None:
    """Neither answer nor end on request."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep()


def close(*streams: int) -> None:
    for stream in streams:
        os.close(stream)
    sleep()


def flood() -> None:
    for number in range(40_000):
        print(f"MESSAGE depth {number} ev 5 this is of no use to anybody")
        print("y" * 100)


def flood_for_ever() -> None:
    while True:
        flood()


def babble() -> None:
    say("I resign, or do I?")
    sleep()


# What comes before the move, or instead of it.
BEFORE: dict[str, Callable[[], object]] = {
    "crash": crash,
    "abort": os.abort,
    "hang": sleep,
    "deaf": ignore,
    "closes output": lambda: close(1),
    "closes both": lambda: close(1, 0),
    "flood": flood,
    "endless flood": flood_for_ever,
    "long line": lambda: print("x" * 50_000_000),
    "bytes": lambda: sys.stdout.buffer.write(b"\0\xff\xfe\n\r\r\n\x80\x81\n"),
    "complains": lambda: say("UNKNOWN INFO key"),
    "late": lambda: time.sleep(LATE),
    "garbage": babble,
}
MOVES = {
    "illegal": "0,0",
    "off": "99,99",
    "odd": "5,5,5",
    "suggests": "SUGGEST 3,3",
    "refuses": "ERROR I do not like it",
}


def move() -> None:
    BEFORE.get(FAULT, int)()
    say(MOVES.get(FAULT, "1,1"))


# Faults that lose the game in the arena, with the expected reason.
LOSING = {
    "crash": "crash",
    "abort": "crash",
    "hang": "no_response",
    "deaf": "no_response",
    "closes output": "crash",
    "closes both": "crash",
    "endless flood": "output",
    "garbage": "output",
    "late": "time",
    "off": "illegal",
    "odd": "illegal",
    "illegal": "illegal",
    "refuses": "output",
    "no start": "output",
    "dies at once": "crash",
}


def next_fault(path: str) -> str:
    with open(path, "ab") as file:  # noqa: PTH123
        file.write(b".")
        file.flush()
        return list(LOSING)[(file.tell() - 1) % len(LOSING)]


def main() -> None:
    global FAULT  # noqa: PLW0603
    if FAULT == "--each":
        FAULT = next_fault(sys.argv[2])
    if FAULT == "dies at once":
        sys.exit(7)
    if FAULT == "has a child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        print("MESSAGE child", child.pid, file=sys.stderr, flush=True)
    for line in sys.stdin:
        verb = line.split()[0].upper() if line.split() else ""
        if verb == "ABOUT" and FAULT == "no about":
            continue
        if verb == "ABOUT":
            say("UNKNOWN command" if FAULT == "nameless" else 'name="Nasty", version="0.1"')
        elif verb == "START":
            time.sleep(LATE if FAULT == "slow start" else 0)
            say("ERROR unsupported size" if FAULT == "no start" else "OK")
        elif verb == "RESTART":
            say("UNKNOWN command" if FAULT == "no restart" else "OK")
        elif verb in ("BEGIN", "TURN", "DONE"):
            move()
        elif verb == "PLAY":
            say(line.split()[1])
        elif verb == "END" and FAULT != "stays":
            return
    if FAULT == "stays":
        sleep()


if __name__ == "__main__":
    main()
