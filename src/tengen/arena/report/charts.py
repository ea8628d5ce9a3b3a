# SPDX-License-Identifier: MIT
"""The charts of the report as inline SVG: lines with bands, and columns. Colours come from classes
of the style sheet, so that a chart follows the light or dark of the page. No namespaces and no
style attributes: inline SVG needs none, and the page's policy allows none.

Relies on scales and words; the sections with charts rely on it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tengen.arena.report.scale import Scale, linear
from tengen.arena.report.words import percent, safe

__all__ = ["Bar", "Line", "bar_chart", "bar_scale", "figure", "line_chart", "place", "stacked"]

_WIDTH, _HEIGHT = 560.0, 250.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 12.0, 42.0


@dataclass(frozen=True)
class Line:
    """A line of a chart, perhaps with a band around it. `style` is a class of the style sheet."""

    points: Sequence[tuple[float, float]]
    style: str
    name: str = ""
    band: Sequence[tuple[float, float, float]] = field(default=())  # x, low, high


@dataclass(frozen=True)
class Bar:
    """A column from `start` to `end` on the x scale; `hint` shows when the pointer rests on it."""

    start: float
    end: float
    height: float
    style: str
    hint: str = ""


def place(value: float) -> str:
    """A place on a picture, to a tenth of a unit."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def figure(svg: str, caption: str, legend: Iterable[tuple[str, str]] = ()) -> str:
    """A chart with its caption; the legend is (style, name) of its lines."""
    keys = "".join(
        f'<li><span class="key {style}"></span>{safe(name)}</li>' for style, name in legend
    )
    listed = f'<ul class="legend">{keys}</ul>' if keys else ""
    words = f"<figcaption>{safe(caption)}</figcaption>"
    return f'<figure>{words}<div class="scroll">{svg}</div>{listed}</figure>'


