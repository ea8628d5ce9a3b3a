# SPDX-License-Identifier: MIT
"""The openings of a match: bundled ones, those of a file, the 26 of renju, or new ones. No two of
a list are equal under symmetry.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tengen.arena.definition import Definition
from tengen.arena.errors import BadArena
from tengen.arena.make_openings import (
    Key,
    Opening,
    OpeningProgress,
    Recipe,
    board_after,
    make_openings,
    same_under_symmetry,
)
from tengen.cluster import Cluster
from tengen.game import records
from tengen.game.errors import IllegalMove
from tengen.game.move import Move
from tengen.game.records.record import Record
from tengen.game.renju_openings import RENJU_OPENINGS
from tengen.game.rule import Colour, Rule
from tengen.util.config import config_folder
from tengen.util.deprecation import renamed_keywords

_NAMES = ("balanced", "even", "renju26", "empty", "swap2")  # other values are files


class FileOpenings(NamedTuple):
    """The openings of a file, and the number of records left out, by reason."""

    openings: list[Opening]
    left_out: Counter[str]

    def summary(self) -> str:
        """The records left out, as text; empty if there are none."""
        if not self.left_out:
            return ""
        reasons = ", ".join(f"{number} {why}" for why, number in self.left_out.most_common())
        total = self.left_out.total()
        return f"{total} of {total + len(self.openings)} records left out: {reasons}"


class ListedOpening(NamedTuple):
    """One record of a file: its opening, and why it cannot be used; empty if it can."""

    opening: Opening
    fault: str


def listed_openings(
    path: str | Path, size: int, rule: Rule, moves: int = 0
) -> Iterator[ListedOpening]:
    """The records of a file of any format: the first `moves` moves of each main line, 0 for all of
    them. Raises BadRecord, OSError.
    """
    seen: set[Key] = set()
    for record in records.read(path, size=size):
        opening, fault = _opening_of(record, size, rule, moves)
        key = same_under_symmetry(opening, size)
        if not fault and key in seen:
            fault = "the same as another one, rotated or mirrored"
        elif not fault:
            seen.add(key)
        yield ListedOpening(opening, fault)


def file_openings(path: str | Path, size: int, rule: Rule, moves: int = 0) -> FileOpenings:
    """The openings of a record file, see `listed_openings`. Raises BadArena if none can be used."""
    openings = []
    left_out: Counter[str] = Counter()
    for opening, fault in listed_openings(path, size, rule, moves):
        if fault:
            left_out[fault] += 1
        else:
            openings.append(opening)
    found = FileOpenings(openings, left_out)
    if not openings:
        raise BadArena(f"{path} has no opening for {rule} {size}x{size}: {found.summary()}")
    return found


def _opening_of(record: Record, size: int, rule: Rule, moves: int) -> tuple[Opening, str]:
    """The opening, and why it cannot be used; empty if it can."""
    found: list[Move] = []
    if record.size != size:
        return (), "for another board size"
    for node in record.main_line():
        if moves and len(found) == moves:
            break
        if node.is_setup:
            return (), "with stones that were set up"
        if node.move is None:
            continue
        if node.move.is_pass:
            return (), "with a pass"
        if node.colour not in (None, Colour.WHITE if len(found) % 2 else Colour.BLACK):
            return (), "with a move out of turn"
        found.append(node.move)
    if len(found) < max(moves, 1):
        return (), f"of fewer than {moves} moves" if moves else "without moves"
    return tuple(found), _fault_on_board(found, size, rule)


def _fault_on_board(opening: Sequence[Move], size: int, rule: Rule) -> str:
    """Why no game can start with it; empty if one can."""
    try:
        board = board_after(opening, size, rule)
    except IllegalMove:
        return "against the rule"
    return "with a finished game" if board.is_over() else ""


def bundled_openings(rule: Rule, size: int) -> list[Opening]:
    """The bundled balanced openings; empty if there are none."""
    return _read_bundled(config_folder() / "openings" / f"{rule}{size}.txt", size)


def even_openings(rule: Rule, size: int) -> list[Opening]:
    """The bundled openings that both colours win in quick games; empty if there are none."""
    return _read_bundled(config_folder() / "openings" / "even" / f"{rule}{size}.txt", size)


def _read_bundled(path: Path, size: int) -> list[Opening]:
    if not path.is_file():
        return []
    return records.read_openings(path.read_bytes(), size, str(path))


def renju26(size: int) -> list[Opening]:
    """The 26 classical openings of renju, direct ones first."""
    return [opening.moves(size) for opening in RENJU_OPENINGS]


@renamed_keywords(tell="warn")
def openings_for(
    definition: Definition,
    cluster: Cluster,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[OpeningProgress], None] = lambda making: None,
    warn: Callable[[str], None] = lambda message: None,
) -> list[tuple[str, ...]]:
    """The openings of a match as names of moves: one for each pair, the same for all opponents; for
    "empty" and "swap2" a single one, which is empty.

    A function of the definition and of the files that it names. If there are fewer than pairs they
    repeat, which `warn` reports. Empty if it was stopped before there was one. Raises
    BadArena, BadRecord, OSError, ArenaFailed.
    """
    wanted = definition.pairs
    if definition.openings in ("empty", "swap2"):
        return [()]
    if definition.openings == "balanced":
        listed = _balanced(definition, cluster, stop, progress, warn)
    elif definition.openings == "even":
        listed = _even(definition)
    elif definition.openings == "renju26":
        listed = renju26(definition.size)
    else:
        listed = _of_file(definition, warn)
    random.Random(f"order {definition.seed}").shuffle(listed)
    if 0 < len(listed) < wanted:
        warn(f"{len(listed)} openings for {wanted} pairs: they repeat")
    names = [tuple(move.name for move in opening) for opening in listed]
    return (names * -(-wanted // max(len(names), 1)))[:wanted]


def check_openings(definition: Definition) -> None:
    """Check that the openings exist. Raises BadArena."""
    if definition.openings == "even":
        _even(definition)
    path = Path(definition.openings).expanduser()
    if definition.openings not in _NAMES and not path.exists():
        known = f"{', '.join(_NAMES)}, or a file"
        raise BadArena(f"no openings {definition.openings!r}: use {known}")


def _of_file(definition: Definition, warn: Callable[[str], None]) -> list[Opening]:
    check_openings(definition)
    path = Path(definition.openings).expanduser()
    found = file_openings(path, definition.size, definition.rule, definition.opening_moves)
    if found.left_out:
        warn(f"{path}: {found.summary()}")
    return found.openings


def _even(definition: Definition) -> list[Opening]:
    rule, size = definition.rule, definition.size
    found = even_openings(rule, size)
    if not found:
        make = f"tengen openings make --rule {rule} --size {size} --games 6 --out FILE"
        problem = f"there are no bundled even openings for {rule} {size}x{size}"
        raise BadArena(f"{problem}: use balanced, or make some with `{make}` and name the file")
    return found


def _balanced(
    definition: Definition,
    cluster: Cluster,
    stop: Callable[[], bool],
    progress: Callable[[OpeningProgress], None],
    warn: Callable[[str], None],
) -> list[Opening]:
    """The bundled openings; if they are not enough, more are made."""
    rule, size, wanted = definition.rule, definition.size, definition.pairs
    bundled = bundled_openings(rule, size)
    if len(bundled) >= wanted:
        return bundled
    recipe = Recipe(rule, size, seed=definition.seed)
    left = wanted - len(bundled)
    warn(f"making {left} balanced openings for {rule} {size}x{size}")
    made = make_openings(recipe, left, cluster, known=bundled, stop=stop, progress=progress)
    if not bundled and not made and not stop():
        raise BadArena(f"no balanced opening was found for {rule} {size}x{size}")
    return bundled + made
