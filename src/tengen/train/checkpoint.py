# SPDX-License-Identifier: MIT
"""Checkpoints: the complete state of a run.

A file is one line of text, `tengen checkpoint 1 <bytes> <CRC-32>`, followed by the output of
`torch.save`. It is written atomically, its checksum is verified before it is read, and it is read
as data only: nothing in it can run.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tengen.nets.weights import BadWeights, load_tensors
from tengen.train.errors import RESUME, BadCheckpoint
from tengen.util.files import TEMPORARY_PREFIX, explain_write_errors, replacing

_HEAD = re.compile(rb"tengen checkpoint 1 (\d+) ([0-9a-f]{8})\n")
_MAX_HEAD = 64  # bytes
_NAME = re.compile(r"step-(\d{9})\.checkpoint")


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run after `step` steps. Tensors are on the CPU."""

    run: str  # identifier of the run
    step: int
    seconds: float  # of training so far, over all processes
    config: dict[str, Any]
    weights: dict[str, Tensor]
    average: dict[str, Tensor]  # empty: no average
    updates: int  # of the average
    optimiser: dict[str, Any]
    random: dict[str, Tensor]  # states of torch's generators


def write_checkpoint(folder: Path, state: Checkpoint) -> Path:
    """Write a state to a folder. Raises OSError; the folder is then unchanged."""
    buffer = io.BytesIO()
    torch.save(_fields(state), buffer)
    data = buffer.getbuffer()
    path = folder / f"step-{state.step:09}.checkpoint"
    with explain_write_errors(path, RESUME), replacing(path) as file:
        file.write(b"tengen checkpoint 1 %d %08x\n" % (len(data), zlib.crc32(data)))
        file.write(data)
    return path


def read_checkpoint(path: Path) -> Checkpoint:
    """The state of a file. Raises BadCheckpoint if it is damaged, OSError if it does not exist."""
    with path.open("rb") as file:
        head = _HEAD.match(file.read(_MAX_HEAD))
        if head is None:
            raise BadCheckpoint(f"{path} is not a checkpoint of this program")
        file.seek(head.end())
        data = file.read()
    if len(data) != int(head[1]):
        raise BadCheckpoint(f"{path} is truncated: {len(data):,} of {int(head[1]):,} bytes")
    if zlib.crc32(data) != int(head[2], 16):
        raise BadCheckpoint(f"{path} is damaged: its checksum is wrong")
    try:
        content = load_tensors(data, path)
    except BadWeights as error:
        raise BadCheckpoint(str(error)) from None
    names = {entry.name for entry in fields(Checkpoint)}
    if not isinstance(content, dict) or set(content) != names:
        raise BadCheckpoint(f"{path} was written by another version of this program")
    return Checkpoint(**content)


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoint files of a folder, the newest first, readable or not."""
    return sorted((path for path in folder.iterdir() if _NAME.fullmatch(path.name)), reverse=True)


def latest(folder: Path, run: str, rejected: Callable[[str], None]) -> Checkpoint | None:
    """The newest valid checkpoint of a run; `rejected` gets a message about each invalid one."""
    for path in checkpoints(folder):
        try:
            checkpoint = read_checkpoint(path)
            if checkpoint.run == run:
                return checkpoint
            rejected(f"{path} belongs to another run")
        except BadCheckpoint as error:
            rejected(str(error))
        except OSError as error:
            rejected(f"{path} cannot be read: {error.strerror}")
    return None


def drop_old(folder: Path, keep: int, newest: Path) -> None:
    """Keep `newest`, which was written last, and those before it, `keep` in all; remove the others
    and leftovers of killed writers. Later steps were rejected when the run was resumed.
    """
    every = checkpoints(folder)
    index = every.index(newest)
    for path in every[:index] + every[index + keep :]:
        path.unlink(missing_ok=True)
    for pattern in ("*.part", f"{TEMPORARY_PREFIX}*"):  # of 0.1.0 and of `replacing`
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)


def _fields(state: Checkpoint) -> dict[str, Any]:
    """The fields by name; `dataclasses.asdict` would copy every tensor."""
    return {entry.name: getattr(state, entry.name) for entry in fields(state)}
