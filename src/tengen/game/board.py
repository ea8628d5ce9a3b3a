# SPDX-License-Identifier: MIT
"""`Board`: a position with its moves, under one rule; the API follows python-chess.

Wraps the native board, which knows the rules; adds notations, typed errors and drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from tengen import _core
from tengen.game.errors import (
    BadNotation,
    BadPosition,
    ForbiddenMove,
    GameOver,
    IllegalMove,
    TengenError,
)
from tengen.game.move import Move, MoveLike
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Forbidden, Rule
from tengen.game.threat import Shape, Threat
from tengen.util.deprecation import renamed_fields, renamed_keywords

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_MOVE_LIMIT = 1_000_000

_RULES = list(Rule)
_REASONS = (None, Forbidden.OVERLINE, Forbidden.DOUBLE_FOUR, Forbidden.DOUBLE_THREE)
_STOP_REASONS = ("none", "five", "full_board", "passes", "move_limit")
_REASON_TEXT = {
    Forbidden.OVERLINE: "an overline",
    Forbidden.DOUBLE_FOUR: "a double-four",
    Forbidden.DOUBLE_THREE: "a double-three",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `winner` is None for a draw; `lines` are the winning runs."""

    winner: Colour | None
    reason: str  # "five", "full_board", "passes" or "move_limit"
    lines: tuple[tuple[Move, ...], ...] = ()

    def __str__(self) -> str:
        how = self.reason.replace("_", " ")
        return f"draw ({how})" if self.winner is None else f"{self.winner} wins ({how})"


