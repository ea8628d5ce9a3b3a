# SPDX-License-Identifier: MIT
"""Reader of the board diagrams in ``tests/positions``.

``tests/positions/README.md`` describes the format. The reader is strict: anything unknown is an
error with file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

RULES = ("freestyle", "standard", "renju", "caro", "caro6")
COLOURS = ("black", "white")
OUTCOMES = ("none", "black", "white", "draw")
REASONS = ("overline", "double_four", "double_three")
MIN_SIZE, MAX_SIZE, DEFAULT_SIZE = 5, 22, 15
COLUMNS = "abcdefghijklmnopqrstuv"
FOLDER = Path(__file__).resolve().parent.parent / "positions"

# What may follow the point of an ``expect:`` line: without and with an argument.
PLAIN_KINDS = ("allowed", "five", "no five", "four", "no four", "open_four", "no open_four")
COUNT_KINDS = ("fours", "depth")
BLACK_RENJU_KINDS = ("forbidden", "depth")

_POINT = re.compile(r"([a-v])([1-9]|1[0-9]|2[0-2])")
_KEY = re.compile(r"(rule|size|to move|expect|forbidden|outcome|why):(.*)")
_ROW = re.compile(r" *([1-9][0-9]?) {1,4}([.XO?](?: [.XO?])*)(?: +([1-9][0-9]?))?")
_HEADER = re.compile(r" +(a(?: [a-v])+)")

Point = tuple[int, int]


class PositionError(ValueError):
    """A fault in a position file; the message starts with ``file:line``."""


@dataclass(frozen=True)
class Expectation:
    """One thing that must hold.

    ``kind`` is one of ``PLAIN_KINDS``, ``COUNT_KINDS``, ``forbidden`` (one point, ``text`` holds
    the reason), ``forbidden_set`` (``points`` is the whole set) or ``outcome`` (``text`` holds
    it).
    """

    kind: str
    line: int
    point: Point | None = None
    number: int | None = None
    text: str | None = None
    points: tuple[Point, ...] = ()


@dataclass
class Case:
    """One drawn position with what must hold in it; points are (x, y), (0, 0) is ``a1``."""

    title: str
    file: Path
    line: int
    rule: str = ""
    size: int = DEFAULT_SIZE
    to_move: str = "black"
    black: list[Point] = field(default_factory=list)
    white: list[Point] = field(default_factory=list)
    asked: list[Point] = field(default_factory=list)
    expectations: list[Expectation] = field(default_factory=list)
    why: str = ""

    def drawing(self) -> str:
        """The whole board as text, for messages of failing tests."""
        cells = dict.fromkeys(self.black, "X") | dict.fromkeys(self.white, "O")
        cells |= dict.fromkeys(self.asked, "?")
        header = "    " + " ".join(COLUMNS[: self.size])
        rows = [
            f"{y + 1:2}  " + " ".join(cells.get((x, y), ".") for x in range(self.size))
            for y in reversed(range(self.size))
        ]
        return "\n".join([header, *rows])


def point_name(point: Point) -> str:
    """``(7, 7)`` -> ``h8``."""
    return f"{COLUMNS[point[0]]}{point[1] + 1}"


class _CaseReader:
    """Reads the lines of one case."""

    def __init__(self, file: Path, line: int, title: str) -> None:
        self.case = Case(title=title, file=file, line=line)
        self.last_row: int | None = None  # the row drawn last, counted from 1
        self.seen: set[str] = set()

    def fail(self, line: int, message: str) -> PositionError:
        return PositionError(f"{self.case.file}:{line}: {message}")

    def read(self, line: int, text: str) -> None:
        key = _KEY.fullmatch(text)
        if key is not None:
            self._read_key(line, key[1], key[2].strip())
        elif header := _HEADER.fullmatch(text):
            self._read_header(line, header[1])
        elif row := _ROW.fullmatch(text):
            self._read_row(line, int(row[1]), row[2].split(" "), row[3])
        else:
            raise self.fail(line, f"cannot read {text!r}")

    def _read_key(self, line: int, key: str, value: str) -> None:
        if not value:
            raise self.fail(line, f"'{key}:' is empty")
        if key not in ("expect", "why") and key in self.seen:
            raise self.fail(line, f"second '{key}:' in one case")
        self.seen.add(key)
        if key in ("rule", "size", "to move"):
            if self.last_row is not None or self.case.expectations:
                raise self.fail(line, f"'{key}:' must stand before the drawing")
            self._read_setting(line, key, value)
        elif key == "why":
            self.case.why = f"{self.case.why} {value}".lstrip()
        else:
            self.case.expectations.append(self._read_expectation(line, key, value))

    def _read_setting(self, line: int, key: str, value: str) -> None:
        if key == "rule":
            self.case.rule = self._one_of(line, value, RULES)
        elif key == "to move":
            self.case.to_move = self._one_of(line, value, COLOURS)
        elif not value.isdecimal() or not MIN_SIZE <= int(value) <= MAX_SIZE:
            raise self.fail(line, f"size must be {MIN_SIZE} to {MAX_SIZE}, not {value!r}")
        else:
            self.case.size = int(value)

    def _one_of(self, line: int, value: str, allowed: tuple[str, ...]) -> str:
        if value not in allowed:
            raise self.fail(line, f"{value!r} is none of: {', '.join(allowed)}")
        return value

    def _read_header(self, line: int, letters: str) -> None:
        if letters != " ".join(COLUMNS[: self.case.size]):
            raise self.fail(line, f"column letters do not fit a board of {self.case.size} lines")
        if self.last_row is not None:
            raise self.fail(line, "the column letters must stand above all rows")

    def _read_row(self, line: int, row: int, cells: list[str], repeated: str | None) -> None:
        if self.case.expectations:
            raise self.fail(line, "row below the expectations")
        if row > self.case.size or (self.last_row is not None and row >= self.last_row):
            raise self.fail(line, f"row {row} is off the board or not below the row above it")
        if len(cells) != self.case.size:
            raise self.fail(line, f"row {row} has {len(cells)} cells, not {self.case.size}")
        if repeated is not None and int(repeated) != row:
            raise self.fail(line, f"row starts as {row} but ends as {repeated}")
        self.last_row = row
        where = {"X": self.case.black, "O": self.case.white, "?": self.case.asked}
        for x, cell in enumerate(cells):
            if cell in where:
                where[cell].append((x, row - 1))

    def _read_expectation(self, line: int, key: str, value: str) -> Expectation:
        if key == "outcome":
            return Expectation("outcome", line, text=self._one_of(line, value, OUTCOMES))
        if key == "forbidden":
            names = [] if value == "none" else value.split()
            points = tuple(self._point(line, name) for name in names)
            if len(set(points)) != len(points):
                raise self.fail(line, "a point is named twice")
            if points and self.case.rule != "renju":
                raise self.fail(line, f"nothing is forbidden in {self.case.rule}")
            return Expectation("forbidden_set", line, points=points)
        name, _, what = value.partition(" ")
        point = self._point(line, name)
        kind, _, argument = what.partition(" ")
        if kind in BLACK_RENJU_KINDS and (self.case.rule, self.case.to_move) != ("renju", "black"):
            raise self.fail(line, f"{kind!r} can only be asked for black in renju")
        if what in PLAIN_KINDS:
            return Expectation(what, line, point=point)
        if kind == "forbidden":
            reason = self._one_of(line, argument, REASONS)
            return Expectation(kind, line, point=point, text=reason)
        if kind in COUNT_KINDS and re.fullmatch("[0-9]", argument):
            return Expectation(kind, line, point=point, number=int(argument))
        raise self.fail(line, f"unknown expectation {what!r}")

    def _point(self, line: int, name: str) -> Point:
        match = _POINT.fullmatch(name)
        if match is None:
            raise self.fail(line, f"{name!r} is no point")
        point = (COLUMNS.index(match[1]), int(match[2]) - 1)
        if max(point) >= self.case.size:
            raise self.fail(line, f"{name} is off the board")
        if point in self.case.black or point in self.case.white:
            raise self.fail(line, f"{name} is not empty")
        return point

    def finish(self) -> Case:
        case = self.case
        if not case.rule:
            raise self.fail(case.line, "case without 'rule:'")
        if not case.expectations:
            raise self.fail(case.line, "case without an expectation")
        named = {e.point for e in case.expectations} | {
            p for e in case.expectations for p in e.points
        }
        for point in case.asked:
            if point not in named:
                raise self.fail(case.line, f"'?' at {point_name(point)} is not asked about")
        return case


def _meaningful_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file that are no comments; a blank line is the empty string."""
    for number, text in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not text.isascii() or b"\t" in text or b"\r" in text:
            raise PositionError(f"{path}:{number}: only plain ASCII without tabs is allowed")
        line = text.decode("ascii").rstrip()
        if not line.startswith("#"):
            yield number, line


