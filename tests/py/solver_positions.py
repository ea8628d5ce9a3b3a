# SPDX-License-Identifier: MIT
"""Reader of the board diagrams for the solvers, ``tests/positions/solver``.

The top of ``vcf.txt`` describes the format. The reader is strict: anything unknown is an error with
file and line. It shares no code with the reader of the other diagrams, whose expectations differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "positions" / "solver"
COLUMNS = "abcdefghijklmnopqrstuv"

# The keys of a case in their order, with the values they may have; None: looked at elsewhere.
KEYS: dict[str, tuple[str, ...] | None] = {
    "case": None,
    "rule": ("freestyle", "standard", "renju", "caro", "caro6"),
    "size": tuple(str(size) for size in range(5, 23)),
    "to move": ("black", "white"),
    "goal": ("vcf", "vct"),
    "expected": ("win", "no win"),
    "only": None,
    "never": None,
    "why": None,
}
OPTIONAL = ("only", "never")
ABOVE_THE_DRAWING = ("case", "rule", "size", "to move")

_KEY = re.compile(r"([a-z ]+): (.+)")
_ROW = re.compile(r" *([1-9][0-9]?) +([.XO?](?: [.XO?])*) +([1-9][0-9]?)")

Point = tuple[int, int]


class SolverPositionError(ValueError):
    """A fault in a file of positions; the message starts with ``file:line``."""


@dataclass
class SolverCase:
    """A drawn position and what a solver must find; points are (x, y), (0, 0) is ``a1``.

    ``only`` holds exactly the winning first moves where they are listed (otherwise it is empty),
    ``never`` moves that do not win.
    """

    title: str
    place: str
    rule: str = ""
    size: int = 15
    to_move: str = "black"
    goal: str = ""
    wins: bool = False
    why: str = ""
    black: list[Point] = field(default_factory=list)
    white: list[Point] = field(default_factory=list)
    marked: list[Point] = field(default_factory=list)
    only: list[Point] = field(default_factory=list)
    never: list[Point] = field(default_factory=list)

    def drawing(self) -> str:
        """The whole board as text, for messages of failing tests."""
        cells = dict.fromkeys(self.black, "X") | dict.fromkeys(self.white, "O")
        cells |= dict.fromkeys(self.marked, "?")
        rows = [
            f"{y + 1:2}  " + " ".join(cells.get((x, y), ".") for x in range(self.size))
            for y in reversed(range(self.size))
        ]
        return "\n".join(["    " + " ".join(COLUMNS[: self.size]), *rows])


def point_name(point: Point) -> str:
    """``(7, 7)`` -> ``h8``."""
    return f"{COLUMNS[point[0]]}{point[1] + 1}"


class _BlockReader:
    """Reads one block of lines: one case."""

    def __init__(self, place: str) -> None:
        self.place = place  # of the line being read
        self.case = SolverCase(title="", place=place)
        self.keys: list[str] = []
        self.rows: list[int] = []  # numbers of the rows drawn

    def read(self, place: str, line: str) -> None:
        self.place = place
        if key := _KEY.fullmatch(line):
            self._read_key(key[1], key[2])
        elif row := _ROW.fullmatch(line):
            self._read_row(int(row[1]), row[2].split(" "), int(row[3]))
        else:
            letters = " ".join(COLUMNS[: self.case.size])
            self._require(line.strip() == letters, f"cannot read {line!r}")
            self._require(self.keys == list(ABOVE_THE_DRAWING) and not self.rows, "misplaced")

    def _require(self, good: bool, fault: str) -> None:
        if not good:
            raise SolverPositionError(f"{self.place}: {fault}")

    def _read_key(self, key: str, value: str) -> None:
        self._require(key in KEYS, f"unknown key {key!r}")
        order = list(KEYS)
        last = order.index(self.keys[-1]) if self.keys else -1
        again = key == "why" and self.keys[-1:] == ["why"]
        self._require(again or order.index(key) > last, f"{key!r} is not in its place")
        allowed = KEYS[key]
        self._require(allowed is None or value in allowed, f"{value!r} is no {key}")
        self.keys.append(key)
        self._take(key, value)

    def _take(self, key: str, value: str) -> None:
        case = self.case
        if key == "case":
            case.title = value
        elif key == "size":
            case.size = int(value)
        elif key == "expected":
            case.wins = value == "win"
        elif key in ("only", "never"):
            setattr(case, key, [self._point(name) for name in value.split(" ")])
        elif key == "why":
            case.why = f"{case.why} {value}".lstrip()
        else:
            setattr(case, key.replace(" ", "_"), value)

    def _read_row(self, number: int, cells: list[str], repeated: int) -> None:
        case = self.case
        self._require(self.keys == list(ABOVE_THE_DRAWING), "a row out of the drawing")
        self._require(len(cells) == case.size, f"a row of {len(cells)} cells")
        self._require(number == repeated, f"row {number} ends as {repeated}")
        above = self.rows[-1] if self.rows else case.size + 1
        self._require(number < above, f"row {number} does not lie below row {above}")
        self.rows.append(number)
        where = {"X": case.black, "O": case.white, "?": case.marked}
        for x, cell in enumerate(cells):
            if cell != ".":
                where[cell].append((x, number - 1))

    def _point(self, name: str) -> Point:
        match = re.fullmatch(r"([a-v])([1-9][0-9]?)", name)
        self._require(match is not None, f"{name!r} is no point")
        assert match is not None
        point = (COLUMNS.index(match[1]), int(match[2]) - 1)
        self._require(point in self.case.marked, f"{name} is not drawn as '?'")
        return point

    def finish(self) -> SolverCase:
        case = self.case
        missing = [key for key in KEYS if key not in self.keys and key not in OPTIONAL]
        self._require(not missing, f"without {', '.join(missing)}")
        named = [*case.only, *case.never]
        self._require(sorted(named) == sorted(case.marked), "'?' and the points named differ")
        self._require(case.wins or not case.only, "'only' without a win")
        return case


def read_solver_cases(path: Path) -> list[SolverCase]:
    """All cases of one file, in its order; their titles differ."""
    cases: list[SolverCase] = []
    block: _BlockReader | None = None
    lines = path.read_text(encoding="ascii").split("\n")
    for number, line in enumerate([*lines, ""], start=1):
        place = f"{path}:{number}"
        if line.startswith("#"):
            continue
        if line.strip():
            block = block or _BlockReader(place)
            block.read(place, line.rstrip())
        elif block is not None:
            cases.append(block.finish())
            block = None
    titles = [case.title for case in cases]
    for case in cases:
        if titles.count(case.title) > 1:
            raise SolverPositionError(f"{case.place}: title {case.title!r} is used twice")
    return cases


def read_solver_folder(folder: Path = FOLDER) -> list[SolverCase]:
    """The cases of all files of the folder."""
    return [case for path in sorted(folder.glob("*.txt")) for case in read_solver_cases(path)]
