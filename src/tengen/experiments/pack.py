# SPDX-License-Identifier: MIT
"""Packs the results of a folder into one file, and adds such a file to another folder: the steps
that need an accelerator run on one machine, the rest on another.

A packed file may come from anyone: `tengen.util.packing` bounds its members, each result must be of
the step that its folder names, and the engines that it names are never started.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.experiments.experiment import (
    NAMES,
    SCALES,
    DataSource,
    EngineSource,
    Setup,
    find_experiment,
)
from tengen.experiments.folder import ExperimentFolder
from tengen.experiments.step import key_of
from tengen.experiments.steps.nets import WEIGHTS, TrainStep
from tengen.experiments.store import FAILED, FORMAT, RESULT, STEPS, read_result
from tengen.util.errors import BadConfig, BadPack
from tengen.util.files import locked, replacing, replacing_folder, write_bytes
from tengen.util.packing import PackReader, PackWriter, open_pack

_FORMAT = 1
_NETS = TrainStep.FILES
_FOLDER = re.compile(r"[a-z-]{1,40}-[0-9a-f]{16}")  # not of a step that is being unpacked
_MEMBER = re.compile(rf"{STEPS}/(?P<step>{_FOLDER.pattern})/(?P<file>[^/]+)")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Packed:
    """What was packed."""

    steps: int
    bytes: int


def pack_results(path: Path, target: Path, *, nets: bool = False) -> Packed:
    """Pack the results of all done steps, with `nets` also the trained nets, which matches
    elsewhere need. Raises BadRun if the folder has no experiments or a damaged result,
    FolderLocked, OSError.
    """
    folder = ExperimentFolder.read(path)
    with locked(path), replacing(target) as file:
        writer, steps = PackWriter(file), 0
        for done in sorted((path / STEPS).glob(f"*/{RESULT}")):
            if not _FOLDER.fullmatch(done.parent.name):
                continue
            steps += 1
            sums = (read_result(done) or {}).get("files", {})
            for name in (RESULT, *_NETS) if nets else (RESULT,):
                if not (member := done.with_name(name)).exists():
                    continue
                data = member.read_bytes()
                if sums.get(name, digest := _sha256(data)) == digest:  # not of a later training
                    writer.add(f"{STEPS}/{done.parent.name}/{name}", data)
        head = {
            "format": _FORMAT,
            "scale": folder.setup.scale,
            "experiments": folder.names,
            "data": {name: one.digest for name, one in folder.setup.data.items()},
            "engines": [
                {"command": one.command, "checksums": one.checksums} for one in folder.setup.engines
            ],
        }
        writer.finish(head)
    return Packed(steps, target.stat().st_size)


def unpack_results(source: Path, path: Path) -> tuple[int, int]:
    """Add the steps of a packed file that the folder lacks; returns how many were added and how
    many were there. A folder without experiments gets those of the file. The whole file is checked
    before anything is written. Raises BadPack, BadRun, FolderLocked, OSError.
    """
    with open_pack(source, "folder of experiments") as pack:
        head = pack.head()
        if head["format"] != _FORMAT:
            raise BadPack(f"{source} has format {head['format']!r:.20}, not {_FORMAT}")
        setup, names = _setup(source, head)
        steps = _PackedSteps(source, pack)
        added = known = 0
        path.mkdir(parents=True, exist_ok=True)
        with locked(path):
            own = _own_setup(source, path, setup.scale)
            for step in sorted(steps.members):
                if steps.add(step, path / STEPS / step):
                    added += 1
                else:
                    known += 1
            ExperimentFolder.open(path, own.after(setup) if own else setup, names)
    return added, known


class _PackedSteps:
    """The steps of a packed file: the names of their members, checked."""

    def __init__(self, source: Path, pack: PackReader) -> None:
        self.source, self.pack = source, pack
        self.members: dict[str, list[str]] = {}
        for name in pack.names:
            match = _MEMBER.fullmatch(name)
            if match is not None and match["file"] in (RESULT, *_NETS):
                self.members.setdefault(match["step"], []).append(match["file"])
        for step, names in self.members.items():
            result = _checked_result(source, step, self._read(step, RESULT))
            for name in names:
                data = self._read(step, name)
                if result.get("files", {}).get(name, digest := _sha256(data)) != digest:
                    raise BadPack(f"{source}: {name} of {step} is damaged; pack again")

    def _read(self, step: str, name: str) -> bytes:
        """Nets are stored archives; the compressed metrics are bounded when they are read."""
        member = f"{STEPS}/{step}/{name}"
        return self.pack.read_archive(member) if name == WEIGHTS else self.pack.read(member)

    def add(self, step: str, folder: Path) -> bool:
        """Add a step, or the files that a step here lacks; whether there was anything to add."""
        names = [name for name in self.members[step] if not (folder / name).exists()]
        if (folder / RESULT).exists():  # of a training that was done there and here: never mixed
            names = [name for name in names if self._is_same(step, name, folder)]
        found = {name: self._read(step, name) for name in names}
        if not found:
            return False
        if not folder.exists():
            with replacing_folder(folder) as part:
                for name, content in found.items():
                    (part / name).write_bytes(content)
            return True
        for name in sorted(names, key=RESULT.__eq__):  # the result last
            write_bytes(found[name], folder / name)
        (folder / FAILED).unlink(missing_ok=True)
        return True

    def _is_same(self, step: str, name: str, folder: Path) -> bool:
        """Whether a packed file belongs to the result that is here."""
        here = read_result(folder / RESULT) or {}
        if name in here.get("files", {}):
            return bool(here["files"][name] == _sha256(self._read(step, name)))
        there = json.loads(self._read(step, RESULT))
        return bool(here["result"] == there["result"])


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _own_setup(source: Path, path: Path, scale: str) -> Setup | None:
    """The setup of the folder, which must have this scale; None if it has no experiments."""
    if not ExperimentFolder.has_run(path):
        return None
    own = ExperimentFolder.read(path).setup
    if own.scale != scale:
        raise BadPack(f"{source} is of scale {scale!r:.20}, {path} of scale {own.scale}")
    return own


def _setup(source: Path, head: Mapping[str, Any]) -> tuple[Setup, list[str]]:
    """The setup of a packed file, with data and engines that are not here, and its experiments."""
    if head["scale"] not in SCALES:
        raise BadPack(f"{source} is of another version: no scale {head['scale']!r:.20}")
    names = head["experiments"]
    if not isinstance(names, list):
        raise BadPack(f"{source}: the names of its experiments are damaged; pack again")
    if unknown := [name for name in names if name not in NAMES]:
        raise BadPack(f"{source} is of another version: no experiment {unknown[0]!r:.60}")
    setup = Setup(
        head["scale"], _data(source, head["data"]), _engines(source, head.get("engines", []))
    )
    try:
        for name in names:
            find_experiment(name).plan(setup)
    except BadConfig as error:
        raise BadPack(f"{source} cannot be unpacked: {error}") from None
    return setup, names


def _data(source: Path, table: Any) -> dict[str, DataSource]:
    """The digests of data that are not here."""
    texts = table.items() if isinstance(table, dict) else [("", "")]
    if not all(isinstance(d, str) and _DIGEST.fullmatch(d) for _, d in texts):
        raise BadPack(f"{source}: the digests of the data are damaged; pack again")
    return {name: DataSource(digest) for name, digest in texts}


def _engines(source: Path, rows: Any) -> tuple[EngineSource, ...]:
    """Engines that are not started here, only known."""
    found = []
    for row in rows if isinstance(rows, list) else [None]:
        match row:
            case {"command": str(command), "checksums": list(sums)} if all(
                isinstance(text, str) and _DIGEST.fullmatch(text) for text in sums
            ):
                found.append(EngineSource(command, tuple(sums), may_start=False))
            case _:
                raise BadPack(f"{source}: its engines are damaged; pack again")
    return tuple(found)


def _checked_result(source: Path, step: str, result: bytes) -> dict[str, Any]:
    """The content of a result, which must be of the step that its folder names."""
    try:
        content = json.loads(result)
        kind, _, key = step.rpartition("-")
        fits = content["format"] == FORMAT and key == content["key"] == key_of(content["step"])
        fits = fits and content["step"]["kind"] == kind
        tables = (content["result"], content.get("files", {}), content.get("origins", {}))
        fits = fits and all(isinstance(table, dict) for table in tables)
        fits = fits and all(map(_FOLDER.fullmatch, content.get("origins", {})))
    except (ValueError, KeyError, TypeError, RecursionError):
        fits = False
    if not fits:
        raise BadPack(f"{source}: the result of {step} is damaged; pack again")
    return dict(content)