def read_cases(path: Path) -> list[Case]:
    """All cases of one file, in its order."""
    cases: list[Case] = []
    reader: _CaseReader | None = None
    for number, text in _meaningful_lines(path):
        if not text:
            if reader is not None:
                cases.append(reader.finish())
            reader = None
        elif text.startswith("case:"):
            title = text.removeprefix("case:").strip()
            if reader is not None or not title:
                raise PositionError(f"{path}:{number}: a case needs a title and a blank line above")
            reader = _CaseReader(path, number, title)
        elif reader is None:
            raise PositionError(f"{path}:{number}: expected 'case:', found {text!r}")
        else:
            reader.read(number, text)
    if reader is not None:
        cases.append(reader.finish())
    _check_titles(cases)
    return cases


def read_folder(folder: Path = FOLDER) -> list[Case]:
    """All cases of all ``*.txt`` files of a folder; their titles must differ."""
    cases = [case for path in sorted(folder.glob("*.txt")) for case in read_cases(path)]
    _check_titles(cases)
    return cases


def _check_titles(cases: list[Case]) -> None:
    first: dict[str, Case] = {}
    for case in cases:
        other = first.setdefault(case.title, case)
        if other is not case:
            raise PositionError(
                f"{case.file}:{case.line}: title {case.title!r} is already used"
                f" at {other.file}:{other.line}"
            )
