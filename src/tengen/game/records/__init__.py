# SPDX-License-Identifier: MIT
"""Game records: reading and writing files of every known format.

`read` and `write` deal with files, `loads` and `dumps` with bytes and text; `FORMATS` is the table
of formats. All formats meet in the model of `record`. Whatever the bytes, a reader answers with
records or with `BadRecord`, in time and memory linear in the input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tengen.game.errors import BadRecord
from tengen.game.records import openings, plain, psq, sgf
from tengen.game.records.openings import read_openings, write_openings
from tengen.game.records.record import DEFAULT_SIZE, Node, Record
from tengen.game.records.text import MAX_BYTES, check_length, decode, size_fault
from tengen.util.errors import BadText
from tengen.util.files import write_bytes, write_text

__all__ = [
    "FORMATS",
    "Format",
    "Node",
    "Record",
    "dumps",
    "format_of",
    "loads",
    "losses",
    "read",
    "read_openings",
    "write",
    "write_bytes",
    "write_openings",
    "write_text",
]


class Format(NamedTuple):
    """One file format."""

    # File name extensions, the usual one first.
    extensions: tuple[str, ...]
    # (data, source, size for games that do not state theirs) -> games
    loads: Callable[[bytes | str, str, int], list[Record]]
    # (games, lossy) -> text
    dumps: Callable[[Iterable[Record], bool], str]
    # Descriptions of what it cannot hold of a record.
    losses: Callable[[Record], list[str]]
    # Whether the beginning of a text looks like it.
    sniff: Callable[[str], bool]
    # Whether a file may hold several games.
    many: bool


# In the order of detection, the most certain first; it also decides between formats that share an
# extension.
FORMATS: dict[str, Format] = {
    "psq": Format((".psq",), psq.loads, psq.dumps, lambda record: [], psq.sniff, False),
    "sgf": Format((".sgf",), sgf.loads, sgf.dumps, lambda record: [], sgf.sniff, True),
    "openings": Format(
        (".openings", ".txt"), openings.loads, openings.dumps, openings.losses, openings.sniff, True
    ),
    "plain": Format((".txt", ".moves"), plain.loads, plain.dumps, plain.losses, plain.sniff, False),
}
SNIFFED_BYTES = 1 << 16


def read(
    path: str | os.PathLike[str], format: str | None = None, size: int = DEFAULT_SIZE
) -> list[Record]:
    """The games of a file. `OSError` if it cannot be opened, `BadRecord` if it cannot be read."""
    with Path(path).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    return loads(data, format, os.fspath(path), size)


def loads(
    data: bytes | str, format: str | None = None, source: str = "<text>", size: int = DEFAULT_SIZE
) -> list[Record]:
    """The games in `data`. The format is `format`, else that of the extension of `source`, else it
    is detected.

    `size` is the board size of games that do not state theirs.
    """
    check_length(data, source)
    if fault := size_fault(size):
        raise BadRecord(fault, source, 1, 1)
    name = format_of(source, data) if format is None else format
    return _format(name).loads(data, source, size)


def format_of(source: str, data: bytes | str | None = None) -> str:
    """The format by the extension of a file name; by `data` where that leaves a choice."""
    suffix = Path(source).suffix.lower()
    fitting = [name for name, form in FORMATS.items() if suffix in form.extensions]
    if data is not None and len(fitting) != 1:
        head = decode(data[:SNIFFED_BYTES], source)
        # A `.txt` may hold anything: if no format of the extension fits, all others are tried.
        looks = [name for name, form in FORMATS.items() if form.sniff(head)]
        fitting = [name for name in looks if name in fitting] or looks or fitting[-1:]
    if not fitting:
        known = ", ".join(form.extensions[0] for form in FORMATS.values())
        if data is None:
            raise BadRecord(f"no format has the extension {suffix!r}: known are {known}", source)
        formats = f"{', '.join(FORMATS)} (files {known})"
        raise BadRecord(f"unknown kind of game record; known are {formats}", source, 1, 1)
    # Without data the format whose usual extension it is: `.txt` is a move list.
    usual = [name for name in fitting if FORMATS[name].extensions[0] == suffix]
    return fitting[0] if data is not None or not usual else usual[0]


def _format(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        raise BadRecord(
            f"no format {name!r}: known are {', '.join(FORMATS)}", "<format>", 1, 1
        ) from None


def losses(record: Record, format: str) -> list[str]:
    """Descriptions of what such a file cannot hold of the record; empty if nothing is lost."""
    return _format(format).losses(record)


def dumps(records: Record | Sequence[Record], format: str, lossy: bool = False) -> str:
    """The games (or one) as text. Raises `BadRecord` if that would lose something, unless `lossy`.

    A PSQ file holds everything, in a part that other programs skip; not so if `lossy`.
    """
    games = [records] if isinstance(records, Record) else records
    return _format(format).dumps(games, lossy)


def write(
    records: Record | Sequence[Record],
    path: str | os.PathLike[str],
    format: str | None = None,
    lossy: bool = False,
) -> None:
    """Write games (or one) to a file, atomically. The default format is that of the extension."""
    name = format_of(os.fspath(path)) if format is None else format
    try:
        write_text(dumps(records, name, lossy), path)
    except BadText as error:
        raise BadRecord(str(error), os.fspath(path)) from None
