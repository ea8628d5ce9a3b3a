# SPDX-License-Identifier: MIT
"""Text for readers and writers: decoding, limits, the position of a fault, SGF escapes.

Every reader uses `RecordText`: bytes of any kind become text or a `BadRecord`.
"""

from __future__ import annotations

import codecs
import re
from encodings.aliases import aliases

from tengen.game.errors import BadRecord
from tengen.game.rule import MAX_SIZE, MIN_SIZE

MAX_BYTES = 64 << 20
# Nodes, kept properties and set-up stones of one file. An item takes up to half a kilobyte of
# memory, so that the largest file takes two gigabytes at most, not thirty.
MAX_ITEMS = 4_000_000

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Character sets a record may name. Not all of Python's: some codecs are no character sets (zlib),
# take quadratic time (punycode) or emit warnings (unicode_escape).
_CHARSETS = frozenset(
    name
    for names in (
        "ascii utf_8 latin_1 koi8_r koi8_u mac_roman mac_cyrillic cp437 cp850 cp852 cp866",
        "iso8859_2 iso8859_4 iso8859_5 iso8859_7 iso8859_9 iso8859_13 iso8859_15",
        "cp1250 cp1251 cp1252 cp1253 cp1254 cp1257 cp1258 gb2312 gbk gb18030 big5 big5hkscs",
        "euc_kr cp949 shift_jis cp932 euc_jp iso2022_jp",
    )
    for name in names.split()
)
_NOT_ALNUM = re.compile(r"[^a-z0-9]")
_ALIASES = {
    _NOT_ALNUM.sub("", alias): codec
    for alias, codec in [*aliases.items(), *((name, name) for name in _CHARSETS)]
    if codec in _CHARSETS
}
_NEWLINE = re.compile(r"\r\n|\n|\r")
_ESCAPED = re.compile(r"\\(?:\r\n|\n\r|\r|\n)|\\(.)|(\r\n|\n\r|\r)", re.DOTALL)
_BREAK = re.compile(r"\r\n|\n\r|\r")
_BREAKS = re.compile(r"[\r\n]+")


def decode(data: bytes | str, source: str, charset: str = "") -> str:
    """The text of `data`: by byte-order mark, by the named charset, as UTF-8, else as Latin-1.

    A charset that is unknown or does not fit the bytes is ignored: only size is an error.
    """
    check_length(data, source)
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    for encoding in (_charset(charset), "utf_8"):
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    return data.decode("latin-1")


def check_length(data: bytes | str, source: str) -> None:
    """Raise BadRecord for data that is too large."""
    if len(data) > MAX_BYTES:
        raise BadRecord(f"larger than {MAX_BYTES >> 20} MiB, the maximum", source, 1, 1)


def _charset(name: str) -> str:
    """Python's name of a character set, however it is spelt; UTF-8 for an unknown one."""
    return _ALIASES.get(_NOT_ALNUM.sub("", name.lower()), "utf_8")


def size_fault(size: int, spelling: str = "") -> str:
    """What is wrong with a board size, or an empty text. `spelling` is that of the file."""
    if MIN_SIZE <= size <= MAX_SIZE:
        return ""
    return f"board size {spelling or size}: boards have {MIN_SIZE} to {MAX_SIZE} lines"


class RecordText:
    """The decoded text of a file, with its faults and a limit on the items kept from it."""

    __slots__ = ("_items_left", "source", "text")

    def __init__(self, data: bytes | str, source: str, charset: str = "") -> None:
        self.text = decode(data, source, charset)
        self.source = source
        self._items_left = MAX_ITEMS

    def fault(self, message: str, offset: int) -> BadRecord:
        """The error for a fault at `offset`: line and column count characters from 1."""
        line, start = 1, 0
        for newline in _NEWLINE.finditer(self.text, 0, offset):
            line, start = line + 1, newline.end()
        return BadRecord(message, self.source, line, offset - start + 1)

    def check_size(self, size: int, offset: int, spelling: str = "") -> None:
        if message := size_fault(size, spelling):
            raise self.fault(message, offset)

    def count_items(self, items: int, offset: int) -> None:
        """Count items that are kept in memory; raises BadRecord beyond `MAX_ITEMS`."""
        self._items_left -= items
        if self._items_left < 0:
            kinds = "nodes, properties and set-up stones"
            raise self.fault(f"more than {MAX_ITEMS:,} {kinds} in one file", offset)


def escape(text: str) -> str:
    """Text as it stands between the brackets of an SGF value. Line breaks become `\\n`."""
    return _BREAK.sub("\n", text).replace("\\", "\\\\").replace("]", "\\]")


def unescape(raw: str) -> str:
    """The inverse of `escape`; a soft line break (a backslash before it) joins its lines."""
    if "\\" not in raw and "\r" not in raw:
        return raw
    return _ESCAPED.sub(lambda match: "\n" if match[2] else match[1] or "", raw)


def one_line(text: str) -> str:
    """The text on one line, for formats with one value per line."""
    return _BREAKS.sub(" ", text).strip()
