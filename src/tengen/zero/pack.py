# SPDX-License-Identifier: MIT
"""Packs the portable part of a run into one small file, and unpacks it elsewhere. docs/zero.md has
the format.

The newest checkpoint, the newest generation and the event log are always packed, then as many of
the newest games as fit. If the learner would leave too little room, the optimiser state is packed
as bfloat16, then the average and the generation too: a few hundred steps restore the lost digits.
The weights themselves are never rounded.

A packed file may come from anyone. Nothing is written to a path that it names, and its members are
bounded (`tengen.util.packing`).
"""

from __future__ import annotations

import io
import json
import math
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch
from torch import Tensor

from tengen.data import BadData, Batch, Dataset
from tengen.data.manifest import Shard
from tengen.data.rows import present
from tengen.data.shards import verify_column
from tengen.nets.weights import NetWeights, write_weights
from tengen.train.checkpoint import Checkpoint, checkpoints, latest, write_checkpoint
from tengen.util.errors import BadRun
from tengen.util.files import locked, replacing, replacing_folder
from tengen.util.packing import PackLimits, PackReader, PackWriter, compress, open_pack
from tengen.zero.errors import BadPack, BadZero
from tengen.zero.gate.ladder import spread_out
from tengen.zero.learn.replay import ReplayBuffer
from tengen.zero.run_log import print_message
from tengen.zero.zero_folder import Generation, ZeroFolder

MAX_BYTES = 55 * 1024 * 1024
_FORMAT = 1
_SLACK = 64 * 1024  # for the metadata and the sums without the shards, which are written last
_LEARNER_SHARE = 0.75  # of the file; above it the learner is rounded
_MAX_MEMBER = 1 << 30  # bytes of a member, also after decompression
_MAX_TOTAL = 1 << 34  # bytes of all members after decompression
_CHECKPOINT = re.compile(r"checkpoints/(step-\d{9}\.checkpoint)")  # members; others are ignored


def pack(path: Path, target: Path, max_bytes: int = MAX_BYTES, players: int = 1) -> dict[str, Any]:
    """Pack the run of a folder, which no process may be running, into a file of at most
    `max_bytes`. With `players` above 1, that many generations, evenly spread, are included for a
    ladder elsewhere; the earlier ones are rounded. Replaces an existing packed run, but no other
    file. Returns bytes, positions, games, and `half`: what was rounded. Raises BadZero, BadRun,
    BadPack if the run is too large, OSError; then the target is unchanged.
    """
    if not ZeroFolder.has_run(path):
        raise BadRun(f"{path} has no run to pack")
    if target.is_dir():
        raise BadZero(f"{target} is a folder: name a file")
    if not target.parent.is_dir():
        raise BadZero(f"there is no folder {target.parent} for {target.name}")
    if target.exists() and not _is_packed(target):
        raise BadZero(f"{target} exists and is not a packed run: name another file, or delete it")
    with locked(path), replacing(target) as file:
        return _write(ZeroFolder.read(path), file, max_bytes, players)


def _is_packed(path: Path) -> bool:
    """Whether a file is a packed run of any version."""
    if not path.is_file():  # reading a pipe would block
        return False
    try:
        with open_pack(path) as file:
            head = file.head()
    except BadPack:
        return False
    return isinstance(head, dict) and "format" in head


def _write(folder: ZeroFolder, file: BinaryIO, max_bytes: int, players: int) -> dict[str, Any]:
    state = latest(folder.checkpoints, folder.run, print_message)
    newest = folder.newest_generation()
    event_log = folder.event_log.read_bytes() if folder.event_log.exists() else b""
    event_log = compress(event_log)
    chosen = spread_out(folder.generations(), players) if players > 1 else []
    earlier = [generation for generation in chosen if generation != newest]
    history = _history_members(folder, earlier)
    room = max_bytes - _SLACK - len(event_log) - sum(map(PackWriter.room, history.values()))
    members, half = _learner_members(state, newest, folder, room)
    tar = PackWriter(file)
    tar.add("journal.jsonl.xz", event_log)
    for name, data in (members | history).items():
        tar.add(name, data)
    replay, positions = _add_replay(folder, max_bytes - _SLACK, tar)
    tar.finish(
        {
            "format": _FORMAT,
            "run": json.loads((folder.path / folder.HEAD).read_text("utf-8")),
            "generation": newest.number,
            "earlier": [generation.number for generation in earlier],
            "replay": replay,
        }
    )
    size = file.tell()
    if size > max_bytes:
        raise BadPack(f"the packed run has {size:,} bytes, more than {max_bytes:,}")
    games = replay["counts"].get("games", 0) if replay else 0
    return {"bytes": size, "positions": positions, "games": games, "half": half}


