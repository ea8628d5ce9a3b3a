# SPDX-License-Identifier: MIT
"""The reference implementation of docs/rules.md, written for reading and not for speed.

Uses the standard library alone, so that the C++ referee and the pattern tables can be compared with
something that shares no code with them. The first part classifies one line, a string with the stone
in the middle; `ReferenceBoard` combines four lines, finds black's forbidden points, and keeps a
game.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Self

EMPTY, BLACK, WHITE = 0, 1, 2
PASS = -1
RULES = ("freestyle", "standard", "renju", "caro", "caro6")
MIN_SIZE, MAX_SIZE = 5, 22
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))  # (dx, dy) of one step

# A line is a string of the eleven cells around a stone, which is the middle one. A five through
# the stone lies within four steps of it, and the fifth step shows what is beyond the five's
# end; nothing farther away can matter.
OWN, OTHER, FREE, EDGE = "X", "O", ".", "#"
REACH = MIDDLE = 5
NEAR = range(MIDDLE - 4, MIDDLE + 5)
FOUR, FIVE, SIX = 4, 5, 6  # lengths of runs


def _run_wins(rule: str, colour: int, length: int, blocked: bool) -> bool:
    """The table of docs/rules.md; `blocked`: the opponent is at both ends."""
    if rule == "freestyle" or (rule == "renju" and colour == WHITE):
        return length >= FIVE
    if rule in ("standard", "renju"):
        return length == FIVE
    if rule == "caro6" and length >= SIX:
        return True
    return length == FIVE and not blocked


def _is_bound(rule: str, colour: int) -> bool:
    """Whether the colour has forbidden moves under the rule."""
    return rule == "renju" and colour == BLACK


def _put(line: str, at: int, mark: str) -> str:
    return line[:at] + mark + line[at + 1 :]


def _run(line: str) -> tuple[int, int]:
    """First position and length of the run through the middle stone, cut at the ends of the line,
    which leave at least six."""
    first = last = MIDDLE
    while first > 0 and line[first - 1] == OWN:
        first -= 1
    while last < len(line) - 1 and line[last + 1] == OWN:
        last += 1
    return first, last - first + 1


def _is_five(line: str, rule: str, colour: int) -> bool:
    """Whether the run through the middle stone wins."""
    first, length = _run(line)
    beyond = line[first - 1 : first] + line[first + length : first + length + 1]
    return _run_wins(rule, colour, length, blocked=beyond == OTHER + OTHER)


def _completions(line: str, rule: str, colour: int) -> list[int]:
    """Completion points whose five goes through the middle stone (which makes no five yet)."""
    return [at for at in NEAR if line[at] == FREE and _is_five(_put(line, at, OWN), rule, colour)]


@cache
def _four_class(line: str, rule: str, colour: int) -> str:
    """`five`, `overline` (one that does not win), `open_four`, `double_four`, `four` or `none`."""
    if _is_five(line, rule, colour):
        return "five"
    first, length = _run(line)
    if length >= SIX:
        return "overline"
    points = _completions(line, rule, colour)
    if not points:
        return "none"
    # One stone of the opponent, on whichever completion point, must leave another one.
    if not all(_completions(_put(line, at, OTHER), rule, colour) for at in points):
        return "four"
    is_open = length == FOUR and points == [first - 1, first + length]
    return "open_four" if is_open else "double_four"


def _count_fours(classes: Sequence[str]) -> int:
    return sum({"double_four": 2, "open_four": 1, "four": 1}.get(each, 0) for each in classes)


@cache
def _three_points(line: str, rule: str, colour: int) -> tuple[int, ...]:
    """Where one more stone turns the line into what an open three promises, as steps from the
    middle. Empty unless the line is an open three, by the line alone: an apparent one."""
    if _four_class(line, rule, colour) != "none":
        return ()
    promised = ("open_four",) if _is_bound(rule, colour) else ("open_four", "double_four")
    return tuple(
        at - MIDDLE
        for at in NEAR
        if line[at] == FREE and _four_class(_put(line, at, OWN), rule, colour) in promised
    )


@cache
def _line_class(line: str, rule: str, colour: int) -> str:
    """The class of the line for its middle stone, by the line alone."""
    four_class = _four_class(line, rule, colour)
    if four_class != "none":
        return four_class
    if _three_points(line, rule, colour):
        return "open_three"
    after = {_line_class(_put(line, at, OWN), rule, colour) for at in NEAR if line[at] == FREE}
    wanted = ("four", "open_three", "three", "open_two", "two")
    names = ("three", "open_two", "two", "open_one", "one")
    named = (name for want, name in zip(wanted, names, strict=True) if want in after)
    return next(named, "none")


class IllegalMoveError(ValueError):
    """A move off the board, on a stone, or after the end of the game."""


class ForbiddenMoveError(ValueError):
    """A move that renju forbids to black; `reason` is overline, double_four or double_three."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"forbidden to black: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class ReferenceOutcome:
    """How a game ended."""

    winner: int  # 0: a draw
    reason: str  # five, full_board, passes or move_limit
    lines: tuple[tuple[int, ...], ...] = ()  # the winning runs, sorted


