# SPDX-License-Identifier: MIT
"""Reads games for the importer of records: every format of `tengen.game.records`, and game lines.

A file of game lines has one game per line: `B`, `W`, `D` or `?` for the result, then the moves by
name, black first. Files may be compressed (.xz, .gz, .bz2). A file that cannot be read yields a
game with a fault: one bad record of thousands does not stop an import.
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

_DAMAGED = (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError)
# A result and at least one move; any other `.txt` is a record.
_GAME_LINE = re.compile(rb"[BWD?][ \t]+[a-v]\d{1,2}\b", re.ASCII)
_SNIFFED = 1 << 12  # bytes
_RESULTS = {"B+": "B", "W+": "W", "Draw": "D"}
PASS = -1


@dataclass(slots=True)
class ImportedGame:
    """The main line of a game, or in `fault` why it could not be read."""

    source: str  # file, and line or number of the game
    result: str = "?"  # B, W, D or ?
    size: int = 15
    rule: Rule | None = None  # None: not stated
    moves: list[int] | None = None  # indices of points; -1 is a pass
    colours: list[int] | None = None  # of each move; None: alternating, black first
    black: tuple[int, ...] = ()  # stones set up before the first move
    white: tuple[int, ...] = ()
    fault: str = ""
    read: int = 0  # bytes of the file read so far


def read_games(path: Path, size: int, form: str | None = None) -> Iterator[ImportedGame]:
    """The games of a file. `size` is for files that do not state it; `form` names a record format.
    Raises OSError.
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
        yield ImportedGame(str(path), fault=f"the file is damaged: {error}")
    except OSError as error:
        if error.errno is not None:  # bz2 raises a plain OSError for damaged data
            raise
        yield ImportedGame(str(path), fault=f"the file is damaged: {error}")
    except BadRecord as error:
        yield ImportedGame(str(path), fault=str(error))


def _unpacked(raw: IO[bytes], ending: str) -> IO[bytes]:
    if ending == ".xz":
        return cast(IO[bytes], lzma.LZMAFile(raw))
    if ending == ".gz":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    return cast(IO[bytes], bz2.BZ2File(raw)) if ending == ".bz2" else raw


def _first_line(head: bytes) -> bytes:
    """The first line that is neither empty nor a comment."""
    for line in head.splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return line.lstrip()
    return b""


def _line_games(file: IO[bytes], path: Path, size: int) -> Iterator[ImportedGame]:
    points = {
        f"{chr(ord('a') + x)}{y + 1}".encode(): y * size + x
        for y in range(size)
        for x in range(size)
    }
    points[b"pass"] = PASS
    for number, line in enumerate(file, 1):
        result, *names = line.split() or [b"#"]
        if result.startswith(b"#"):
            continue
        source = f"{path}:{number}"
        if result not in (b"B", b"W", b"D", b"?"):
            fault = f"no result {_quoted(result)}: a line starts with B, W, D or ?"
            yield ImportedGame(source, fault=fault)
            continue
        try:
            moves = [points[name] for name in names]
        except KeyError as error:
            fault = f"no move {_quoted(error.args[0])} on a {size}x{size} board: use names like h8"
            yield ImportedGame(source, fault=fault)
            continue
        yield ImportedGame(source, result.decode(), size, None, moves)


def _quoted(word: bytes) -> str:
    return repr(word[:20].decode("utf-8", "replace"))


def _from_record(record: Record, source: str) -> ImportedGame:
    """The main line. Set-up stones before the first move are its start; later ones end it."""
    game = ImportedGame(source, _RESULTS.get(record.result, "?"), record.size, record.rule)
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
            # Unknown: black, unless black has more stones, as in `Board.from_stones`.
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
