# SPDX-License-Identifier: MIT
"""Checkpoints: all that is needed to go on as if nothing had happened. Relies on torch and the
errors; the run's folder and the loop rely on it.

A file is one line of text, `tengen checkpoint 1 <bytes> <CRC-32>`, and then what `torch.save`
writes. It is written beside its place, brought to the disk, and renamed, so that a kill at any
moment leaves the old files or a whole new one. It is checked before any of it is read, and it is
read as data only: nothing in it can run.
"""

from __future__ import annotations

import io
import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tengen.train.errors import BadCheckpoint, writing

__all__ = ["Checkpoint", "checkpoints", "drop_old", "latest", "read_checkpoint", "write_checkpoint"]

_HEAD = re.compile(rb"tengen checkpoint 1 (\d+) ([0-9a-f]{8})\n")
_LONGEST_HEAD = 64
_NAME = re.compile(r"step-(\d{9})\.checkpoint")


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run after `step` steps. Tensors are on the CPU."""

    run: str  # the run's own number, drawn when it began: whose checkpoint it is
    step: int
    seconds: float  # of training so far, over all sessions
    config: dict[str, Any]
    weights: dict[str, Tensor]
    average: dict[str, Tensor]  # empty: the run has none
    updates: int  # of the average
    optimiser: dict[str, Any]
    random: dict[str, Tensor]  # states of torch's generators


def write_checkpoint(folder: Path, state: Checkpoint) -> Path:
    """Keep a state in a folder. Raises OSError, and then the folder is as it was."""
    buffer = io.BytesIO()
    torch.save(_fields(state), buffer)
    data = buffer.getbuffer()
    path = folder / f"step-{state.step:09}.checkpoint"
    part = path.with_suffix(".part")
    with writing(path):
        try:
            with part.open("wb") as file:
                file.write(b"tengen checkpoint 1 %d %08x\n" % (len(data), zlib.crc32(data)))
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    _sync_folder(folder)
    return path


def read_checkpoint(path: Path) -> Checkpoint:
    """The state that a file holds. Raises BadCheckpoint if it is damaged, OSError if there is
    none.
    """
    with path.open("rb") as file:
        head = _HEAD.match(file.read(_LONGEST_HEAD))
        if head is None:
            raise BadCheckpoint(f"{path} is no checkpoint of this program")
        file.seek(head.end())
        data = file.read()
    if len(data) != int(head[1]):
        words = f"{len(data):,} bytes of {int(head[1]):,} are there"
        raise BadCheckpoint(f"{path} is not whole: {words}")
    if zlib.crc32(data) != int(head[2], 16):
        raise BadCheckpoint(f"{path} is damaged: its checksum is wrong")
    try:
        found = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as error:  # torch names no errors of its own for what it cannot read
        raise BadCheckpoint(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict) or set(found) != {entry.name for entry in fields(Checkpoint)}:
        raise BadCheckpoint(f"{path} is of another version of this program")
    return Checkpoint(**found)


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the newest first, whether they can be read or not."""
    return sorted((path for path in folder.iterdir() if _NAME.fullmatch(path.name)), reverse=True)


def latest(folder: Path, run: str, refused: Callable[[str], None]) -> Checkpoint | None:
    """The newest good checkpoint of a run; `refused` is told in words about each that is not."""
    for path in checkpoints(folder):
        try:
            found = read_checkpoint(path)
            if found.run == run:
                return found
            refused(f"{path} belongs to another run")
        except BadCheckpoint as error:
            refused(str(error))
        except OSError as error:
            refused(f"{path} cannot be read: {error.strerror}")
    return None


def drop_old(folder: Path, keep: int, newest: Path) -> None:
    """Remove all but `newest`, which was written last, and those just before it, `keep` in all, and
    what killed writers have left. Later steps than its own were refused when the run went on: they
    are damaged, or of another run.
    """
    every = checkpoints(folder)
    place = every.index(newest)
    for path in every[:place] + every[place + keep :]:
        path.unlink(missing_ok=True)
    for path in folder.glob("*.part"):
        path.unlink(missing_ok=True)


def _fields(state: Checkpoint) -> dict[str, Any]:
    """The fields by name; `dataclasses.asdict` would copy every tensor."""
    return {entry.name: getattr(state, entry.name) for entry in fields(state)}


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk; systems that cannot do that do without."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