@renamed_fields(answers="defences")
class Board:
    """A square board of 5 to 22 lines, its stones, whose turn it is, and the moves made on it.

    Moves are `"h8"`, `"7,7"` (Gomocup), `(7, 7)`, an index, or a `Move`; `"pass"` passes. Two
    boards are equal if stones, turn, rule, size and last passes are; earlier moves do not matter.
    """

    __slots__ = ("_core", "_setup")

    def __init__(
        self,
        size: SupportsIndex = 15,
        rule: Rule | str = Rule.FREESTYLE,
        *,
        move_limit: int | None = None,
    ) -> None:
        lines = -1 if isinstance(size, bool) or not isinstance(size, SupportsIndex) else index(size)
        if not MIN_SIZE <= lines <= MAX_SIZE:
            hint = f"; did you mean rule={size!r}?" if isinstance(size, str) else ""
            raise BadPosition(
                f"no board of size {size!r}: sizes are {MIN_SIZE} to {MAX_SIZE}{hint}"
            )
        if move_limit is not None and not (
            isinstance(move_limit, int) and 1 <= move_limit <= MAX_MOVE_LIMIT
        ):
            raise BadPosition(
                f"no move limit of {move_limit!r}: use 1 to {MAX_MOVE_LIMIT}, or None"
            )
        number = _RULES.index(Rule.parse(rule))
        try:
            self._core = _core.Board(lines, number, move_limit or 0)
        except RuntimeError as error:  # TENGEN_SIMD names an instruction set that is missing here
            raise TengenError(str(error)) from None
        self._setup: tuple[tuple[int, ...], tuple[int, ...], int] | None = None

    @classmethod
    def from_stones(
        cls,
        black: Iterable[MoveLike] | str = (),
        white: Iterable[MoveLike] | str = (),
        to_move: Colour | str | None = None,
        size: SupportsIndex = 15,
        rule: Rule | str = Rule.FREESTYLE,
        *,
        move_limit: int | None = None,
    ) -> Board:
        """A position set up from stones. Without `to_move`, black is to move unless black has more
        stones.
        """
        board = cls(size, rule, move_limit=move_limit)
        seen: dict[int, str] = {}
        sides: list[tuple[int, ...]] = []
        for name, stones in (("black", black), ("white", white)):
            if isinstance(stones, Mapping):
                raise BadPosition(f"{name} stones: a mapping; pass the points of each colour")
            listed = stones.split() if isinstance(stones, str) else stones
            sides.append(tuple(board._stone_index(stone, name, seen) for stone in listed))
        if to_move is None:
            turn = Colour.WHITE if len(sides[0]) > len(sides[1]) else Colour.BLACK
        else:
            turn = Colour.parse(to_move)
        board._set_up(sides[0], sides[1], turn)
        return board

    @classmethod
    def from_array(
        cls,
        array: npt.ArrayLike,
        to_move: Colour | str | None = None,
        rule: Rule | str = Rule.FREESTYLE,
    ) -> Board:
        """A position from an array `[y, x]` of 0 empty, 1 black, 2 white, as from `to_array`."""
        import numpy as np

        cells = np.asarray(array)
        if cells.ndim != 2 or cells.shape[0] != cells.shape[1]:
            raise BadPosition(f"an array of shape {cells.shape}: expected [size, size]")
        flat = cells.ravel().tolist()
        if any(stone not in (0, 1, 2) for stone in flat):
            raise BadPosition("an array with something else than 0 empty, 1 black and 2 white")
        black, white = ([i for i, stone in enumerate(flat) if stone == c] for c in (1, 2))
        return cls.from_stones(black, white, to_move, cells.shape[0], rule)

    def with_stones(
        self, stones: Mapping[Move, Colour], to_move: Colour | str, *, move_limit: int | None = None
    ) -> Board:
        """A board of the same size and rule with these stones set up and no moves made."""
        black, white = ([p for p, owner in stones.items() if owner is c] for c in Colour)
        return Board.from_stones(black, white, to_move, self.size, self.rule, move_limit=move_limit)

    def _stone_index(self, stone: MoveLike, name: str, seen: dict[int, str]) -> int:
        try:
            move = Move.parse(stone, self.size)
        except BadNotation as error:
            raise BadPosition(f"{name} stone: {error}") from None
        if move.is_pass:
            raise BadPosition(f"{name} stone: a pass is no stone")
        point_index = move.to_index(self.size)
        if point_index in seen:
            raise BadPosition(f"{move} is given twice, as {seen[point_index]} and as {name}")
        seen[point_index] = name
        return point_index

    def _set_up(self, black: tuple[int, ...], white: tuple[int, ...], turn: int) -> None:
        self._core.set_up(list(black), list(white), int(turn))
        self._setup = (black, white, int(turn))

    # --- state ---

    @property
    def size(self) -> int:
        return self._core.size

    @property
    def rule(self) -> Rule:
        return _RULES[self._core.rule]

    @property
    def move_limit(self) -> int | None:
        """Moves after which the game is a draw, or None."""
        return self._core.move_limit or None

    @property
    def turn(self) -> Colour:
        """The side to move."""
        return Colour(self._core.side_to_move)

    @property
    def ply(self) -> int:
        """Number of moves made, passes included. Stones that were set up do not count."""
        return self._core.ply

    @property
    def moves(self) -> list[Move]:
        """The moves made, oldest first. Stones that were set up are not among them."""
        return [Move.from_index(i, self.size) for i in self._core.moves()]

    def stone_at(self, point: MoveLike) -> Colour | None:
        """The colour of the stone on a point, or None if it is empty."""
        cell = self._core.cell(self._point(point))
        return Colour(cell) if cell else None

    def stones(self) -> dict[Move, Colour]:
        """All stones, by point, row by row from a1."""
        cells = self._core.cells()
        return {Move.from_index(i, self.size): Colour(c) for i, c in enumerate(cells) if c}

    def to_array(self) -> npt.NDArray[np.uint8]:
        """The stones as an array `[y, x]`: 0 empty, 1 black, 2 white; row 0 is the row `1`."""
        import numpy as np

        cells = np.frombuffer(self._core.cells(), dtype=np.uint8)
        return cells.reshape(self.size, self.size).copy()

    def _point(self, point: MoveLike) -> int:
        move = Move.parse(point, self.size)
        if move.is_pass:
            raise BadNotation("a pass is no point")
        return move.to_index(self.size)

    # --- moves ---

    def push(self, move: MoveLike) -> Move:
        """Make a move for the side to move, and return it. Raises IllegalMove, ForbiddenMove or
        GameOver.
        """
        parsed = self._check(move)
        self._core.play(parsed.to_index(self.size))
        return parsed

    def pop(self) -> Move:
        """Take back the last move, and return it. Raises IndexError if none was made."""
        if not self._core.ply:
            raise IndexError("no move to take back")
        return Move.from_index(self._core.undo(), self.size)

    def peek(self) -> Move:
        """The last move. Raises IndexError if none was made."""
        if not self._core.ply:
            raise IndexError("no move was made")
        return self.moves[-1]

    def _check(self, move: MoveLike) -> Move:
        """The move, if it may be made now."""
        try:
            parsed = Move.parse(move, self.size)
        except BadNotation as error:
            raise IllegalMove(str(error)) from None
        if outcome := self.outcome():
            raise GameOver(f"{parsed}: the game is over, {outcome}")
        if parsed.is_pass:
            return parsed
        point_index = parsed.to_index(self.size)
        if cell := self._core.cell(point_index):
            raise IllegalMove(f"{parsed} is occupied by {Colour(cell)}")
        if self.turn is Colour.BLACK and (reason := _REASONS[self._core.forbidden(point_index)]):
            raise ForbiddenMove(f"{parsed} is forbidden to black: {_REASON_TEXT[reason]}", reason)
        return parsed

    def is_legal(self, move: MoveLike) -> bool:
        """Whether the side to move may make this move now."""
        try:
            self._check(move)
        except IllegalMove:
            return False
        return True

    def legal_moves(self) -> list[Move]:
        """The points that the side to move may play, row by row from a1; empty once the game is
        over.

        The pass is always legal too and is not listed.
        """
        if self.outcome():
            return []
        return [Move.from_index(i, self.size) for i in self._core.legal()]

    # --- the rules ---

    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it has not."""
        ending, winner, lines = self._core.outcome()
        if not ending:
            return None
        return Outcome(
            Colour(winner) if winner else None,
            _STOP_REASONS[ending],
            tuple(tuple(Move.from_index(i, self.size) for i in line) for line in lines),
        )

    def is_over(self) -> bool:
        return bool(self._core.outcome()[0])

    def forbidden(self, point: MoveLike) -> Forbidden | None:
        """Why black may not play an empty point, or None. Never forbidden but in renju."""
        return _REASONS[self._core.forbidden(self._empty_point(point))]

    def forbidden_points(self) -> dict[Move, Forbidden]:
        """The points black may not play, with the reason of each. Empty under every rule but renju.

        Independent of the side to move.
        """
        points: dict[Move, Forbidden] = {}
        for point_index, code in self._core.forbidden_points():
            reason = _REASONS[code]
            assert reason is not None
            points[Move.from_index(point_index, self.size)] = reason
        return points

    @renamed_keywords(least="minimum")
    def threats(
        self, colour: Colour | str | None = None, minimum: Threat = Threat.THREE
    ) -> dict[Move, Threat]:
        """The empty points where a stone of the colour (default: the side to move) would make at
        least `minimum`, the most urgent first. Points forbidden to black in renju are left out.
        """
        side = self.turn if colour is None else Colour.parse(colour)
        wanted = max(minimum, Threat.TWO)
        pairs = [
            (point_index, self._resolved(point_index, side, Threat(threat)))
            for point_index, threat in self._core.threats(int(side), int(wanted))
        ]
        pairs = [pair for pair in pairs if pair[1] >= wanted]
        pairs.sort(key=lambda pair: -pair[1])
        return {Move.from_index(point_index, self.size): threat for point_index, threat in pairs}

    def _resolved(self, point_index: int, side: Colour, threat: Threat) -> Threat:
        """The threat, with black's apparent double-three in renju resolved exactly."""
        apparent = (Threat.DOUBLE_THREE, Threat.FOUR_DOUBLE_THREE)
        if threat not in apparent or side is Colour.WHITE or self.rule != Rule.RENJU:
            return threat
        if self._core.forbidden(point_index):
            return Threat.FORBIDDEN
        shapes = [self._core.shape(point_index, int(side), d) for d in range(4)]
        if Shape.OPEN_FOUR in shapes:
            return Threat.OPEN_FOUR
        return Threat.FOUR_THREE if Shape.FOUR in shapes else Threat.OPEN_THREE

    def shapes(self, point: MoveLike, colour: Colour | str | None = None) -> tuple[Shape, ...]:
        """What a stone on an empty point would make on its row, column, diagonal (up) and
        diagonal (down).
        """
        side = self.turn if colour is None else Colour.parse(colour)
        point_index = self._empty_point(point)
        return tuple(Shape(self._core.shape(point_index, int(side), d)) for d in range(4))

    def threat_counts(self, colour: Colour | str | None = None) -> dict[Threat, int]:
        """How many empty points have each threat for the colour (default: the side to move)."""
        side = self.turn if colour is None else Colour.parse(colour)
        return {Threat(i): n for i, n in enumerate(self._core.counts(int(side)))}

    def defences(self, point: MoveLike, colour: Colour | str | None = None) -> list[Move]:
        """Where the opponent could play to stop what `colour` (default: the side to move)
        threatens at a point.

        That is its five there, or else its open four. Empty if it threatens neither. In renju a
        defence may be forbidden to black: see `forbidden_points`.
        """
        side = self.turn if colour is None else Colour.parse(colour)
        points = self._core.defences(self._empty_point(point), int(side))
        return [Move.from_index(i, self.size) for i in points]

    def _empty_point(self, point: MoveLike) -> int:
        point_index = self._point(point)
        if cell := self._core.cell(point_index):
            raise IllegalMove(
                f"{Move.from_index(point_index, self.size)} is occupied by {Colour(cell)}"
            )
        return point_index

    # --- copies, comparison, pickling ---

    def copy(self) -> Self:
        """An independent board with the same position and moves."""
        twin = type(self).__new__(type(self))
        twin._core = self._core.copy()
        twin._setup = self._setup
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Self:
        return self.copy()

    def _key(self) -> tuple[int, int, int, bytes, int, int]:
        """All that the rest of the game can depend on: equal keys make equal boards."""
        core = self._core
        moves = core.moves()
        return (
            core.size,
            core.rule,
            core.side_to_move,
            core.cells(),
            (moves[-1:] == [-1]) + (moves[-2:] == [-1, -1]),
            core.move_limit and core.move_limit - core.ply,
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Board) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __getstate__(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "rule": str(self.rule),
            "move_limit": self.move_limit,
            "setup": self._setup,
            "moves": self._core.moves(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        Board.__init__(self, state["size"], state["rule"], move_limit=state["move_limit"])
        if state["setup"] is not None:
            self._set_up(*state["setup"])
        for point_index in state["moves"]:
            self._core.play(point_index)

    # --- drawing ---

    def __str__(self) -> str:
        from tengen.game.render.text import board_text

        last = self.peek() if self.ply else None
        return board_text(self.size, self.stones(), last=last)

    def __repr__(self) -> str:
        return f"<Board {self.rule} {self.size}x{self.size}, ply {self.ply}, {self.turn} to move>"

    def svg(
        self,
        *,
        numbers: bool | Mapping[Any, int] = False,
        forbidden: bool | Mapping[Any, str] = True,
        last: MoveLike | None = None,
        **options: Any,
    ) -> str:
        """The board as an SVG picture.

        `numbers` writes the number of each move on its stone, or the numbers given by point;
        `forbidden` crosses out black's forbidden points while black is to move, or the points
        given. `last` is the ringed stone, by default the last one played. Other options go to
        `tengen.game.render.svg.board_svg`: `marks` and `heat` by point (heat also as an array
        `[y, x]`), `heat_labels`, `lines`, `width`, `theme`, `coordinates`, `title`.
        """
        from tengen.game.render.svg import board_svg, by_point

        moves, outcome = self.moves, self.outcome()
        points: dict[str, Any] = {"numbers": numbers or {}, "forbidden": forbidden or {}}
        if numbers is True:
            points["numbers"] = {m: n for n, m in enumerate(moves, start=1) if not m.is_pass}
        if forbidden is True:
            shown = self.turn is Colour.BLACK and outcome is None
            points["forbidden"] = self.forbidden_points() if shown else {}
        given = {name: options.pop(name, None) for name in ("marks", "heat")}
        points |= {name: values for name, values in given.items() if values is not None}
        if last is None:
            last = next((move for move in reversed(moves) if not move.is_pass), None)
        if outcome:
            options.setdefault("lines", outcome.lines)
        options |= {name: by_point(values, self.size) for name, values in points.items()}
        return board_svg(
            self.size,
            self.stones(),
            last=None if last is None else Move.parse(last, self.size),
            **options,
        )

    def _repr_svg_(self) -> str:
        return self.svg()
