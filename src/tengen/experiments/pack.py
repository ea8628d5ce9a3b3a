# SPDX-License-Identifier: MIT
"""Packs the results of a folder into one file, and adds such a file to another folder: the steps
that need an accelerator run on one machine, the rest on another.

A packed file may come from anyone: `tengen.util.packing` bounds its members, and each result must
name the step of its folder.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.experiments.experiment import SCALES, DataSource, Setup
from tengen.experiments.folder import ExperimentFolder
from tengen.experiments.steps.nets import TrainStep
from tengen.experiments.store import FORMAT, RESULT, STEPS
from tengen.util.errors import BadPack
from tengen.util.files import locked, replacing, replacing_folder
from tengen.util.packing import PackWriter, open_pack

_FORMAT = 1
_NETS = TrainStep.FILES
_MEMBER = re.compile(
    r"steps/([a-z-]{1,40})-([0-9a-f]{16})/(result\.json|net\.pt|validation_games\.npz)"
)
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Packed:
    """What was packed."""

    steps: int
    bytes: int


def pack_results(path: Path, target: Path, *, nets: bool = False) -> Packed:
    """Pack the results of all done steps, with `nets` also the trained nets, which matches
    elsewhere need. Raises BadRun if the folder has no experiments, FolderLocked, OSError.
    """
    folder = ExperimentFolder.read(path)
    with locked(path), replacing(target) as file:
        writer, steps = PackWriter(file), 0
        for done in sorted((path / STEPS).glob(f"*/{RESULT}")):
            steps += 1
            names = (RESULT, *_NETS) if nets else (RESULT,)
            for name in names:
                if (member := done.with_name(name)).exists():
                    writer.add(f"{STEPS}/{done.parent.name}/{name}", member.read_bytes())
        head = {
            "format": _FORMAT,
            "scale": folder.setup.scale,
            "experiments": folder.names,
            "data": {name: one.digest for name, one in folder.setup.data.items()},
        }
        writer.finish(head)
    return Packed(steps, target.stat().st_size)


def unpack_results(source: Path, path: Path) -> tuple[int, int]:
    """Add the steps of a packed file that the folder lacks; returns how many were added and how
    many were there. A folder without experiments gets those of the file. Raises BadPack, BadRun,
    FolderLocked, OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    added = known = 0
    with locked(path), open_pack(source, "folder of experiments") as pack:
        head = pack.head()
        if head["format"] != _FORMAT:
            raise BadPack(f"{source} has format {head['format']!r:.20}, not {_FORMAT}")
        if head["scale"] not in SCALES:
            raise BadPack(f"{source} is of another version: no scale {head['scale']!r:.20}")
        data = _data(source, head["data"])
        _check_scale(source, path, head["scale"])
        by_step: dict[str, list[str]] = {}
        for name in pack.names:
            if match := _MEMBER.fullmatch(name):
                by_step.setdefault(f"{match[1]}-{match[2]}", []).append(match[3])
        for step, files in sorted(by_step.items()):
            folder = path / STEPS / step
            missing = [name for name in files if not (folder / name).exists()]
            if not missing:
                known += 1
                continue
            found = {name: pack.read(f"{STEPS}/{step}/{name}") for name in missing}
            _check(source, step, found.get(RESULT))
            added += 1
            if folder.exists():  # a step that was started here, or has lost its nets
                for name in sorted(missing, key=RESULT.__eq__):  # the result last
                    with replacing(folder / name) as file:
                        file.write(found[name])
                continue
            with replacing_folder(folder) as part:
                for name, content in found.items():
                    (part / name).write_bytes(content)
        if not ExperimentFolder.has_run(path):
            ExperimentFolder.open(path, Setup(head["scale"], data), head["experiments"])
    return added, known


def _check_scale(source: Path, path: Path, scale: str) -> None:
    if not ExperimentFolder.has_run(path):
        return
    own = ExperimentFolder.read(path).setup.scale
    if own != scale:
        raise BadPack(f"{source} is of scale {scale!r:.20}, {path} of scale {own}")


def _data(source: Path, table: Any) -> dict[str, DataSource]:
    """The digests of data that are not here."""
    texts = table.items() if isinstance(table, dict) else [("", "")]
    if not all(isinstance(d, str) and _DIGEST.fullmatch(d) for _, d in texts):
        raise BadPack(f"{source}: the digests of the data are damaged; pack again")
    return {name: DataSource(digest) for name, digest in texts}


def _check(source: Path, step: str, result: bytes | None) -> None:
    """A result must be of the step that its folder names."""
    if result is None:
        return
    try:
        content = json.loads(result)
        kind, _, key = step.rpartition("-")
        fits = content["format"] == FORMAT and content["key"] == key
        fits = fits and content["step"]["kind"] == kind and isinstance(content["result"], dict)
    except (ValueError, KeyError, TypeError, RecursionError):
        fits = False
    if not fits:
        raise BadPack(f"{source}: the result of {step} is damaged; pack again")
