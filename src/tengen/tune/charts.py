# SPDX-License-Identifier: MIT
"""The chart of a parameter: its value over the iterations, with its start and its range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tengen.tune.parameters import Parameter
from tengen.tune.spsa import Spsa
from tengen.tune.state import State
from tengen.util.charts import Line, line_chart

__all__ = ["History", "chart", "history"]

_MAX_POINTS = 240  # of a line


@dataclass(frozen=True, slots=True)
class History:
    """Values at some moments of a run: after how many iterations, and which."""

    done: tuple[int, ...]
    theta: tuple[tuple[float, ...], ...]


def history(states: Iterable[State], iterations: int) -> History:
    """The moments to draw, of a run that has done so many iterations: the first, the last, and
    evenly spaced ones between them.
    """
    every = max(1, -(-iterations // _MAX_POINTS))
    values: dict[int, tuple[float, ...]] = {}
    for state in states:
        done = state.iterations
        if done % every == 0 or done == iterations:
            values[done] = tuple(state.walk.theta)
    return History(tuple(values), tuple(values.values()))


def chart(spsa: Spsa, number: int, seen: History) -> str:
    """The chart of the parameter of that number. SVG."""
    entry = spsa.parameters[number]
    values = [theta[number] for theta in seen.theta]
    points = [(float(done), value) for done, value in zip(seen.done, values, strict=True)]
    reach = [spsa.reach(max(done, 1)) * entry.step for done in seen.done]
    band = [(x, y - r, y + r) for (x, y), r in zip(points, reach, strict=True)]
    low, high = _window(entry, values)
    levels = [(entry.start, "zero", "")]
    levels += [(end, "lost", "") for end in (entry.low, entry.high) if low <= end <= high]
    return line_chart(
        [Line(points, "c0", band=band)],
        (0, spsa.iterations),
        (low, high),
        label=f"{entry.name}: {values[0]:g} to {values[-1]:.1f} in {seen.done[-1]:,} iterations",
        axes=("iterations", ""),
        levels=levels,
    )


def _window(entry: Parameter, values: Sequence[float]) -> tuple[float, float]:
    """The y range: all values, three steps around the start, nothing out of range."""
    low = min(*values, entry.start - 3 * entry.step)
    high = max(*values, entry.start + 3 * entry.step)
    room = 0.05 * (high - low)
    return entry.clip(low - room), entry.clip(high + room)
