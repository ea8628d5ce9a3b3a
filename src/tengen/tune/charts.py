# SPDX-License-Identifier: MIT
"""Small charts, one a parameter: its value over the iterations, with its start and the ends of its
range. Inline SVG; colours come from classes of the page. Relies on the scales of the arena's
report; the report relies on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tengen.arena.report.scale import Scale, linear
from tengen.arena.report.words import safe
from tengen.tune.parameters import Parameter
from tengen.tune.spsa import Spsa
from tengen.tune.state import State

__all__ = ["History", "chart", "history"]

_WIDTH, _HEIGHT = 320.0, 150.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 8.0, 8.0, 20.0
_POINTS = 240  # of a line at most: more than a chart has room for


@dataclass(frozen=True, slots=True)
class History:
    """Values at some moments of a run: after how many iterations, and which."""

    done: tuple[int, ...]
    theta: tuple[tuple[float, ...], ...]


def history(states: Iterable[State], iterations: int) -> History:
    """The moments to be drawn, of a run that has done so many iterations: the first, the last, and
    between them evenly spread ones.
    """
    every = max(1, -(-iterations // _POINTS))
    found: dict[int, tuple[float, ...]] = {}
    for state in states:
        done = state.iterations
        if done % every == 0 or done == iterations:
            found[done] = tuple(state.walk.theta)
    return History(tuple(found), tuple(found.values()))


def chart(spsa: Spsa, number: int, seen: History) -> str:
    """The chart of the parameter of that number."""
    entry = spsa.parameters[number]
    values = [theta[number] for theta in seen.theta]
    across = linear(0, spsa.iterations, _LEFT, _WIDTH - _RIGHT)
    low, high = _window(entry, values)
    up = linear(low, high, _HEIGHT - _BOTTOM, _TOP)
    reach = [spsa.reach(max(done, 1)) * entry.step for done in seen.done]
    drawn = [
        _band(across, up, seen.done, values, reach),
        _level(up, entry.start, "start"),
        *(_level(up, end, "end") for end in (entry.low, entry.high) if low <= end <= high),
        _line(across, up, seen.done, values),
        _label(up, high),
        _label(up, low),
        f'<text x="{_LEFT:g}" y="{_HEIGHT - 6:g}">0</text>',
        f'<text x="{_WIDTH - _RIGHT:g}" y="{_HEIGHT - 6:g}" class="right">'
        f"{spsa.iterations:,}</text>",
    ]
    words = f"{entry.name}: {values[0]:g} to {values[-1]:.1f} in {seen.done[-1]:,} iterations"
    return (
        f'<svg viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" aria-label="{safe(words)}">'
        f"{''.join(drawn)}</svg>"
    )


def _window(entry: Parameter, values: Sequence[float]) -> tuple[float, float]:
    """What the chart shows: all values, three steps around the start, nothing out of range."""
    low = min(*values, entry.start - 3 * entry.step)
    high = max(*values, entry.start + 3 * entry.step)
    room = 0.05 * (high - low)
    return entry.clip(low - room), entry.clip(high + room)


def _line(across: Scale, up: Scale, done: Sequence[int], values: Sequence[float]) -> str:
    points = (f"{across.at(x):.1f} {up.at(y):.1f}" for x, y in zip(done, values, strict=True))
    return f'<path class="value" d="M{"L".join(points)}"/>'


def _band(
    across: Scale,
    up: Scale,
    done: Sequence[int],
    values: Sequence[float],
    reach: Sequence[float],
) -> str:
    """Where the games are played."""
    rows = list(zip(done, values, reach, strict=True))
    above = [f"{across.at(x):.1f} {up.at(y + r):.1f}" for x, y, r in rows]
    below = [f"{across.at(x):.1f} {up.at(y - r):.1f}" for x, y, r in reversed(rows)]
    return f'<path class="band" d="M{"L".join(above + below)}Z"/>'


def _level(up: Scale, value: float, kind: str) -> str:
    y = f"{up.at(value):.1f}"
    return f'<line class="{kind}" x1="{_LEFT:g}" x2="{_WIDTH - _RIGHT:g}" y1="{y}" y2="{y}"/>'


def _label(up: Scale, value: float) -> str:
    y = up.at(value) + 4
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f'<text class="right" x="{_LEFT - 5:g}" y="{y:.1f}">{text}</text>'
