# SPDX-License-Identifier: MIT
"""Checksums of the files that `--engine` names."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tengen.engine.process import split_command
from tengen.util.files import files_of


def program_checksums(tables: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Of the files that players name: programs, the arguments of a program, such as `bot.py` of an
    interpreter, and nets. A program that was built again is another player. Raises ValueError for
    unbalanced quotes, OSError.
    """
    return tuple(
        hashlib.sha256(file.read_bytes()).hexdigest() for one in tables for file in _files(one)
    )


def _files(table: Mapping[str, Any]) -> Iterator[Path]:
    program, *arguments = split_command(table.get("command") or "") or [""]
    if program and (found := shutil.which(program)):
        yield Path(found)
    yield from map(Path, filter(os.path.isfile, arguments))
    net = table.get("options", {}).get("net")  # may also be the export of another step
    if isinstance(net, str) and (path := Path(net)).exists():
        yield from files_of(path)
