# SPDX-License-Identifier: MIT
"""Packed runs made by hand, valid on the outside and invalid inside. They are rejected with a
message and leave no files; members that belong to no run are skipped.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen.zero import pack as packing
from tengen.zero.errors import BadPack
from tengen.zero.pack import pack, unpack
from tengen.zero.zero_folder import ZeroFolder
from zero_runs import config, go

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("forged")
    go(config(), path / "run", 12)
    pack(path / "run", path / "run.tar")
    return path / "run.tar"


def forge(source: Path, target: Path, changes: dict[str, bytes]) -> Path:
    """A file with other members, or more; without checksums, as old ones are."""
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        members = {one.name: old.extractfile(one) for one in old.getmembers()}
        data = {name: file.read() for name, file in members.items() if file is not None}
        for name, content in (data | changes).items():
            if name != "sums.json":
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                new.addfile(entry, io.BytesIO(content))
    return target


def refused(packed: Path, tmp_path: Path, changes: dict[str, bytes]) -> str:
    """The error message."""
    file = forge(packed, tmp_path / "forged.tar", changes)
    with pytest.raises(BadPack, match=r"forged\.tar") as error:
        unpack(file, tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["forged.tar"]
    return str(error.value)


# --- shards ---


def archive(data: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    """An NPZ whose board holds these bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as made:
        made.writestr("board.npy", data)
    return buffer.getvalue()


def array_head(shape: tuple[int, ...]) -> bytes:
    """The beginning of an NPY file."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "|u1", "fortran_order": False, "shape": shape}
    )
    return buffer.getvalue()


def bent() -> bytes:
    """Compressed data with a wrong block in it."""
    made = bytearray(archive(bytes(range(256)) * 40, zipfile.ZIP_DEFLATED))
    made[45:60] = b"\xff" * 15
    return bytes(made)


def with_flag(place: int, value: int) -> bytes:
    """A field of an entry of two bytes is another one, in both of its heads."""
    made = bytearray(archive(array_head((0,))))
    for start, further in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        struct.pack_into("<H", made, made.index(start) + place + further, value)
    return bytes(made)


SHARDS: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "rubbish": lambda: b"rubbish",
    "no archive": lambda: b"PK\x03\x04 rubbish",
    "an array": lambda: array_head((1,)) + b"\0",
    "no array": lambda: archive(b"rubbish"),
    "cut off": lambda: archive(array_head((100,))),
    "larger than any memory": lambda: archive(array_head((1 << 50,))),
    "bent": bent,
    "locked": lambda: with_flag(6, 1),
    "another method": lambda: with_flag(8, 77),
    "other columns": lambda: archive(array_head((0,))),
}


@pytest.mark.parametrize("kind", list(SHARDS))
def test_invalid_shards(kind: str, packed: Path, tmp_path: Path) -> None:
    with tarfile.open(packed) as tar:
        shard = next(name for name in tar.getnames() if name.startswith("replay/"))
    refused(packed, tmp_path, {shard: lzma.compress(SHARDS[kind]())})


# --- bombs ---


def shard_name(packed: Path) -> str:
    with tarfile.open(packed) as tar:
        return next(name for name in tar.getnames() if name.startswith("replay/"))


def peak_bytes(call: Callable[[], Any]) -> int:
    """Memory that Python and NumPy allocate at most during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.integration
@pytest.mark.parametrize("member", ["journal.jsonl.xz", "a shard"])
def test_an_xz_bomb(
    member: str, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decompression stops at the limit, long before the end."""
    monkeypatch.setattr(packing, "_MAX_MEMBER", 1 << 20)
    name = shard_name(packed) if member == "a shard" else member
    bomb = lzma.compress(bytes(256 << 20), preset=0)
    assert len(bomb) < 1 << 20
    message = ""

    def unpack_it() -> None:
        nonlocal message
        message = refused(packed, tmp_path, {name: bomb})

    assert peak_bytes(unpack_it) < 32 << 20
    assert f"{name} decompresses to more than 1,048,576 bytes" in message


def test_all_members_together_are_bounded(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "_MAX_TOTAL", 1000)
    assert "decompresses to more than" in refused(packed, tmp_path, {})


def test_a_dictionary_larger_than_memory(packed: Path, tmp_path: Path) -> None:
    """The header of an xz stream sets the memory of its decompression."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 28}]
    huge = lzma.compress(b"{}", format=lzma.FORMAT_XZ, filters=filters)
    assert "emory" in refused(packed, tmp_path, {"journal.jsonl.xz": huge})


@pytest.mark.parametrize("member", ["a shard", "generation/net.pt", "a checkpoint"])
def test_a_zip_bomb(member: str, packed: Path, tmp_path: Path) -> None:
    """Archives are not compressed: one that claims more than its own size is not read."""
    bomb = archive(bytes(64 << 20), zipfile.ZIP_DEFLATED)
    assert len(bomb) < 1 << 20
    name, data = member, bomb
    if member == "a shard":
        name, data = shard_name(packed), lzma.compress(bomb)
    elif member == "a checkpoint":
        with tarfile.open(packed) as tar:
            name = next(one for one in tar.getnames() if one.startswith("checkpoints/"))
    message = ""

    def unpack_it() -> None:
        nonlocal message
        message = refused(packed, tmp_path, {name: data})

    assert peak_bytes(unpack_it) < 32 << 20
    assert f"{name} claims to hold 67,108,864 bytes" in message


# --- heads ---


def head_of(packed: Path) -> dict[str, Any]:
    with tarfile.open(packed) as tar:
        file = tar.extractfile("head.json")
        assert file is not None
        return dict(json.load(file))


@pytest.mark.parametrize(
    "changes",
    [
        {"generation": math.inf},
        {"generation": math.nan},
        {"generation": "../../evil"},
        {"earlier": 3},
        {"earlier": [math.inf]},
        {"replay": {"shards": [[]]}},
        {"replay": 7},
        {"run": []},
    ],
    ids=str,
)
def test_invalid_heads(changes: dict[str, Any], packed: Path, tmp_path: Path) -> None:
    head = json.dumps({**head_of(packed), **changes}).encode()
    refused(packed, tmp_path, {"head.json": head})


@pytest.mark.parametrize("name", ["head.json", "sums.json"])
def test_a_table_too_deep(name: str, packed: Path, tmp_path: Path) -> None:
    deep = b'{"format": 1, "run": ' + b"[" * 200_000
    if name == "head.json":
        refused(packed, tmp_path, {name: deep})
        return
    with tarfile.open(tmp_path / "forged.tar", "w") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = len(deep)
        tar.addfile(entry, io.BytesIO(deep))
    with pytest.raises(BadPack, match=r"forged\.tar is damaged"):
        unpack(tmp_path / "forged.tar", tmp_path / "there")


# --- members ---


def test_only_checkpoints_by_their_names_are_taken(packed: Path, tmp_path: Path) -> None:
    with tarfile.open(packed) as tar:
        own = {name for name in tar.getnames() if name.startswith("checkpoints/")}
    others = ["evil", "step-1", "step-0000000001", "step-00000000x", "a/step-000000001", ".."]
    names = {f"checkpoints/{name}.checkpoint": b"evil" for name in others}
    file = forge(packed, tmp_path / "forged.tar", {**names, "checkpoints/step-000000001": b"evil"})
    folder = unpack(file, tmp_path / "there")
    assert {f"checkpoints/{path.name}" for path in folder.checkpoints.iterdir()} == own
    assert ZeroFolder.read(folder.path).generations()
