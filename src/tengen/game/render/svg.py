# SPDX-License-Identifier: MIT
"""A position drawn as SVG.

The picture is one self-contained file: no scripts, style sheets or fonts. Equal
input gives equal bytes, whatever the order of its mappings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Literal

from tengen.game.errors import BadPosition
from tengen.game.move import Move
from tengen.game.render.layout import (
    check_points,
    check_size,
    column_letter,
    in_order,
    star_points,
)
from tengen.game.render.theme import THEMES, blend, heat_label_texts, heat_shades
from tengen.game.rule import Colour

ThemeName = Literal["wood", "paper", "dark"]

# Lengths in user units; the viewBox makes the picture any width.
_CELL = 40.0
_STONE = 0.47 * _CELL
_MARGIN = 0.8 * _CELL
_MARGIN_WITH_COORDINATES = 1.18 * _CELL
_FONT = "Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def board_svg(
    size: int,
    stones: Mapping[Move, Colour],
    *,
    numbers: Mapping[Move, int] | None = None,
    last: Move | None = None,
    marks: Mapping[Move, str] | None = None,
    forbidden: Mapping[Move, str] | None = None,
    heat: Mapping[Move, float] | None = None,
    heat_labels: bool = False,
    lines: Iterable[Sequence[Move]] = (),
    coordinates: bool = True,
    width: int = 480,
    title: str | None = None,
    theme: ThemeName = "wood",
) -> str:
    """The board as the text of an SVG file, `width` pixels wide unless it is scaled.

    A mark is 'x', 'o', 'triangle', 'square' or any short text, and replaces a number.
    `forbidden` gives the reason of each crossed point, shown when the pointer rests on it. `heat`
    may be any finite numbers (see `theme.heat_shades`). `lines` are drawn through their points.
    `title` names the picture for screen readers.
    """
    numbers, marks, forbidden, heat = numbers or {}, marks or {}, forbidden or {}, heat or {}
    runs = [tuple(run) for run in lines]
    on_lines = [point for run in runs for point in run]
    ring = [] if last is None or last.is_pass else [last]
    _check(size, width, theme)
    named = ("stone", stones), ("number", numbers), ("mark", marks), ("heat value", heat)
    for what, points in (*named, ("cross", forbidden), ("line", on_lines), ("ring", ring)):
        check_points(f"a {what}", points, size)
    drawing = _SvgDrawing(size, stones, theme, coordinates)
    drawing.board()
    drawing.heat(heat, heat_labels)
    drawing.bands(runs)
    drawing.stones()
    drawing.lines(runs, {*numbers, *marks})
    drawing.labels(numbers, marks)
    drawing.ring(ring, {*numbers, *marks, *on_lines})
    drawing.forbidden(forbidden)
    return drawing.document(width, title, _description(stones, ring, forbidden))


def by_point(values: Any, size: int) -> dict[Move, Any]:
    """Values by Move, from a mapping with points in any notation or from rows `[y][x]`."""
    if isinstance(values, Mapping):
        return {Move.parse(point, size): value for point, value in values.items()}
    rows = [list(row) for row in values]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise BadPosition(f"expected values by point, or {size} rows of {size}")
    return {Move(x, y): value for y, row in enumerate(rows) for x, value in enumerate(row)}


def _check(size: int, width: int, theme: str) -> None:
    check_size(size)
    if theme not in THEMES:
        raise ValueError(f"no theme {theme!r}: known are {', '.join(THEMES)}")
    if width < 1:
        raise ValueError(f"a picture cannot be {width} pixels wide: give 1 or more")


class _SvgDrawing:
    """Collects the elements of one picture, from the board upwards."""

    def __init__(
        self,
        size: int,
        stones: Mapping[Move, Colour],
        theme: ThemeName,
        coordinates: bool,
    ) -> None:
        self._size = size
        self._stones = stones
        self._theme = THEMES[theme]
        # Pictures of one page share identifiers, so equal names must mean equal gradients.
        self._id = f"tengen-{theme}-"
        self._coordinates = coordinates
        self._margin = _MARGIN_WITH_COORDINATES if coordinates else _MARGIN
        self._side = (size - 1) * _CELL + 2 * self._margin
        self._out: list[str] = []

    def board(self) -> None:
        """The wood, the lines, the star points and the coordinates."""
        theme, side = self._theme, self._side
        self._out.append(
            f'<rect class="board" x="1" y="1" width="{_n(side - 2)}" height="{_n(side - 2)}" rx="7"'
            f' fill="url(#{self._id}board)" stroke="{theme.edge}" stroke-width="2"/>'
        )
        if theme.grain:
            self._grain()
        first, final = self._margin, side - self._margin
        inner = [first + i * _CELL for i in range(1, self._size - 1)]
        path = "".join(
            f"M{_n(first)} {_n(at)}H{_n(final)}M{_n(at)} {_n(first)}V{_n(final)}" for at in inner
        )
        self._out.append(
            f'<g class="grid" fill="none" stroke="{theme.line}" stroke-linecap="square">'
            f'<path d="{path}" stroke-width="1.1"/>'
            f'<rect x="{_n(first)}" y="{_n(first)}" width="{_n(final - first)}"'
            f' height="{_n(final - first)}" stroke-width="1.9"/></g>'
        )
        self._group(
            "stars",
            f'fill="{theme.line}"',
            [f'<circle {self._centre(move)} r="3.7"/>' for move in star_points(self._size)],
        )
        if self._coordinates:
            self._write_coordinates()

    def _grain(self) -> None:
        """Faint veins across the wood, made from sines, not from random numbers."""
        side = self._side
        veins = []
        for i in range(int(side / 16)):
            y = (i + 0.5 + 0.45 * math.sin(2.7 * i)) * 16
            bend, drift = 9 * math.sin(1.3 * i), 5 * math.cos(0.7 * i)
            veins.append(
                f'<path d="M2 {_n(y)}C{_n(side * 0.3)} {_n(y + bend)} {_n(side * 0.65)}'
                f' {_n(y - bend)} {_n(side - 2)} {_n(y + drift)}"'
                f' stroke-width="{_n(0.8 + 1.6 * abs(math.sin(3.1 * i)))}"/>'
            )
        paint = f'fill="none" stroke="{self._theme.grain}" stroke-opacity="0.07"'
        self._group("grain", paint, veins)

    def _write_coordinates(self) -> None:
        near, far = 0.5 * (self._margin - 0.46 * _CELL), self._side
        texts = []
        for i in range(self._size):
            along, row = self._x(i), self._y(i)
            for at in (near, far - near):
                texts.append(_text(along, at, column_letter(i)))
                texts.append(_text(at, row, str(i + 1)))
        paint = f'fill="{self._theme.coordinate}" font-size="{_n(0.36 * _CELL)}"'
        self._group("coordinates", paint, texts)

    def heat(self, heat: Mapping[Move, float], labelled: bool) -> None:
        """A translucent tile on each point of `heat`, the stronger the higher its value."""
        half = 0.46 * _CELL
        shade = heat_shades(heat)
        labels = heat_label_texts(heat) if labelled else {}
        tiles, texts = [], []
        em = min((0.36, *(1.12 / len(label) for label in labels.values())))
        for move, value in in_order(heat):
            label = "" if move in self._stones else labels.get(move, "")
            box = (
                f'<rect x="{_n(self._x(move.x) - half)}" y="{_n(self._y(move.y) - half)}"'
                f' width="{_n(2 * half)}" height="{_n(2 * half)}" rx="6"'
            )
            if label:
                tiles.append(f'{box} fill="{self._theme.patch}"/>')
                ink = self._theme.heat_label if shade[move] > 0.6 else self._theme.on_board
                texts.append(self._label(move, label, em, f' fill="{ink}"'))
            tiles.append(
                f'{box} fill="{blend(self._theme.heat, shade[move])}"'
                f' fill-opacity="{_n(0.25 + 0.65 * shade[move])}">'
                f"<title>{_xml(f'{move.name}: {value:.4g}')}</title></rect>"
            )
        self._group("heat", "", tiles)
        self._group("heat-labels", "", texts)

    def stones(self) -> None:
        """Shadows first, so that none falls on a neighbouring stone."""
        theme = self._theme
        placed = in_order(self._stones)
        if theme.shadow:
            drop = 0.05 * _CELL
            self._group(
                "shadows",
                f'fill="url(#{self._id}shadow)"',
                [
                    f'<circle cx="{_n(self._x(m.x) + drop)}" cy="{_n(self._y(m.y) + 1.6 * drop)}"'
                    f' r="{_n(1.16 * _STONE)}"/>'
                    for m, _ in placed
                ],
            )
        for colour, rim in ((Colour.BLACK, theme.black_rim), (Colour.WHITE, theme.white_rim)):
            paint = f'fill="url(#{self._id}{colour})" stroke="{rim}" stroke-width="0.9"'
            self._group(
                str(colour),
                paint,
                [f'<circle {self._centre(m)} r="{_n(_STONE)}"/>' for m, c in placed if c == colour],
            )

    def bands(self, runs: Iterable[Sequence[Move]]) -> None:
        """A glow that shows round the stones of each run."""
        self._runs("bands", runs, 1.12, 0.6)

    def lines(self, runs: Iterable[Sequence[Move]], labelled: Container[Move]) -> None:
        """A line through each run, unless it would strike out a number."""
        bare = (run for run in runs if not any(point in labelled for point in run))
        self._runs("lines", bare, 0.13, 0.9)

    def _runs(
        self, name: str, runs: Iterable[Sequence[Move]], width: float, opacity: float
    ) -> None:
        """Strokes through the points of each run, `width` cells wide; a run of one is a dot."""
        strokes = (
            "L".join(f"{_n(self._x(x))} {_n(self._y(y))}" for x, y in run) for run in runs if run
        )
        paint = (
            f'fill="none" stroke="{self._theme.win}" stroke-width="{_n(width * _CELL)}"'
            f' stroke-opacity="{_n(opacity)}" stroke-linecap="round" stroke-linejoin="round"'
        )
        self._group(name, paint, [f'<path d="M{stroke}h0"/>' for stroke in strokes])

    def labels(self, numbers: Mapping[Move, int], marks: Mapping[Move, str]) -> None:
        """Numbers and marks, in an ink that shows on what is under them."""
        texts: dict[str, list[str]] = {}
        shown: dict[Move, int | str] = {**numbers, **marks}
        for move, label in in_order(shown):
            ink = self._ink(move)
            elements = texts.setdefault(ink, [])
            shape = _SHAPES.get(label) if isinstance(label, str) else None
            if shape is not None:
                at = f"{_n(self._x(move.x))} {_n(self._y(move.y))}"
                elements.append(
                    f'<path d="{shape}" transform="translate({at})" fill="none" stroke="{ink}"'
                    ' stroke-width="2.6" stroke-linejoin="round" stroke-linecap="round"/>'
                )
                continue
            if move not in self._stones:
                patch = f'r="{_n(0.36 * _CELL)}" fill="{self._theme.patch}"'
                elements.append(f"<circle {self._centre(move)} {patch}/>")
            elements.append(self._label(move, str(label), 0.46))
        for ink, elements in sorted(texts.items()):
            self._group("labels", f'fill="{ink}" font-weight="600"', elements)

    def ring(self, last: Iterable[Move], covered: Container[Move]) -> None:
        """The sign of the last move: round the stone where something covers it, else on it."""
        for move in last:
            radius = _STONE if move in covered else 0.22 * _CELL
            self._out.append(
                f'<circle class="last" {self._centre(move)} r="{_n(radius)}" fill="none"'
                f' stroke="{self._theme.accent}" stroke-width="2.8"/>'
            )

    def forbidden(self, reasons: Mapping[Move, str]) -> None:
        arm = 0.2 * _CELL
        crosses = []
        for move, reason in in_order(reasons):
            title = _xml(f"{move.name}: forbidden, {reason.replace('_', '-')}")
            x, y, both = self._x(move.x), self._y(move.y), _n(2 * arm)
            strokes = f"M{_n(x - arm)} {_n(y - arm)}l{both} {both}m0 -{both}l-{both} {both}"
            crosses.append(
                f"<g><title>{title}</title>"
                f'<circle {self._centre(move)} r="{_n(_STONE)}" fill="#fff" fill-opacity="0"'
                f' stroke="none"/><path d="{strokes}"/></g>'
            )
        paint = f'stroke="{self._theme.forbidden}" stroke-width="3.6" stroke-linecap="round"'
        self._group("forbidden", f'fill="none" {paint}', crosses)

    def document(self, width: int, title: str | None, description: str) -> str:
        """The whole file; the board is square, so the height is the width."""
        title = f"A {self._size}x{self._size} board" if title is None else title
        side = _n(self._side)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{width}"'
            f' viewBox="0 0 {side} {side}" role="img" font-family="{_FONT}" text-anchor="middle">'
        )
        about = f"<title>{_xml(title)}</title>\n<desc>{_xml(description)}</desc>"
        return "\n".join([head, about, self._definitions(), *self._out, "</svg>"]) + "\n"

    def _definitions(self) -> str:
        theme = self._theme
        shade = "".join(
            f'<stop offset="{_n(at)}" stop-color="#000" stop-opacity="{_n(theme.shadow * part)}"/>'
            for at, part in ((0.0, 1.0), (0.72, 1.0), (0.86, 0.45), (1.0, 0.0))
        )
        lit = 'cx="0.5" cy="0.5" r="0.55" fx="0.34" fy="0.3"'
        board = _stops(((0.0, theme.board[0]), (1.0, theme.board[1])))
        return (
            "<defs>"
            f'<linearGradient id="{self._id}board" y2="1">{board}</linearGradient>'
            f'<radialGradient id="{self._id}black" {lit}>{_stops(theme.black)}</radialGradient>'
            f'<radialGradient id="{self._id}white" {lit}>{_stops(theme.white)}</radialGradient>'
            f'<radialGradient id="{self._id}shadow">{shade}</radialGradient>'
            "</defs>"
        )

    def _group(self, name: str, paint: str, elements: Sequence[str]) -> None:
        """Append the elements under one set of attributes; nothing where there are none."""
        if elements:
            opening = f'<g class="{name}"' + (f" {paint}" if paint else "") + ">"
            self._out.append("\n".join([opening, *elements, "</g>"]))

    def _label(self, move: Move, text: str, em: float, paint: str = "") -> str:
        """Text in the middle of a point, at most `em` cells high and never wider than a stone."""
        fitting = min(em, 1.12 / max(1, len(text)))
        size = f' font-size="{_n(fitting * _CELL)}"'
        return _text(self._x(move.x), self._y(move.y), text, size + paint)

    def _ink(self, move: Move) -> str:
        stone = self._stones.get(move)
        if stone is None:
            return self._theme.on_board
        return self._theme.on_black if stone == Colour.BLACK else self._theme.on_white

    def _x(self, x: int) -> float:
        return self._margin + x * _CELL

    def _y(self, y: int) -> float:
        return self._side - self._margin - y * _CELL

    def _centre(self, move: Move) -> str:
        return f'cx="{_n(self._x(move[0]))}" cy="{_n(self._y(move[1]))}"'


_SHAPES = {
    "x": "M-7.5 -7.5L7.5 7.5M7.5 -7.5L-7.5 7.5",
    "o": "M-8.5 0a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0 -17 0",
    "triangle": "M0 -10L9 5.6H-9Z",
    "square": "M-7.5 -7.5H7.5V7.5H-7.5Z",
}


def _description(
    stones: Mapping[Move, Colour], last: Iterable[Move], forbidden: Mapping[Move, str]
) -> str:
    """The position as text, for screen readers."""
    parts = []
    for colour in Colour:
        names = [move.name for move, stone in in_order(stones) if stone == colour]
        parts.append(f"{str(colour).capitalize()}: {' '.join(names) or 'none'}.")
    parts += [f"Last move: {move.name}." for move in last]
    if forbidden:
        points = (f"{m.name} {why.replace('_', '-')}" for m, why in in_order(forbidden))
        parts.append(f"Forbidden: {', '.join(points)}.")
    return " ".join(parts)


def _stops(stops: Iterable[tuple[float, str]]) -> str:
    return "".join(f'<stop offset="{_n(at)}" stop-color="{colour}"/>' for at, colour in stops)


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    """Centred text. The shift of 0.35em does what `dominant-baseline` does in newer viewers."""
    return f'<text x="{_n(x)}" y="{_n(y)}" dy=".35em"{attributes}>{_xml(text)}</text>'


def _n(value: float) -> str:
    """A number in its shortest form, to hundredths of a unit."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _xml(text: str) -> str:
    """Escaped text, without the characters that XML does not allow."""
    return escape(_NOT_XML.sub("\ufffd", text))