def line_chart(
    lines: Sequence[Line],
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    label: str,
    axes: tuple[str, str],
    y_text: Callable[[float], str],
    levels: Sequence[tuple[float, str, str]] = (),
    hover: Sequence[tuple[float, str]] = (),
) -> str:
    """Lines over `x` within `y`; what is outside is cut off. `levels` are (y, style, words) of
    lines across the chart; `hover` are the words for each x that the pointer can find.
    """
    across = linear(*x, _LEFT, _WIDTH - _RIGHT)
    up = linear(*y, _HEIGHT - _BOTTOM, _TOP)
    drawn = [_band(line, across, up) for line in lines if line.band]
    drawn += [_level(at, style, up) for at, style, _ in levels]
    drawn += [_path(line, across, up) for line in lines]
    words = "".join(
        f'<text class="level {style}" x="{place(_WIDTH - _RIGHT - 4)}"'
        f' y="{place(up.at(at) - 4)}" text-anchor="end">{safe(text)}</text>'
        for at, style, text in levels
    )
    frame = _frame(across, up, axes, _whole_ticks(across), [(t, y_text(t)) for t in up.ticks()])
    found = json.dumps([[round(across.at(at), 1), text] for at, text in hover], ensure_ascii=False)
    data = f' data-hover="{safe(found)}"' if hover else ""
    return _svg(frame + _clipped(drawn) + words, label, data)


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
    words) of upright lines.
    """
    top = max((bar.height for bar in bars), default=0.0) or 1.0
    up = linear(0.0, top * 1.08, _HEIGHT - _BOTTOM, _TOP)
    drawn = [_column(bar, across, up) for bar in bars if bar.height > 0]
    drawn += [
        f'<line class="mark {style}" x1="{place(across.at(at))}" x2="{place(across.at(at))}"'
        f' y1="{place(_TOP)}" y2="{place(_HEIGHT - _BOTTOM)}"/>'
        f'<text class="level {style}" x="{place(across.at(at) - 5)}" y="{place(_TOP + 11)}"'
        f' text-anchor="end">{safe(words)}</text>'
        for at, style, words in marks
    ]
    levels = [
        (t, percent(t, 0) if shares else f"{t:,.0f}") for t in up.ticks(4) if shares or t == int(t)
    ]
    frame = _frame(across, up, axes, ticks, levels)
    return _svg(frame + "".join(drawn), label)


def bar_scale(low: float, high: float, *, logs: bool = False) -> Scale:
    """The x scale of a `bar_chart`."""
    return Scale(low, high, _LEFT, _WIDTH - _RIGHT, logs)


def stacked(parts: Sequence[tuple[float, str, str]], label: str) -> str:
    """A bar cut into (size, style, hint); parts of size 0 are left out."""
    total = sum(size for size, _, _ in parts)
    drawn, at = [], 0.0
    for size, style, hint in parts:
        if size > 0:
            width = 1000 * size / total
            drawn.append(
                f'<rect class="{style}" x="{place(at)}" width="{place(width)}" height="26">'
                f"<title>{safe(hint)}</title></rect>"
            )
            at += width
    empty = "" if drawn else '<rect class="track" width="1000" height="26"/>'
    return (
        f'<svg class="stacked" viewBox="0 0 1000 26" preserveAspectRatio="none" role="img"'
        f' aria-label="{safe(label)}">{empty}{"".join(drawn)}</svg>'
    )


def _svg(inner: str, label: str, data: str = "") -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {place(_WIDTH)} {place(_HEIGHT)}" role="img"'
        f' aria-label="{safe(label)}"{data}>{inner}</svg>'
    )


def _clipped(drawn: Iterable[str]) -> str:
    """Drawn on the plot alone: an inner picture cuts off what lies outside of it."""
    width, height = _WIDTH - _RIGHT - _LEFT, _HEIGHT - _BOTTOM - _TOP
    box = f"{place(_LEFT)} {place(_TOP)} {place(width)} {place(height)}"
    where = f'x="{place(_LEFT)}" y="{place(_TOP)}" width="{place(width)}" height="{place(height)}"'
    return f'<svg class="plot" {where} viewBox="{box}">{"".join(drawn)}</svg>'


def _frame(
    across: Scale,
    up: Scale,
    axes: tuple[str, str],
    x_ticks: Iterable[tuple[float, str]],
    y_ticks: Iterable[tuple[float, str]],
) -> str:
    """Grid lines, ticks and the names of the axes."""
    left, right, low = place(_LEFT), place(_WIDTH - _RIGHT), _HEIGHT - _BOTTOM
    out = []
    for value, text in y_ticks:
        at = up.at(value)
        out.append(
            f'<line class="grid" x1="{left}" x2="{right}" y1="{place(at)}" y2="{place(at)}"/>'
        )
        out.append(
            f'<text x="{place(_LEFT - 6)}" y="{place(at + 4)}" text-anchor="end">{text}</text>'
        )
    for value, text in x_ticks:
        at = across.at(value)
        out.append(
            f'<line class="tick" x1="{place(at)}" x2="{place(at)}" y1="{place(low)}"'
            f' y2="{place(low + 4)}"/><text x="{place(at)}" y="{place(low + 17)}"'
            f' text-anchor="middle">{safe(text)}</text>'
        )
    out.append(f'<line class="axis" x1="{left}" x2="{right}" y1="{place(low)}" y2="{place(low)}"/>')
    middle, height = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + low) / 2
    out.append(
        f'<text class="name" x="{place(middle)}" y="{place(_HEIGHT - 6)}" text-anchor="middle">'
        f"{safe(axes[0])}</text>"
        f'<text class="name" transform="translate(12 {place(height)}) rotate(-90)"'
        f' text-anchor="middle">{safe(axes[1])}</text>'
    )
    return "".join(out)


def _whole_ticks(across: Scale) -> list[tuple[float, str]]:
    """Ticks of a scale that counts."""
    return [(t, f"{t:,.0f}") for t in across.ticks(6) if t == int(t)]


def _path(line: Line, across: Scale, up: Scale) -> str:
    if len(line.points) == 1:
        x, y = line.points[0]
        return (
            f'<circle class="dot {line.style}" cx="{place(across.at(x))}" cy="{place(up.at(y))}"'
            ' r="3.5"/>'
        )
    steps = "L".join(f"{place(across.at(x))} {place(_beyond(up, y))}" for x, y in line.points)
    hint = f"<title>{safe(line.name)}</title>" if line.name else ""
    return f'<path class="line {line.style}" d="M{steps}">{hint}</path>' if steps else ""


def _band(line: Line, across: Scale, up: Scale) -> str:
    above = [f"{place(across.at(x))} {place(_beyond(up, high))}" for x, _, high in line.band]
    below = [f"{place(across.at(x))} {place(_beyond(up, low))}" for x, low, _ in line.band]
    return f'<path class="band {line.style}" d="M{"L".join(above + below[::-1])}Z"/>'


def _beyond(up: Scale, value: float) -> float:
    """The place of a value; one outside of the plot is put a little outside, to be cut off."""
    if value > up.high:
        return up.end - 9
    return up.start + 9 if value < up.low else up.at(value)


def _level(at: float, style: str, up: Scale) -> str:
    y = place(up.at(at))
    return (
        f'<line class="mark {style}" x1="{place(_LEFT)}" x2="{place(_WIDTH)}" y1="{y}" y2="{y}"/>'
    )


def _column(bar: Bar, across: Scale, up: Scale) -> str:
    start, end, top = across.at(bar.start), across.at(bar.end), up.at(bar.height)
    gap = min(1.5, 0.1 * (end - start))
    return (
        f'<rect class="{bar.style}" x="{place(start + gap)}" y="{place(top)}"'
        f' width="{place(end - start - 2 * gap)}" height="{place(up.start - top)}">'
        f"<title>{safe(bar.hint)}</title></rect>"
    )