def _history_members(folder: ZeroFolder, earlier: Sequence[Generation]) -> dict[str, bytes]:
    """Earlier generations, rounded: they only play matches."""
    members = {}
    for generation in earlier:
        nets = _nets(folder, generation)
        for name, data in _files(None, _rounded_nets(nets), generation).items():
            members[f"{generation.number}/{name}"] = data
    return members


def _nets(folder: ZeroFolder, generation: Generation) -> dict[str, NetWeights]:
    players = folder.config.net_names
    return dict(zip(players, generation.nets(players), strict=True))


def _rounded_nets(nets: Mapping[str, NetWeights]) -> dict[str, NetWeights]:
    return {name: replace(net, weights=_rounded(net.weights)) for name, net in nets.items()}


def _learner_members(
    state: Checkpoint | None, newest: Generation, folder: ZeroFolder, max_bytes: int
) -> tuple[dict[str, bytes], list[str]]:
    """Checkpoint and generation, as exact as they fit; and what was rounded."""
    nets = _nets(folder, newest)
    half: list[str] = []
    for step in ("", "optimiser", "average", "generation"):
        if step == "optimiser" and state is not None:
            state = replace(state, optimiser=_rounded(state.optimiser))
        elif step == "average" and state is not None:
            state = replace(state, average=_rounded(state.average))
        elif step == "generation":
            nets = _rounded_nets(nets)
        half += [step] if step else []
        members = _files(state, nets, newest)
        total = sum(map(PackWriter.room, members.values())) + PackWriter.END
        if total <= _LEARNER_SHARE * max_bytes:
            return members, half
    if total <= max_bytes:
        return members, half
    raise BadPack(f"the learner alone has {total:,} bytes, more than {max_bytes:,}")


def _files(
    state: Checkpoint | None, nets: dict[str, NetWeights], newest: Generation
) -> dict[str, bytes]:
    members = {"generation/about.json": (newest.path / "about.json").read_bytes()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for player, net in nets.items():
            write_weights(folder / "net.pt", net)
            members[f"generation/{player}.pt"] = (folder / "net.pt").read_bytes()
        if state is not None:
            written = write_checkpoint(folder, state)
            members[f"checkpoints/{written.name}"] = written.read_bytes()
    return members


def _rounded(value: Any) -> Any:
    """A state with its real tensors as bfloat16; integers and scalars stay."""
    if isinstance(value, Tensor):
        return value.to(torch.bfloat16) if value.is_floating_point() and value.dim() else value
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list) else value


def _add_replay(folder: ZeroFolder, max_bytes: int, tar: PackWriter) -> tuple[dict[str, Any], int]:
    """Pack the newest shards that fit; their table for the metadata, and their positions."""
    if not (folder.replay / "manifest.json").exists():
        return {}, 0
    data = Dataset.open(folder.replay)
    end = len(data)
    entries: list[dict[str, str]] = []
    positions = text_bytes = 0  # bytes that metadata and sums will need for the shards
    for shard in reversed(data.manifest.shards):
        begin = end - shard.positions
        _verify_shard(folder, shard)
        compressed = _compress_rows(data.slice(begin, end))
        member, entry = f"replay/{shard.name}.xz", {"name": shard.name, "origin": shard.origin}
        text_bytes += len(json.dumps([entry, {member: tar.MAX_SUM}]))
        if tar.size + tar.room(compressed) + text_bytes > max_bytes:
            break
        tar.add(member, compressed)
        entries.append(entry)
        positions += shard.positions
        end = begin
    counts, moves = dict(data.manifest.counts), data.policy_moves
    return {"counts": counts, "policy_moves": moves, "shards": entries[::-1]}, positions


