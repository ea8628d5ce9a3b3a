# SPDX-License-Identifier: MIT
"""The portable part of a run as one small file, and back: what a run needs to go on elsewhere.
Relies on the folder, checkpoints and the replay; the command line relies on it. The format is told
in docs/zero.md.

The learner's newest checkpoint, the newest generation and the journal always go in; then as many of
the newest games as there is room for. Where the learner would leave too little of it, the
optimiser's means are packed as bfloat16, then the average and the generation too: they lose digits
that a few hundred steps bring back, the weights themselves never do.
"""

from __future__ import annotations

import io
import json
import lzma
import re
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tengen.data import BadData, Batch, Dataset
from tengen.data.manifest import Shard
from tengen.data.rows import present
from tengen.data.shards import verify_column
from tengen.nets.weights import NetWeights, write_weights
from tengen.train.checkpoint import Checkpoint, checkpoints, latest, write_checkpoint
from tengen.train.errors import BadCheckpoint
from tengen.train.folder import locked
from tengen.zero.errors import BadPack, BadZero
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.ladder import spread_out
from tengen.zero.log import tell
from tengen.zero.replay import Replay

__all__ = ["MOST_BYTES", "Packed", "pack", "unpack"]

MOST_BYTES = 55 * 1024 * 1024
_FORMAT = 1
_HEAD, _SUMS = "head.json", "sums.json"
_BLOCK = 512  # of a tar file: a header, and the unit that contents are filled up to
_END = 20 * _BLOCK  # what tarfile may add at the end
_SLACK = 64 * 1024  # for the head and the sums without the shards: both are made last
_LEARNER_SHARE = 0.75  # of the file: rounding begins where less than a quarter is left for games
_PRESET = 2  # of lzma: the next ones take thrice the time for a few per cent
_LARGEST = 1 << 30  # bytes of a member of a file that somebody else has made
_LARGEST_SUM = (1 << 32) - 1  # a checksum with as many digits as one can have
_CHECKPOINT = re.compile(r"checkpoints/(step-\d{9}\.checkpoint)")  # members; anything else is none
# What the readers of the formats within each other raise for one that is broken.
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error),
    *(EOFError, RuntimeError, MemoryError),  # too deep, of another method, too large
)


class Packed(dict[str, Any]):
    """What was packed, for a line of words: bytes, positions, games, `half` (what was rounded)."""


