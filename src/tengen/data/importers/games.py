# SPDX-License-Identifier: MIT
"""Games from files, one after the other, for the importer of records: every format of
`tengen.game.records`, and game lines.

A file of game lines has one game a line: `B`, `W`, `D` or `?` for the result, then the moves by
name, black first. Files may be compressed (.xz, .gz, .bz2). Files that cannot be read are told, not
raised: one bad record of thousands stops nothing. Relies on the readers of records.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.records.record import Record
from tengen.game.records.text import MAX_BYTES
from tengen.game.rule import Colour, Rule

__all__ = ["Game", "read_games"]

_DAMAGED = (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError)
# A result, then at least one move; else a `.txt` is a record like any other.
_GAME_LINE = re.compile(rb"[BWD?][ \t]+[a-v]\d{1,2}\b", re.ASCII)
_SNIFFED = 1 << 12
_RESULTS = {"B+": "B", "W+": "W", "Draw": "D"}
PASS = -1


@dataclass(slots=True)
class Game:
    """The main line of a game, or in `fault` why there is none."""

    place: str  # file, and line or number of the game
    result: str = "?"  # B, W, D or ?
    size: int = 15
    rule: Rule | None = None  # None: the file does not tell
    moves: list[int] | None = None  # indices of points; -1 is a pass
    colours: list[int] | None = None  # who made each move; None: in turn, black first
    black: tuple[int, ...] = ()  # stones set up before the first move
    white: tuple[int, ...] = ()
    fault: str = ""
    read: int = 0  # bytes of the file read so far


def read_games(path: Path, size: int, form: str | None = None) -> Iterator[Game]:
    """The games of a file. `size` is for those that do not tell it; `form` names a format of
    records. Raises OSError.
    """
    try:
        with path.open("rb") as raw:
            file = _unpacked(raw, path.suffix.lower())
            head = file.read(_SNIFFED)
            file.seek(0)
            if form is None and _GAME_LINE.match(_first_line(head)):
                for game in _line_games(file, path, size):
                    game.read = raw.tell()
                    yield game
                return
            data = file.read(MAX_BYTES + 1)
        source = str(path if file is raw else path.with_suffix(""))
        for number, record in enumerate(records.loads(data, form, source, size), 1):
            yield _from_record(record, f"{path}, game {number}")
    except _DAMAGED as error:
        yield Game(str(path), fault=f"the file is damaged: {error}")
    except OSError as error:
        if error.errno is not None:  # bz2 has no error of its own for what it cannot unpack
            raise
        yield Game(str(path), fault=f"the file is damaged: {error}")
    except BadRecord as error:
        yield Game(str(path), fault=str(error))


def _unpacked(raw: IO[bytes], ending: str) -> IO[bytes]:
    if ending == ".xz":
        return cast(IO[bytes], lzma.LZMAFile(raw))
    if ending == ".gz":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    return cast(IO[bytes], bz2.BZ2File(raw)) if ending == ".bz2" else raw


def _first_line(head: bytes) -> bytes:
    """The first line that says something."""
    for line in head.splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return line.lstrip()
    return b""


def _line_games(file: IO[bytes], path: Path, size: int) -> Iterator[Game]:
    points = {
        f"{chr(ord('a') + x)}{y + 1}".encode(): y * size + x
        for y in range(size)
        for x in range(size)
    }
    points[b"pass"] = PASS
    for number, line in enumerate(file, 1):
        words = line.split()
        if not words or words[0].startswith(b"#"):
            continue
        place = f"{path}:{number}"
        if words[0] not in (b"B", b"W", b"D", b"?"):
            yield Game(place, fault=f"no result {_told(words[0])}: a game begins with B, W, D or ?")
            continue
        try:
            moves = [points[word] for word in words[1:]]
        except KeyError as error:
            wrong = _told(error.args[0])
            yield Game(place, fault=f"no move {wrong} on a {size}x{size} board: use names like h8")
            continue
        yield Game(place, words[0].decode(), size, None, moves)


def _told(word: bytes) -> str:
    return repr(word[:20].decode("utf-8", "replace"))


def _from_record(record: Record, place: str) -> Game:
    """The main line. A set-up before the first move is its beginning; one in the middle ends it."""
    game = Game(place, _RESULTS.get(record.result, "?"), record.size, record.rule)
    black: set[int] = set()
    white: set[int] = set()
    moves: list[int] = []
    colours: list[int] = []
    turn: Colour | None = None
    for node in record.main_line():
        if moves and (node.is_setup or (node.move is None and node.colour is not None)):
            break
        if node.is_setup:
            _set_up(black, {p.to_index(record.size) for p in node.black}, white)
            _set_up(white, {p.to_index(record.size) for p in node.white}, black)
            gone = {p.to_index(record.size) for p in node.empty}
            black -= gone
            white -= gone
        turn = node.colour or turn
        if node.move is not None:
            # Where nothing tells: black, unless he has more stones, as `Board.from_stones` has it.
            mover = (
                node.colour or turn or (Colour.WHITE if len(black) > len(white) else Colour.BLACK)
            )
            moves.append(node.move.to_index(record.size))
            colours.append(int(mover))
            turn = mover.other
    game.moves, game.colours = moves, colours
    game.black, game.white = tuple(sorted(black)), tuple(sorted(white))
    return game


def _set_up(colour: set[int], stones: set[int], other: set[int]) -> None:
    colour |= stones
    other -= stones
