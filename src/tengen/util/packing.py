# SPDX-License-Identifier: MIT
"""Packed files: a tar of small members with metadata and checksums. They may come from anyone.

`PackWriter` adds members and, last, their checksums and the metadata, so a truncated file has no
metadata.
`PackReader` reads members by name and bounds each one: compressed ones while they are decompressed,
archives by the sizes that they declare. Relies on the standard library alone.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tengen.util.errors import BadPack

_HEAD, _SUMS = "head.json", "sums.json"
_BLOCK = 512  # of a tar file: size of a header, and unit of padding
_PRESET = 2  # of lzma: higher ones take three times as long for a few per cent
_OUTSIDE = ("", ".", "..")  # parts of a name that leads outside its folder
# What the readers of the nested formats raise for damaged ones.
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error),
    *(EOFError, RuntimeError, MemoryError),  # too deep, unknown method, too large
)


def compress(data: bytes) -> bytes:
    """Data as `PackReader.read_xz` decompresses it."""
    return lzma.compress(data, preset=_PRESET)


class PackWriter:
    """A packed file being written, with its size and the checksums of its members so far."""

    END = 20 * _BLOCK  # maximum that tarfile adds at the end
    MAX_SUM = (1 << 32) - 1  # a checksum with the maximum number of digits

    def __init__(self, file: BinaryIO) -> None:
        self.size = self.END
        self.sums: dict[str, int] = {}
        self._file = tarfile.TarFile(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT)

    @staticmethod
    def room(data: bytes) -> int:
        """Bytes that a member takes."""
        return _BLOCK + -(-len(data) // _BLOCK) * _BLOCK

    def add(self, name: str, data: bytes) -> None:
        """Raises OSError."""
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        self._file.addfile(entry, io.BytesIO(data))
        self.size += self.room(data)
        self.sums[name] = zlib.crc32(data)

    def finish(self, head: Mapping[str, Any]) -> None:
        """Add the checksums and the metadata; the file stays open. Raises OSError."""
        data = json.dumps(head).encode()
        self.add(_SUMS, json.dumps(self.sums | {_HEAD: zlib.crc32(data)}).encode())
        self.add(_HEAD, data)
        self._file.close()


@dataclass(frozen=True, slots=True)
class PackLimits:
    """The most that a reader accepts, in bytes."""

    member: int = 1 << 30  # of a member, also after decompression
    total: int = 1 << 34  # of all members after decompression
    xz_memory: int = 128 << 20  # of the decompressor; preset 2 needs 3 MiB, preset 9 65 MiB


class PackReader:
    """The members of a packed file by name, see `open_pack`. Each is compared with its checksum, if
    the file has checksums.
    """

    def __init__(self, file: tarfile.TarFile, source: Path, limits: PackLimits) -> None:
        self._file, self._source, self._limits = file, source, limits
        self._max_size = min(limits.member, source.stat().st_size)
        self._left = limits.total
        self.names = file.getnames()
        self._sums: Any = None
        if _SUMS in self.names:
            self._sums = dict(json.loads(self.read(_SUMS)))

    def head(self) -> Any:
        """The metadata given to `PackWriter.finish`. Raises BadPack, KeyError if there is none."""
        return json.loads(self.read(_HEAD))

    def read(self, name: str) -> bytes:
        """The content of a member. Raises BadPack, KeyError if there is none."""
        entry = self._file.getmember(name)
        if not entry.isreg() or entry.issparse() or entry.size > self._max_size:
            raise BadPack(f"{self._source}: {name} is not a member of a packed file")
        file = self._file.extractfile(entry)
        assert file is not None
        data = file.read()
        if self._sums is not None and self._sums.get(name) != zlib.crc32(data):
            raise BadPack(f"{self._source} is damaged: wrong checksum of {name}; pack again")
        return data

    def read_xz(self, name: str) -> bytes:
        """The decompressed content of a member. Raises BadPack, KeyError."""
        limit = min(self._limits.member, self._left)
        decompressor = lzma.LZMADecompressor(memlimit=self._limits.xz_memory)
        data = decompressor.decompress(self.read(name), max_length=limit + 1)
        if len(data) > limit:
            raise BadPack(f"{self._source}: {name} decompresses to more than {limit:,} bytes")
        if not decompressor.eof:
            raise BadPack(f"{self._source}: {name} is truncated")
        self._left -= len(data)
        return data

    def read_archive(self, name: str) -> bytes:
        """A member that is a zip archive, or a compressed one. Archives in packed files are stored,
        not compressed: their content is not larger than they are. Raises BadPack, KeyError.
        """
        data = self.read_xz(name) if name.endswith(".xz") else self.read(name)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > len(data):
            raise BadPack(f"{self._source}: {name} claims to hold {size:,} bytes")
        return data

    def extract(self, name: str, folder: Path) -> Path:
        """Write a member below a folder, under its own name; returns its path. Raises BadPack for a
        name that leads outside, KeyError, OSError.
        """
        parts = name.split("/")
        if any(part in _OUTSIDE or set(part) & set("\\:\0") for part in parts):
            raise BadPack(f"{self._source}: the name {name!r} leads outside the folder")
        data, path = self.read(name), folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path


@contextmanager
def open_pack(
    source: Path, kind: str = "file", limits: PackLimits | None = None
) -> Iterator[PackReader]:
    """Open a packed file. Errors of its content, also those of the caller's block that mean a wrong
    key, type or value, raise BadPack; `kind` says what the file should be. Raises OSError.
    """
    try:
        with tarfile.open(source, "r:") as file:
            yield PackReader(file, source, limits or PackLimits())
    except BadPack:
        raise
    except _DAMAGE as error:
        raise BadPack(f"{source} is damaged, or not a packed {kind}: {error}") from None
    except (KeyError, ValueError, OverflowError, TypeError) as error:
        raise BadPack(f"{source} cannot be unpacked: {error}") from None
