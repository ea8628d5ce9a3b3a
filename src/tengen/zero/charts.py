# SPDX-License-Identifier: MIT
"""Charts as inline SVG: lines over minutes, with errors where there are some. Relies on nothing;
the report relies on it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["STYLE", "Point", "chart", "thinned"]


@dataclass(frozen=True, slots=True)
class Point:
    """A value at a minute, and half the width of its 95% interval."""

    minute: float
    value: float
    error: float = 0.0


Lines: TypeAlias = Mapping[str, Sequence[Point]]

STYLE = """\
:root{color-scheme:light dark;--ink:#1d2430;--faint:#667085;--paper:#fff;--card:#f5f6f8;\
--l0:#1c64b4;--l1:#c77700;--l2:#1a8a4a;--l3:#a3348d}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--faint:#98a2b3;--paper:#14171c;\
--card:#1e232b;--l0:#6cb0ff;--l1:#ffb454;--l2:#5fd08c;--l3:#e58fd2}}
body{margin:2rem auto;max-width:72rem;padding:0 1rem;color:var(--ink);background:var(--paper);\
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}.faint{color:var(--faint)}
.charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(21rem,1fr))}
figure{margin:0;padding:.6rem;background:var(--card);border-radius:.5rem}
svg{width:100%;height:auto;display:block}svg text{fill:var(--faint);font-size:10px}
svg .end{text-anchor:end}path{fill:none;stroke-width:1.5}.dot{stroke:none}
.l0{stroke:var(--l0)}.l1{stroke:var(--l1)}.l2{stroke:var(--l2)}.l3{stroke:var(--l3)}
circle.l0{fill:var(--l0)}circle.l1{fill:var(--l1)}circle.l2{fill:var(--l2)}circle.l3{fill:var(--l3)}
b.l0{color:var(--l0)}b.l1{color:var(--l1)}b.l2{color:var(--l2)}b.l3{color:var(--l3)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem;text-align:right}th:first-child,td:first-child{text-align:left}
pre{padding:.8rem;background:var(--card);border-radius:.5rem;overflow-x:auto}
"""
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 340.0, 190.0, 50.0, 10.0, 10.0, 22.0
_MOST = 300  # points of a line: more cannot be seen
_DOTTED = 40  # a line of no more points shows each as a dot


def thinned(points: Sequence[Point]) -> list[Point]:
    """Means of neighbours, so that a long run is still a small page."""
    group = max(1, -(-len(points) // _MOST))
    parts = [points[start : start + group] for start in range(0, len(points), group)]
    return [Point(part[-1].minute, sum(p.value for p in part) / len(part)) for part in parts]


def chart(title: str, lines: Lines) -> str:
    """A figure with all lines that have points; empty text if none has."""
    good = {name: [p for p in line if math.isfinite(p.value)] for name, line in lines.items()}
    good = {name: line for name, line in good.items() if line}
    if not good:
        return ""
    names = list(good)
    told = ""
    if len(names) > 1:
        words = (f'<b class="l{n % 4}">{html.escape(name)}</b>' for n, name in enumerate(names))
        told = f' <span class="faint">{", ".join(words)}</span>'
    caption = f"<figcaption>{html.escape(title)}{told}</figcaption>"
    return f"<figure>{caption}{_svg(title, list(good.values()))}</figure>"


def _svg(title: str, lines: Sequence[Sequence[Point]]) -> str:
    every = [point for line in lines for point in line]
    right = max(point.minute for point in every) or 1.0
    low = min(point.value - point.error for point in every)
    high = max(point.value + point.error for point in every)
    if high - low < 1e-12:
        low, high = low - abs(low) * 0.1 - 1e-9, high + abs(high) * 0.1 + 1e-9
    drawn = "".join(_line(number, line, right, low, high) for number, line in enumerate(lines))
    base = _HEIGHT - _BOTTOM
    words = (
        f'<text class="end" x="{_LEFT - 5}" y="{_TOP + 8}">{high:.4g}</text>'
        f'<text class="end" x="{_LEFT - 5}" y="{base}">{low:.4g}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">0</text>'
        f'<text class="end" x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 6}">minute {right:,.1f}</text>'
    )
    label = html.escape(title, quote=True)
    box = f"0 0 {_WIDTH:g} {_HEIGHT:g}"
    return f'<svg viewBox="{box}" role="img" aria-label="{label}">{drawn}{words}</svg>'


def _line(number: int, line: Sequence[Point], right: float, low: float, high: float) -> str:
    def place(minute: float, value: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * minute / right
        return across, _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)

    kind = f"l{number % 4}"
    ends = [place(point.minute, point.value) for point in line]
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y in ends)
    drawn = f'<path class="{kind}" d="M{path}"/>'
    for point in line if any(point.error for point in line) else ():
        x, top = place(point.minute, point.value + point.error)
        _, bottom = place(point.minute, point.value - point.error)
        drawn += f'<path class="{kind}" d="M{x:.1f} {top:.1f} L{x:.1f} {bottom:.1f}"/>'
    for x, y in ends if len(ends) <= _DOTTED else ():
        drawn += f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="2"/>'
    return drawn