class _Tar:
    """A tar file that is being made, with its size and the checksums of its members so far."""

    def __init__(self, path: Path) -> None:
        self.size = _END
        self.sums: dict[str, int] = {}
        self._file = tarfile.TarFile(path, "w", format=tarfile.USTAR_FORMAT)

    @staticmethod
    def room(data: bytes) -> int:
        """What a member takes."""
        return _BLOCK + -(-len(data) // _BLOCK) * _BLOCK

    def add(self, name: str, data: bytes) -> None:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        self._file.addfile(entry, io.BytesIO(data))
        self.size += self.room(data)
        self.sums[name] = zlib.crc32(data)

    def close(self) -> None:
        self._file.close()


class _Members:
    """The members of a packed file by their names: nothing of one is ever written to where its
    name says. Each is compared with its checksum, which older files do not have.
    """

    def __init__(self, file: tarfile.TarFile, source: Path) -> None:
        self._file, self._source = file, source
        self.names = file.getnames()
        self._sums: Any = None
        if _SUMS in self.names:
            self._sums = dict(json.loads(self.read(_SUMS)))

    def read(self, name: str) -> bytes:
        """What a member holds. Raises BadPack, KeyError if there is none."""
        entry = self._file.getmember(name)
        if not entry.isreg() or entry.size > _LARGEST:
            raise BadPack(f"{self._source}: {name} is no file of a packed run")
        found = self._file.extractfile(entry)
        assert found is not None
        data = found.read()
        if self._sums is not None and self._sums.get(name) != zlib.crc32(data):
            words = f"the checksum of {name} is wrong"
            raise BadPack(f"{self._source} is damaged: {words}; pack the run again")
        return data


def pack(path: Path, target: Path, most: int = MOST_BYTES, players: int = 1) -> Packed:
    """Pack the run of a folder into a file of at most so many bytes. Nobody may run it meanwhile.
    With `players` above 1 so many generations go along, evenly spread, for a ladder elsewhere; the
    earlier ones are rounded. A packed run that is there is replaced, nothing else is. Raises
    BadZero, BadPack if it cannot be made so small, OSError; then the target is as it was.
    """
    if not ZeroFolder.has_run(path):
        raise BadZero(f"{path} has no run to pack")
    _check_target(target)
    with locked(path):
        folder = ZeroFolder.read(path)
        beside = target.with_name(f".{target.name}.part")
        with _called(target, beside):
            found = _packed(folder, beside, most, players)
            beside.replace(target)
    return found


def _check_target(target: Path) -> None:
    """That a packed run can be put there. Raises BadZero."""
    if target.is_dir():
        raise BadZero(f"{target} is a folder: name a file")
    if not target.parent.is_dir():
        raise BadZero(f"there is no folder {target.parent} for {target.name}")
    if target.exists() and not _is_packed(target):
        words = "is there already and is no packed run: name another file, or delete it"
        raise BadZero(f"{target} {words}")


def _is_packed(path: Path) -> bool:
    """Whether a file is a packed run, of whatever version."""
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with tarfile.open(path, "r:") as file:
            head = json.loads(_Members(file, path).read(_HEAD))
    except (tarfile.TarError, BadPack, KeyError, ValueError, TypeError, RecursionError):
        return False
    return isinstance(head, dict) and "format" in head


@contextmanager
def _called(target: Path, beside: Path) -> Iterator[None]:
    """A file is made beside its place, and goes if that fails; what the system says of it names
    the place. Raises OSError.
    """
    try:
        try:
            yield
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        if error.filename not in (None, str(beside)):
            raise
        words = f"{error.strerror or error}; nothing was written"
        raise OSError(error.errno, words, str(target)) from None


def _packed(folder: ZeroFolder, target: Path, most: int, players: int) -> Packed:
    state = latest(folder.checkpoints, folder.run, tell)
    there = folder.generations()
    if not there:
        raise BadZero(f"{folder.path} has no generation yet: nothing to pack")
    journal = folder.journal.read_bytes() if folder.journal.exists() else b""
    squeezed = lzma.compress(journal, preset=_PRESET)
    earlier = [one for one in spread_out(there, players) if one != there[-1]] if players > 1 else []
    history = _history_parts(folder, earlier)
    room = most - _SLACK - len(squeezed) - sum(map(_Tar.room, history.values()))
    parts, half = _learner_parts(state, there[-1], folder, room)
    tar = _Tar(target)
    try:
        tar.add("journal.jsonl.xz", squeezed)
        for name, data in (parts | history).items():
            tar.add(name, data)
        replay, positions = _replay_parts(folder, most - _SLACK, tar)
        head = {
            "format": _FORMAT,
            "run": json.loads((folder.path / "run.json").read_text("utf-8")),
            "generation": there[-1].number,
            "earlier": [one.number for one in earlier],
            "replay": replay,
        }
        data = json.dumps(head).encode()
        # Before the head: a file whose sums cannot be found has no head either.
        tar.add(_SUMS, json.dumps(tar.sums | {_HEAD: zlib.crc32(data)}).encode())
        tar.add(_HEAD, data)
    finally:
        tar.close()
    size = target.stat().st_size
    if size > most:
        raise BadPack(f"the packed run has {size:,} bytes, more than {most:,}")
    games = replay["counts"].get("games", 0) if replay else 0
    return Packed(bytes=size, positions=positions, games=games, half=half)


def _history_parts(folder: ZeroFolder, earlier: Sequence[Generation]) -> dict[str, bytes]:
    """Earlier generations: they only play matches any more, so half of their digits do."""
    parts = {}
    for generation in earlier:
        players = folder.config.players
        nets = dict(zip(players, generation.nets(players), strict=True))
        nets = {n: replace(net, weights=_halved(net.weights)) for n, net in nets.items()}
        for name, data in _files_of(None, nets, generation).items():
            parts[f"{generation.number}/{name}"] = data
    return parts


def _learner_parts(
    state: Checkpoint | None, newest: Generation, folder: ZeroFolder, most: int
) -> tuple[dict[str, bytes], list[str]]:
    """Checkpoint and generation, as exact as there is room; and what was rounded."""
    nets = dict(zip(folder.config.players, newest.nets(folder.config.players), strict=True))
    half: list[str] = []
    for step in ("", "optimiser", "average", "generation"):
        if step == "optimiser" and state is not None:
            state = replace(state, optimiser=_halved(state.optimiser))
        elif step == "average" and state is not None:
            state = replace(state, average=_halved(state.average))
        elif step == "generation":
            nets = {n: replace(net, weights=_halved(net.weights)) for n, net in nets.items()}
        half += [step] if step else []
        parts = _files_of(state, nets, newest)
        total = sum(_Tar.room(data) for data in parts.values()) + _END
        if total <= _LEARNER_SHARE * most:
            return parts, half
    if total <= most:
        return parts, half
    raise BadPack(f"the learner alone has {total:,} bytes, more than {most:,}: it is too large")


def _files_of(
    state: Checkpoint | None, nets: dict[str, NetWeights], newest: Generation
) -> dict[str, bytes]:
    parts = {"generation/about.json": (newest.path / "about.json").read_bytes()}
    with tempfile.TemporaryDirectory() as text:
        place = Path(text)
        for name, net in nets.items():
            write_weights(place / "net.pt", net)
            parts[f"generation/{name}.pt"] = (place / "net.pt").read_bytes()
        if state is not None:
            made = write_checkpoint(place, state)
            parts[f"checkpoints/{made.name}"] = made.read_bytes()
    return parts


def _halved(value: Any) -> Any:
    """A state with its real numbers as bfloat16; whole numbers and single ones as they are."""
    if isinstance(value, Tensor):
        return value.to(torch.bfloat16) if value.is_floating_point() and value.dim() else value
    if isinstance(value, dict):
        return {name: _halved(inner) for name, inner in value.items()}
    return [_halved(inner) for inner in value] if isinstance(value, list) else value


def _replay_parts(folder: ZeroFolder, most: int, tar: _Tar) -> tuple[dict[str, Any], int]:
    """Pack the newest shards, as long as there is room; what the head says of them."""
    if not (folder.replay / "manifest.json").exists():
        return {}, 0
    data = Dataset.open(folder.replay)
    end = len(data)
    names: list[dict[str, str]] = []
    positions = told = 0  # bytes: what head and sums will say of the shards
    for shard in reversed(data.manifest.shards):
        begin = end - shard.positions
        _check_shard(folder, shard)
        squeezed = _squeezed(data.slice(begin, end))
        member, entry = f"replay/{shard.name}.xz", {"name": shard.name, "origin": shard.origin}
        told += len(json.dumps([entry, {member: _LARGEST_SUM}]))
        if tar.size + tar.room(squeezed) + told > most:
            break
        tar.add(member, squeezed)
        names.append(entry)
        positions += shard.positions
        end = begin
    counts, moves = dict(data.manifest.counts), data.policy_moves
    return {"counts": counts, "policy_moves": moves, "shards": names[::-1]}, positions


def _check_shard(folder: ZeroFolder, shard: Shard) -> None:
    """That its files are as they were written: packed, they get new checksums. Raises BadPack."""
    try:
        for column in shard.columns:
            verify_column(folder.replay, shard, column)
    except BadData as error:
        again = f"`tengen zero resume {folder.path}` puts it aside, then pack again"
        raise BadPack(f"{error}; or {again}") from None


def _squeezed(rows: Batch) -> bytes:
    buffer = io.BytesIO()
    columns: dict[str, Any] = {name: np.asarray(c) for name, c in present(rows).items()}
    columns["move"] = np.where(rows.prob > 0, rows.move, 0)  # unused places: anything will do
    np.savez(buffer, **columns)
    return lzma.compress(buffer.getvalue(), preset=_PRESET)


def unpack(source: Path, path: Path) -> ZeroFolder:
    """Make a run of a packed file, in a folder that has none. Raises BadPack, BadZero, OSError."""
    if not path.name:
        raise BadZero(f"{path}: name a new folder")
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise BadZero(f"{path} is there already, and not empty: use another folder")
    beside = path.with_name(f".{path.name}.part")
    shutil.rmtree(beside, ignore_errors=True)  # left by a kill
    try:
        with tarfile.open(source, "r:") as file:
            beside.mkdir(parents=True)
            _unpacked(_Members(file, source), source, beside)
        if path.exists():
            path.rmdir()
        beside.replace(path)
        return ZeroFolder.read(path)
    except _DAMAGE as error:
        raise BadPack(f"{source} is damaged, or no packed run: {error}") from None
    except (KeyError, ValueError, OverflowError, TypeError, BadData, BadCheckpoint) as error:
        raise BadPack(f"{source} cannot be unpacked: {error}") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _unpacked(file: _Members, source: Path, path: Path) -> None:
    head = json.loads(file.read(_HEAD))
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        raise BadPack(f"{source} is of another version of this program")
    folder = ZeroFolder.from_text(path, json.dumps(head["run"]))
    config = folder.config
    folder.checkpoints.mkdir()
    for number, start in [(head["generation"], ""), *((n, f"{n}/") for n in head["earlier"])]:
        place = path / "generations" / f"{int(number):04d}"
        place.mkdir(parents=True)
        for name in ("about.json", *(f"{player}.pt" for player in config.players)):
            (place / name).write_bytes(file.read(f"{start}generation/{name}"))
    for member in file.names:
        if found := _CHECKPOINT.fullmatch(member):
            (folder.checkpoints / found[1]).write_bytes(file.read(member))
    if checkpoints(folder.checkpoints) and latest(folder.checkpoints, folder.run, tell) is None:
        raise BadPack(f"{source} has no checkpoint that can be read")
    for generation in folder.generations():
        for net in generation.nets(config.players):
            net.make()
    folder.journal.write_bytes(lzma.decompress(file.read("journal.jsonl.xz")))
    if head["replay"]:
        replay = Replay(folder.replay, config.rule, config.size, folder.ships)
        try:
            replay.restore(_shards(file, head["replay"]["shards"]), head["replay"])
        finally:
            replay.close()
    folder.write_head()


def _shards(file: _Members, names: list[dict[str, str]]) -> Iterator[tuple[Batch, str]]:
    for one in names:
        data = lzma.decompress(file.read(f"replay/{one['name']}.xz"))
        with np.load(io.BytesIO(data), allow_pickle=False) as columns:
            yield Batch(**{name: columns[name] for name in columns.files}), str(one["origin"])
