# SPDX-License-Identifier: MIT
"""Finds processes that a test has left running, by a token in their environment, which child
processes inherit.
"""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

TOKEN = "TENGEN_TEST_TOKEN"


def new_token() -> str:
    return uuid.uuid4().hex


def alive(token: str) -> dict[int, str]:
    """The processes with the token, by number, with their command lines. This one is never among
    them, nor is the keeper of shared memory, which serves this process to its end.
    """
    result = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if f"{TOKEN}={token}".encode() not in (folder / "environ").read_bytes():
                continue
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # it has ended, or belongs to another user
            continue
        if command and "resource_tracker" not in command:
            result[int(folder.name)] = command
    return result


def eventually(number: int, token: str, words: str = "") -> dict[int, str]:
    """Waits until this many processes have the text in their command line; returns them."""
    for _ in range(3000):
        result = {pid: command for pid, command in alive(token).items() if words in command}
        if len(result) == number:
            break
        time.sleep(0.02)
    return result


def all_gone(token: str) -> bool:
    return not eventually(0, token)
