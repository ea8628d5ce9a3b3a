# SPDX-License-Identifier: MIT
"""Packed files: round trips, bounds, and files that somebody made by hand."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tengen.util.errors import BadPack
from tengen.util.packing import PackLimits, PackReader, PackWriter, compress, open_pack

MEMBERS = {"a.txt": b"first", "deep/er/b.bin": bytes(range(256)) * 8, "c.xz": compress(b"c" * 5000)}


def write(path: Path, members: dict[str, bytes]) -> Path:
    with path.open("wb") as file:
        pack = PackWriter(file)
        for name, data in members.items():
            pack.add(name, data)
        assert pack.size <= 20 * 512 + sum(map(PackWriter.room, members.values()))
        pack.finish({"format": 7})
    return path


def by_hand(path: Path, *entries: tarfile.TarInfo, data: bytes = b"") -> Path:
    with tarfile.open(path, "w") as tar:
        for entry in entries:
            tar.addfile(entry, io.BytesIO(data))
    return path


def test_round_trip(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tar", MEMBERS)
    with open_pack(path) as pack:
        assert pack.head() == {"format": 7}
        assert pack.names == [*MEMBERS, "sums.json", "head.json"]
        assert {name: pack.read(name) for name in MEMBERS} == MEMBERS
        assert pack.read_xz("c.xz") == b"c" * 5000
        for name, data in MEMBERS.items():
            assert pack.extract(name, tmp_path / "out").read_bytes() == data
    assert (tmp_path / "out" / "deep" / "er" / "b.bin").is_file()


def test_equal_members_make_equal_files(tmp_path: Path) -> None:
    files = [write(tmp_path / name, MEMBERS).read_bytes() for name in ("x.tar", "y.tar")]
    assert files[0] == files[1]


def test_every_damaged_byte_of_a_member_is_found(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tar", MEMBERS)
    whole = path.read_bytes()
    start = whole.index(MEMBERS["deep/er/b.bin"])
    for place in range(start, start + 2048, 97):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        with (
            pytest.raises(BadPack, match=r"x\.tar is damaged: wrong checksum"),
            open_pack(path) as p,
        ):
            p.read("deep/er/b.bin")


def test_a_truncated_file_has_no_head(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tar", MEMBERS)
    path.write_bytes(path.read_bytes()[:2048])
    with pytest.raises(BadPack, match=r"x\.tar"), open_pack(path) as pack:
        pack.head()


@pytest.mark.parametrize(
    "name",
    ["../evil", "/evil", "a/../../evil", "a//evil", "./evil", "C:evil", "a\\..\\evil", "..", ""],
)
def test_no_member_leaves_its_folder(name: str, tmp_path: Path) -> None:
    entry = tarfile.TarInfo(name or "x")
    path = by_hand(tmp_path / "x.tar", entry)
    with pytest.raises(BadPack, match="leads outside"), open_pack(path) as pack:
        pack.extract(name, tmp_path / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["x.tar"]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_are_no_members(kind: bytes, tmp_path: Path) -> None:
    entry = tarfile.TarInfo("member")
    entry.type, entry.linkname = kind, "/etc/passwd"
    path = by_hand(tmp_path / "x.tar", entry)
    with pytest.raises(BadPack, match="not a member"), open_pack(path) as pack:
        pack.extract("member", tmp_path / "out")
    assert not (tmp_path / "out" / "member").exists()


def archive(size: int, method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as made:
        made.writestr("x", bytes(size))
    return buffer.getvalue()


def read_all(pack: PackReader) -> None:
    for _ in range(3):
        pack.read_xz("c.xz")


BOUNDS: dict[str, tuple[dict[str, bytes], PackLimits, Callable[[PackReader], object], str]] = {
    "member": (MEMBERS, PackLimits(member=100), lambda p: p.read("deep/er/b.bin"), "not a member"),
    "xz": (MEMBERS, PackLimits(member=4096), lambda p: p.read_xz("c.xz"), "more than 4,096"),
    "total": (MEMBERS, PackLimits(total=12_000), read_all, "more than 2,000"),
    "cut off": ({"c.xz": compress(b"c")[:-9]}, PackLimits(), lambda p: p.read_xz("c.xz"), "trunc"),
    "memory": (
        {"c.xz": lzma.compress(b"c", preset=9)},
        PackLimits(xz_memory=1 << 20),
        lambda p: p.read_xz("c.xz"),
        "emory",
    ),
    "archive": (
        {"z": archive(100_000, zipfile.ZIP_DEFLATED)},
        PackLimits(),
        lambda p: p.read_archive("z"),
        "claims to hold 100,000",
    ),
    "no xz": ({"c.xz": b"rubbish"}, PackLimits(), lambda p: p.read_xz("c.xz"), "is damaged"),
    "missing": (MEMBERS, PackLimits(), lambda p: p.read("none"), "cannot be unpacked"),
}


@pytest.mark.parametrize("kind", list(BOUNDS))
def test_members_are_bounded(kind: str, tmp_path: Path) -> None:
    members, limits, read, message = BOUNDS[kind]
    path = write(tmp_path / "x.tar", members)
    with pytest.raises(BadPack, match=message), open_pack(path, "thing", limits) as pack:
        read(pack)


def test_a_stored_archive_is_read(tmp_path: Path) -> None:
    stored = archive(1000, zipfile.ZIP_STORED)
    path = write(tmp_path / "x.tar", {"z": stored, "z.xz": compress(stored)})
    with open_pack(path) as pack:
        assert pack.read_archive("z") == pack.read_archive("z.xz") == stored


def test_other_files(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(b"years of work")
    with pytest.raises(BadPack, match="not a packed thing"), open_pack(path, "thing"):
        pass
    with pytest.raises(FileNotFoundError), open_pack(tmp_path / "none.tar"):
        pass
