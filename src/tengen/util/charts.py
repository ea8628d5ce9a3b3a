# SPDX-License-Identifier: MIT
"""Charts as inline SVG: lines with bands and error bars, points, and columns.

    svg = line_chart([Line(points, "c0", "loss")], label="Loss", axes=("step", "nats"))
    page("Training", figure(svg, "Loss"))

Colours come from classes of the style sheet of `html`, `c0` to `c7`, so that a chart follows the
light or dark mode of the page. The SVG has no namespaces and no style attributes: inline SVG needs
none, and the content security policy of the page allows none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tengen.util.html import escape

_WIDTH, _HEIGHT = 560.0, 250.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 12.0, 42.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps `low..high` to `start..end`, in units of the picture."""

    low: float
    high: float
    start: float
    end: float
    logs: bool = False

    def at(self, value: float) -> float:
        """The coordinate of a value in the picture; a value beyond an end is moved to that end."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.logs:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    def ticks(self, about: int = 5) -> list[float]:
        """Round values within the scale; `about`: how many, roughly."""
        if self.logs:
            return self._powers(about)
        step = _round_step((self.high - self.low) / max(1, about))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(n * step, 12) for n in range(first, last + 1)]

    def _powers(self, about: int) -> list[float]:
        """Powers of ten; with 2 and 5 between them where there is room."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        digits = (1, 2, 5) if 3 * (last - first) <= 2 * about else (1,)
        values = (digit * 10.0**power for power in range(first, last + 1) for digit in digits)
        return [value for value in values if self.low * 0.999 <= value <= self.high * 1.001]


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """A scale that is never of width 0."""
    if not high > low:
        low, high = low - 0.5, high + 0.5
    return Scale(low, high, start, end)


def logarithmic(low: float, high: float, start: float, end: float) -> Scale:
    """A scale by orders of magnitude; both ends are above 0."""
    if not 0 < low < high:
        raise ValueError(f"no logarithmic scale from {low} to {high}")
    return Scale(low, high, start, end, logs=True)


def _round_step(rough: float) -> float:
    """The smallest of 1, 2, 5, 10... times a power of ten that is not below `rough`."""
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)


@dataclass(frozen=True)
class Line:
    """A line of a chart. `style` is a class of the style sheet: `c0` to `c7`, or the page's own."""

    points: Sequence[tuple[float, float]]
    style: str
    name: str = ""
    band: Sequence[tuple[float, float, float]] = field(default=())  # x, low, high
    errors: Sequence[tuple[float, float, float]] = field(default=())  # x, low, high: error bars
    joined: bool = True  # False: points without a line between them


@dataclass(frozen=True)
class Bar:
    """A column from `start` to `end` on the x scale; `hint` is its tooltip."""

    start: float
    end: float
    height: float
    style: str
    hint: str = ""