def _verify_shard(folder: ZeroFolder, shard: Shard) -> None:
    """Packed shards get new checksums, so a damaged one must be found now. Raises BadPack."""
    try:
        for column in shard.columns:
            verify_column(folder.replay, shard, column)
    except BadData as error:
        raise BadPack(f"{error}; or resume the run, which sets it aside, and pack again") from None


def _compress_rows(rows: Batch) -> bytes:
    buffer = io.BytesIO()
    columns: dict[str, Any] = {name: np.asarray(c) for name, c in present(rows).items()}
    columns["move"] = np.where(rows.prob > 0, rows.move, 0)  # unused entries may be anything
    np.savez(buffer, **columns)
    return compress(buffer.getvalue())


def unpack(source: Path, path: Path) -> ZeroFolder:
    """Unpack a run into a new or empty folder. Raises BadPack, BadZero, OSError."""
    if not path.name:
        raise BadZero(f"{path}: name a new folder")
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise BadZero(f"{path} exists and is not empty: use another folder")
    limits = PackLimits(_MAX_MEMBER, _MAX_TOTAL)
    with open_pack(source, "run", limits) as file:
        with replacing_folder(path) as part:
            _unpack_members(file, source, part)
            if path.exists():
                path.rmdir()
        return ZeroFolder.read(path)


def _unpack_members(file: PackReader, source: Path, path: Path) -> None:
    head = file.head()
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        raise BadPack(f"{source} was written by another version of this program")
    folder = ZeroFolder.from_head(path, head["run"])
    config = folder.config
    folder.checkpoints.mkdir()
    for number, start in [(head["generation"], ""), *((n, f"{n}/") for n in head["earlier"])]:
        generation_path = path / "generations" / f"{int(number):04d}"
        generation_path.mkdir(parents=True)
        (generation_path / "about.json").write_bytes(file.read(f"{start}generation/about.json"))
        for player in config.net_names:
            data = file.read_archive(f"{start}generation/{player}.pt")
            (generation_path / f"{player}.pt").write_bytes(data)
    for member in file.names:
        if match := _CHECKPOINT.fullmatch(member):
            (folder.checkpoints / match[1]).write_bytes(file.read_archive(member))
    newest = latest(folder.checkpoints, folder.run, print_message)
    if newest is None and checkpoints(folder.checkpoints):
        raise BadPack(f"{source} has no readable checkpoint")
    for generation in folder.generations():
        for net in generation.nets(config.net_names):
            net.make()
    folder.event_log.write_bytes(file.read_xz("journal.jsonl.xz"))
    if head["replay"]:
        replay = ReplayBuffer(folder.replay, config.rule, config.size, folder.redistributable)
        try:
            replay.restore(_read_shards(file, head["replay"]["shards"]), head["replay"])
        finally:
            replay.close()
    folder.save()


def _read_shards(file: PackReader, entries: list[dict[str, str]]) -> Iterator[tuple[Batch, str]]:
    for entry in entries:
        data = file.read_archive(f"replay/{entry['name']}.xz")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            columns = {
                member.removesuffix(".npy"): _read_array(archive.read(member))
                for member in archive.namelist()
            }
        yield Batch(**columns), str(entry["origin"])


def _read_array(data: bytes) -> Any:
    """An array of a .npy file. Its header must not claim more than there is: NumPy allocates the
    array before it reads. Raises ValueError.
    """
    buffer = io.BytesIO(data)
    version = np.lib.format.read_magic(buffer)
    if version != (1, 0):
        raise ValueError(f"unknown version {version} of .npy")
    shape, _, dtype = np.lib.format.read_array_header_1_0(buffer)
    if math.prod(shape) * dtype.itemsize > len(data):
        raise ValueError(f"an array of shape {shape} in {len(data):,} bytes")
    buffer.seek(0)
    return np.lib.format.read_array(buffer, allow_pickle=False)