@dataclass(frozen=True)
class PointReport:
    """What a stone on an empty point makes. Below `overline` all is 0 or None if it is a five."""

    five: bool
    overline: bool  # a run of six or more, winning or not
    fours: int = 0  # over all four lines; two fours in one line count 2
    open_four: bool = False
    threes: int = 0  # lines that hold a three; for black in renju a real one
    forbidden: str | None = None
    depth: int = 0  # recursion depth of `forbidden`, with every continuation


@dataclass(frozen=True)
class _Legality:
    """Whether renju allows a black stone. `candidate`: the threes decide, since there is no five,
    overline or double-four, but an apparent three on two or more lines."""

    five: bool = False
    reason: str | None = None
    candidate: bool = False
    depth: int = 0


def _opponent(colour: int) -> int:
    return WHITE if colour == BLACK else BLACK


class ReferenceBoard:
    """A position and the game that led to it. `cells[y * size + x]`. No state is cached:
    every method computes from the cells, the moves and the side to move."""

    def __init__(self, size: int = 15, rule: str = "renju", move_limit: int | None = None) -> None:
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise ValueError(f"size {size} is not in {MIN_SIZE}..{MAX_SIZE}")
        if rule not in RULES:
            raise ValueError(f"unknown rule {rule!r}; known are {', '.join(RULES)}")
        self.size, self.rule = size, rule
        self.cells = [EMPTY] * (size * size)
        self.to_move = BLACK
        self.moves: list[int] = []
        self.move_limit = move_limit

    @classmethod
    def from_cells(cls, cells: Sequence[int], size: int, rule: str, to_move: int = BLACK) -> Self:
        """A position set up from stones, with no moves made; any set of stones will do."""
        board = cls(size, rule)
        if len(cells) != size * size:
            raise ValueError(f"{len(cells)} cells for a board of {size}x{size}")
        if any(cell not in (EMPTY, BLACK, WHITE) for cell in cells):
            raise ValueError("a cell is neither empty nor black nor white")
        if to_move not in (BLACK, WHITE):
            raise ValueError(f"{to_move} is not a colour")
        board.cells = list(cells)
        board.to_move = to_move
        return board

    def play(self, index: int) -> None:
        """Places a stone of the side to move, or passes."""
        if self.outcome() is not None:
            raise IllegalMoveError("the game is over")
        if index != PASS:
            self._require_empty(index)
            reason = self.forbidden(index) if self.to_move == BLACK else None
            if reason is not None:
                raise ForbiddenMoveError(reason)
            self.cells[index] = self.to_move
        self.moves.append(index)
        self.to_move = _opponent(self.to_move)

    def undo(self) -> None:
        """Takes the last move or pass back."""
        if not self.moves:
            raise ValueError("there is no move to take back")
        index = self.moves.pop()
        if index != PASS:
            self.cells[index] = EMPTY
        self.to_move = _opponent(self.to_move)

    def legal_moves(self) -> list[int]:
        """Points the side to move may play; none when the game is over. A pass is not listed."""
        if self.outcome() is not None:
            return []
        barred = self.forbidden_points() if self.to_move == BLACK else {}
        return [index for index in self._empty_points() if index not in barred]

    def outcome(self) -> ReferenceOutcome | None:
        """How the game ended, or None. Where two reasons for a draw meet, the first of full_board,
        passes, move_limit is given."""
        won = self._won_by_last_move() if self.moves else self._won_as_set_up()
        if won is not None:
            return won
        if EMPTY not in self.cells:
            return ReferenceOutcome(EMPTY, "full_board")
        if self.moves[-2:] == [PASS, PASS]:
            return ReferenceOutcome(EMPTY, "passes")
        if self.move_limit is not None and len(self.moves) >= self.move_limit:
            return ReferenceOutcome(EMPTY, "move_limit")
        return None

    def _won_by_last_move(self) -> ReferenceOutcome | None:
        """Only the last stone can have won, and only for its own colour."""
        last = self.moves[-1]
        lines = self._winning_runs(last) if last != PASS else []
        return ReferenceOutcome(self.cells[last], "five", tuple(sorted(lines))) if lines else None

    def _won_as_set_up(self) -> ReferenceOutcome | None:
        """Any winning run counts; if both colours have one, the side not to move has won."""
        for colour in (_opponent(self.to_move), self.to_move):
            stones = [index for index, cell in enumerate(self.cells) if cell == colour]
            lines = {line for index in stones for line in self._winning_runs(index)}
            if lines:
                return ReferenceOutcome(colour, "five", tuple(sorted(lines)))
        return None

    def _winning_runs(self, index: int) -> list[tuple[int, ...]]:
        """The runs through the stone at `index` that win, each sorted."""
        colour = self.cells[index]
        return [
            tuple(sorted(self._run_points(index, dx, dy) | self._run_points(index, -dx, -dy)))
            for line, (dx, dy) in zip(self._lines(index, colour), DIRECTIONS, strict=True)
            if _is_five(line, self.rule, colour)
        ]

    def _run_points(self, index: int, dx: int, dy: int) -> set[int]:
        """The stone at `index` and those of its run that lie beyond it towards (dx, dy)."""
        y, x = divmod(index, self.size)
        points = set()
        while self._mark(x, y, self.cells[index]) == OWN:
            points.add(y * self.size + x)
            x, y = x + dx, y + dy
        return points

    def line_class(self, index: int, colour: int, direction: int) -> str:
        """The class of one line if `colour` played the empty point `index`, by that line alone."""
        if direction not in range(len(DIRECTIONS)):
            raise ValueError(f"{direction} is not a direction")
        with self._stone(index, colour):
            return _line_class(self._line(index, direction, colour), self.rule, colour)

    def verdict(self, index: int, colour: int) -> PointReport:
        """What `colour` would make on the empty point `index`, whoever is to move."""
        with self._stone(index, colour):
            lines = self._lines(index, colour)
            classes = [_four_class(line, self.rule, colour) for line in lines]
            overline = any(_run(line)[1] >= SIX for line in lines)
            if "five" in classes:
                return PointReport(True, overline)
            fours, open_four = _count_fours(classes), "open_four" in classes
            if not _is_bound(self.rule, colour):
                threes = sum(bool(_three_points(line, self.rule, colour)) for line in lines)
                return PointReport(False, overline, fours, open_four, threes)
            legality = self._legality(index, lines)
            threes, _ = self._real_threes(index, lines)
            decided = legality.reason, legality.depth
            return PointReport(False, overline, fours, open_four, threes, *decided)

    def forbidden(self, index: int) -> str | None:
        """Why black may not play the empty point `index` (overline, double_four, double_three), or
        None. Neither the side to move nor the end of the game matters."""
        with self._stone(index, BLACK):
            lines = self._lines(index, BLACK)
            return self._legality(index, lines).reason if _is_bound(self.rule, BLACK) else None

    def forbidden_points(self) -> dict[int, str]:
        """All points forbidden to black, with the reason."""
        reasons = {index: self.forbidden(index) for index in self._empty_points()}
        return {index: reason for index, reason in reasons.items() if reason is not None}

    def _legality(self, index: int, lines: Sequence[str]) -> _Legality:
        """Renju's four steps, for a black stone that is already on the board with these lines."""
        classes = [_four_class(line, self.rule, BLACK) for line in lines]
        if "five" in classes:
            return _Legality(five=True)
        if "overline" in classes:
            return _Legality(reason="overline")
        if _count_fours(classes) > 1:
            return _Legality(reason="double_four")
        apparent_threes = sum(bool(_three_points(line, self.rule, BLACK)) for line in lines)
        if apparent_threes <= 1:
            return _Legality()
        threes, depth = self._real_threes(index, lines)
        reason = "double_three" if threes > 1 else None
        return _Legality(reason=reason, candidate=True, depth=depth)

    def _real_threes(self, index: int, lines: Sequence[str]) -> tuple[int, int]:
        """The number of lines on which the black stone at `index` has a three that can become an
        open four legally, and the recursion depth. No continuation is skipped once the
        answer is known, so that the depth does not depend on the order."""
        threes, depth = 0, 0
        for line, (dx, dy) in zip(lines, DIRECTIONS, strict=True):
            is_real = False
            for steps in _three_points(line, self.rule, BLACK):
                continuation = index + steps * (dy * self.size + dx)
                with self._stone(continuation, BLACK):
                    legality = self._legality(continuation, self._lines(continuation, BLACK))
                is_real = is_real or (not legality.five and legality.reason is None)
                depth = max(depth, legality.depth + 1 if legality.candidate else 0)
            threes += is_real
        return threes, depth

    def _lines(self, index: int, colour: int) -> list[str]:
        """The four lines through a stone of `colour` that stands at `index`."""
        return [self._line(index, direction, colour) for direction in range(len(DIRECTIONS))]

    def _line(self, index: int, direction: int, colour: int) -> str:
        dx, dy = DIRECTIONS[direction]
        y, x = divmod(index, self.size)
        steps = range(-REACH, REACH + 1)
        return "".join([self._mark(x + step * dx, y + step * dy, colour) for step in steps])

    def _mark(self, x: int, y: int, colour: int) -> str:
        """What stands at column x, row y, as `colour` sees it."""
        if not (0 <= x < self.size and 0 <= y < self.size):
            return EDGE
        cell = self.cells[y * self.size + x]
        if cell == EMPTY:
            return FREE
        return OWN if cell == colour else OTHER

    def _empty_points(self) -> list[int]:
        return [index for index, cell in enumerate(self.cells) if cell == EMPTY]

    def _require_empty(self, index: int) -> None:
        if not 0 <= index < len(self.cells):
            raise IllegalMoveError(f"point {index} is off the board")
        if self.cells[index] != EMPTY:
            raise IllegalMoveError(f"point {index} is occupied")

    @contextmanager
    def _stone(self, index: int, colour: int) -> Iterator[None]:
        """Place a stone on an empty point for a while. Raises for another point or colour."""
        self._require_empty(index)
        if colour not in (BLACK, WHITE):
            raise ValueError(f"{colour} is not a colour")
        self.cells[index] = colour
        try:
            yield
        finally:
            self.cells[index] = EMPTY


def symmetries(cells: Sequence[int], size: int) -> list[list[int]]:
    """The eight images of a board: the identity, three further quarter turns of it, and the mirror
    image (columns reversed) with its three further quarter turns."""
    rows = [list(cells[start : start + size]) for start in range(0, len(cells), size)]
    if any(len(row) != size for row in rows) or len(rows) != size:
        raise ValueError(f"{len(cells)} cells for a board of {size}x{size}")
    images = []
    for image in (rows, [row[::-1] for row in rows]):
        turned = image
        for _ in range(4):
            images.append([cell for row in turned for cell in row])
            turned = [list(column) for column in zip(*turned[::-1], strict=True)]
    return images