def px(value: float) -> str:
    """A coordinate of an SVG picture, to a tenth of a unit."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def thin(points: Sequence[tuple[float, float]], limit: int = 300) -> list[tuple[float, float]]:
    """At most `limit` points: means of neighbours, so that a long run still makes a small page."""
    size = max(1, -(-len(points) // limit))
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    return [(group[-1][0], sum(y for _, y in group) / len(group)) for group in groups]


def figure(svg: str, caption: str, legend: Iterable[tuple[str, str]] = (), note: str = "") -> str:
    """A chart with its caption; `legend` has (style, name) of its lines."""
    keys = "".join(
        f'<li><span class="key {style}"></span>{escape(name)}</li>' for style, name in legend
    )
    listed = f'<ul class="legend">{keys}</ul>' if keys else ""
    small = f"<small>{escape(note)}</small>" if note else ""
    head = f"<figcaption>{escape(caption)}{small}</figcaption>"
    return f'<figure>{head}<div class="scroll">{svg}</div>{listed}</figure>'


def line_figure(caption: str, lines: Sequence[Line], x_name: str, y_name: str = "") -> str:
    """A figure with all lines that have finite points, and a legend if there are several; empty if
    there is nothing to show.
    """
    shown = []
    for line in lines:
        points = [(x, y) for x, y in line.points if math.isfinite(x) and math.isfinite(y)]
        if points:
            shown.append(Line(points, line.style, line.name, line.band, line.errors, line.joined))
    if not shown:
        return ""
    svg = line_chart(shown, label=caption, axes=(x_name, y_name))
    legend = [(line.style, line.name) for line in shown] if len(lines) > 1 else []
    return figure(svg, caption, legend)


def line_chart(
    lines: Sequence[Line],
    x: tuple[float, float] | None = None,
    y: tuple[float, float] | None = None,
    *,
    label: str,
    axes: tuple[str, str],
    y_text: Callable[[float], str] = "{:.6g}".format,
    levels: Sequence[tuple[float, str, str]] = (),
    hover: Sequence[tuple[float, str]] = (),
) -> str:
    """Lines over the range `x` within `y`, by default all of them; what is outside is cut off.
    `levels` are (y, style, text) of horizontal lines; `hover` has a tooltip for each x.
    """
    across = linear(*(x or _extent(lines, 0)), _LEFT, _WIDTH - _RIGHT)
    up = linear(*(y or _extent(lines, 1)), _HEIGHT - _BOTTOM, _TOP)
    drawn = [_band(line, across, up) for line in lines if line.band]
    drawn += [_level(at, style, up) for at, style, _ in levels]
    drawn += [_path(line, across, up) for line in lines]
    names = "".join(
        f'<text class="level {style}" x="{px(_WIDTH - _RIGHT - 4)}"'
        f' y="{px(up.at(at) - 4)}" text-anchor="end">{escape(text)}</text>'
        for at, style, text in levels
    )
    frame = _frame(across, up, axes, _whole_ticks(across), [(t, y_text(t)) for t in up.ticks()])
    tips = json.dumps([[round(across.at(at), 1), text] for at, text in hover], ensure_ascii=False)
    data = f' data-hover="{escape(tips)}"' if hover else ""
    return _svg(frame + _clipped(drawn) + names, label, data)


def bar_chart(
    bars: Sequence[Bar],
    across: Scale,
    ticks: Sequence[tuple[float, str]],
    *,
    label: str,
    axes: tuple[str, str],
    shares: bool = False,
    marks: Sequence[tuple[float, str, str]] = (),
) -> str:
    """Columns on a scale made by `bar_scale`, of numbers or of shares; `marks` are (x, style,
    text) of vertical lines.
    """
    top = max((bar.height for bar in bars), default=0.0) or 1.0
    up = linear(0.0, top * 1.08, _HEIGHT - _BOTTOM, _TOP)
    drawn = [_column(bar, across, up) for bar in bars if bar.height > 0]
    drawn += [
        f'<line class="mark {style}" x1="{px(across.at(at))}" x2="{px(across.at(at))}"'
        f' y1="{px(_TOP)}" y2="{px(_HEIGHT - _BOTTOM)}"/>'
        f'<text class="level {style}" x="{px(across.at(at) - 5)}" y="{px(_TOP + 11)}"'
        f' text-anchor="end">{escape(text)}</text>'
        for at, style, text in marks
    ]
    levels = [
        (t, f"{t:.0%}" if shares else f"{t:,.0f}") for t in up.ticks(4) if shares or t == int(t)
    ]
    frame = _frame(across, up, axes, ticks, levels)
    return _svg(frame + "".join(drawn), label)


def bar_scale(low: float, high: float, *, logs: bool = False) -> Scale:
    """The x scale of a `bar_chart`."""
    return Scale(low, high, _LEFT, _WIDTH - _RIGHT, logs)


def stacked(parts: Sequence[tuple[float, str, str]], label: str) -> str:
    """A bar divided into (size, style, tooltip); parts of size 0 are left out."""
    total = sum(size for size, _, _ in parts)
    drawn, at = [], 0.0
    for size, style, hint in parts:
        if size > 0:
            width = 1000 * size / total
            drawn.append(
                f'<rect class="{style}" x="{px(at)}" width="{px(width)}" height="26">'
                f"<title>{escape(hint)}</title></rect>"
            )
            at += width
    empty = "" if drawn else '<rect class="track" width="1000" height="26"/>'
    return (
        f'<svg class="stacked" viewBox="0 0 1000 26" preserveAspectRatio="none" role="img"'
        f' aria-label="{escape(label)}">{empty}{"".join(drawn)}</svg>'
    )


def _extent(lines: Sequence[Line], axis: int) -> tuple[float, float]:
    """The range of all points, bands and error bars on an axis; x starts at 0 if all are above."""
    values = [point[axis] for line in lines for point in line.points]
    for line in lines:
        for x, low, high in (*line.band, *line.errors):
            values += [x] if axis == 0 else [low, high]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if axis == 0:
        return min(low, 0.0), high
    room = 0.04 * (high - low) or 0.1 * abs(high) or 0.5
    return low - room, high + room


def _svg(inner: str, label: str, data: str = "") -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {px(_WIDTH)} {px(_HEIGHT)}" role="img"'
        f' aria-label="{escape(label)}"{data}>{inner}</svg>'
    )


def _clipped(drawn: Iterable[str]) -> str:
    """A nested picture of the plot area, which cuts off what lies outside of it."""
    width, height = _WIDTH - _RIGHT - _LEFT, _HEIGHT - _BOTTOM - _TOP
    box = f"{px(_LEFT)} {px(_TOP)} {px(width)} {px(height)}"
    where = f'x="{px(_LEFT)}" y="{px(_TOP)}" width="{px(width)}" height="{px(height)}"'
    return f'<svg class="plot" {where} viewBox="{box}">{"".join(drawn)}</svg>'


def _frame(
    across: Scale,
    up: Scale,
    axes: tuple[str, str],
    x_ticks: Iterable[tuple[float, str]],
    y_ticks: Iterable[tuple[float, str]],
) -> str:
    """Grid lines, ticks and the names of the axes."""
    left, right, low = px(_LEFT), px(_WIDTH - _RIGHT), _HEIGHT - _BOTTOM
    out = []
    for value, text in y_ticks:
        at = up.at(value)
        out.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{px(at)}" y2="{px(at)}"/>')
        out.append(f'<text x="{px(_LEFT - 6)}" y="{px(at + 4)}" text-anchor="end">{text}</text>')
    for value, text in x_ticks:
        at = across.at(value)
        out.append(
            f'<line class="tick" x1="{px(at)}" x2="{px(at)}" y1="{px(low)}"'
            f' y2="{px(low + 4)}"/><text x="{px(at)}" y="{px(low + 17)}"'
            f' text-anchor="middle">{escape(text)}</text>'
        )
    out.append(f'<line class="axis" x1="{left}" x2="{right}" y1="{px(low)}" y2="{px(low)}"/>')
    middle, height = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + low) / 2
    out.append(
        f'<text class="name" x="{px(middle)}" y="{px(_HEIGHT - 6)}" text-anchor="middle">'
        f"{escape(axes[0])}</text>"
        f'<text class="name" transform="translate(12 {px(height)}) rotate(-90)"'
        f' text-anchor="middle">{escape(axes[1])}</text>'
    )
    return "".join(out)


def _whole_ticks(across: Scale) -> list[tuple[float, str]]:
    """Ticks at integers; at any round numbers where the scale has fewer than two integers."""
    ticks = across.ticks(6)
    whole = [(t, f"{t:,.0f}") for t in ticks if t == int(t)]
    return whole if len(whole) > 1 else [(t, f"{t:g}") for t in ticks]


def _path(line: Line, across: Scale, up: Scale) -> str:
    drawn = "".join(
        f'<path class="line {line.style}" d="M{px(across.at(x))} {px(_beyond(up, low))}'
        f'V{px(_beyond(up, high))}"/>'
        for x, low, high in line.errors
    )
    if line.joined and len(line.points) > 1:
        steps = "L".join(f"{px(across.at(x))} {px(_beyond(up, y))}" for x, y in line.points)
        hint = f"<title>{escape(line.name)}</title>" if line.name else ""
        drawn += f'<path class="line {line.style}" d="M{steps}">{hint}</path>'
    if not line.joined or line.errors or len(line.points) == 1:
        drawn += "".join(
            f'<circle class="dot {line.style}" cx="{px(across.at(x))}" cy="{px(up.at(y))}"'
            ' r="3.5"/>'
            for x, y in line.points
        )
    return drawn


def _band(line: Line, across: Scale, up: Scale) -> str:
    above = [f"{px(across.at(x))} {px(_beyond(up, high))}" for x, _, high in line.band]
    below = [f"{px(across.at(x))} {px(_beyond(up, low))}" for x, low, _ in line.band]
    return f'<path class="band {line.style}" d="M{"L".join(above + below[::-1])}Z"/>'


def _beyond(up: Scale, value: float) -> float:
    """The y coordinate of a value. One outside of the plot is moved just outside, to be clipped."""
    if value > up.high:
        return up.end - 9
    return up.start + 9 if value < up.low else up.at(value)


def _level(at: float, style: str, up: Scale) -> str:
    y = px(up.at(at))
    return f'<line class="mark {style}" x1="{px(_LEFT)}" x2="{px(_WIDTH)}" y1="{y}" y2="{y}"/>'


def _column(bar: Bar, across: Scale, up: Scale) -> str:
    start, end, top = across.at(bar.start), across.at(bar.end), up.at(bar.height)
    gap = min(1.5, 0.1 * (end - start))
    return (
        f'<rect class="{bar.style}" x="{px(start + gap)}" y="{px(top)}"'
        f' width="{px(end - start - 2 * gap)}" height="{px(up.start - top)}">'
        f"<title>{escape(bar.hint)}</title></rect>"
    )
