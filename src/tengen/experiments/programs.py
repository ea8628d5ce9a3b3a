# SPDX-License-Identifier: MIT
"""Checksums of the programs that `--engine` names."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tengen.engine.process import split_command


def program_checksums(tables: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Of the files that the commands of players name: the program and, as `bot.py` of an
    interpreter, its arguments. A program that was built again is another player. Raises ValueError
    for unbalanced quotes, OSError.
    """
    words = [split_command(one["command"]) for one in tables if one.get("command")]
    files = [
        Path(file)
        for program, *arguments in filter(None, words)
        for file in (shutil.which(program), *filter(os.path.isfile, arguments))
        if file
    ]
    return tuple(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
