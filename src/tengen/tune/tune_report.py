# SPDX-License-Identifier: MIT
"""The report of a tuning run: one HTML file with a chart for each parameter, the values as a table,
as TOML for a match that tests them, and as C++ to keep them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tengen.tune.parameters import Parameter
from tengen.tune.plan import TuneState
from tengen.tune.spsa import Spsa
from tengen.tune.tune_folder import TuneFolder
from tengen.util.charts import Line, figure, line_chart
from tengen.util.files import write_text
from tengen.util.html import Cell, cell, charts, escape, page, preformatted, section, table
from tengen.util.text import plural


def tunables_toml(state: TuneState) -> str:
    """The table of a player."""
    entries = zip(state.plan.spsa.parameters, state.spsa_state.values, strict=True)
    lines = (f"{parameter.name} = {value}" for parameter, value in entries)
    return "\n".join(["[players.tunables]", *lines]) + "\n"


def match_toml(state: TuneState) -> str:
    """A match of the tuned player against the one that is built in, with an SPRT."""
    definition = state.plan.definition
    player = definition.players[0].to_dict()
    preset = f"preset = {json.dumps(player['preset'])}"
    options = ", ".join(f"{key} = {json.dumps(v)}" for key, v in player["options"].items())
    limit = ", ".join(f"{key} = {value}" for key, value in definition.limit.to_dict().items())
    return "\n".join(
        [
            f"rule = {json.dumps(str(definition.rule))}",
            f"size = {definition.size}",
            "pairs = 4000",
            f"limit = {{ {limit} }}",
            "sprt = { elo0 = 0, elo1 = 5 }",
            "",
            "[[players]]",
            'name = "tuned"',
            preset,
            f"options = {{ {options} }}",
            tunables_toml(state),
            "[[players]]",
            'name = "built-in"',
            preset,
            f"options = {{ {options} }}",
            "",
        ]
    )


def cpp_lines(state: TuneState) -> str:
    """The declarations of the tuned numbers, each to be pasted over its old one."""
    entries = zip(state.plan.spsa.parameters, state.spsa_state.values, strict=True)
    return "".join(
        f"TUNABLE({p.name}, {value}, {p.low}, {p.high}, {max(1, round(p.step))},"
        f" {json.dumps(p.meaning, ensure_ascii=False)});\n"
        for p, value in entries
    )


_MAX_POINTS = 240  # of a line


@dataclass(frozen=True, slots=True)
class History:
    """Values during a run: numbers of finished iterations, and the values after each."""

    done: tuple[int, ...]
    theta: tuple[tuple[float, ...], ...]


def history(states: Iterable[TuneState], iterations: int) -> History:
    """The values to draw of a run with `iterations`: first, last, and evenly spaced ones."""
    every = max(1, -(-iterations // _MAX_POINTS))
    values: dict[int, tuple[float, ...]] = {}
    for state in states:
        done = state.iterations
        if done % every == 0 or done == iterations:
            values[done] = tuple(state.spsa_state.theta)
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


_REPORT = "report.html"
_SIGNIFICANT = 2.0  # standard deviations of noise beyond which a change is marked


def write_report(folder: TuneFolder) -> None:
    """Write `report.html`, from the event log."""
    seen = history(folder.replay(), folder.state.iterations)
    write_text(report_html(folder.state, seen), folder.path / _REPORT)


def report_html(state: TuneState, seen: History) -> str:
    """The page."""
    figures = [_figure(state, n, seen) for n in range(len(state.plan.spsa.parameters))]
    noise = (
        '<p class="faint">Noise is how far a parameter without effect moves by chance (one'
        f" standard deviation); a star marks a change of more than {_SIGNIFICANT:g} times that."
        " Tuned values are a proposal: a match with an SPRT decides.</p>"
    )
    legend = (
        '<p class="faint">The line is the value, the band the range in which games are played, the'
        " grey line the start, a red line an end of the range.</p>"
    )
    return page(
        f"Tuning of {_title(state)}",
        section("Values", noise, _table(state)),
        section("Progress", legend, charts(*figures)),
        section(
            "Test the values",
            "<p>A file for <code>tengen sprt --config</code>, in the tuning build:</p>",
            preformatted(match_toml(state)),
        ),
        section("Keep the values", preformatted(cpp_lines(state))),
        lead=_summary(state),
    )


def _title(state: TuneState) -> str:
    definition = state.plan.definition
    number = plural(len(state.plan.spsa.parameters), "parameter")
    return definition.event or f"{number}, {definition.rule} {definition.size}x{definition.size}"


def _summary(state: TuneState) -> str:
    plan, total, spsa = state.plan, state.total, state.plan.spsa
    shares = f", {total.draws / total.games:.0%} of them drawn" if total.games else ""
    faults = f" {total.faults:,} games ended by an error." if total.faults else ""
    return (
        f"<p>{state.iterations:,} of {spsa.iterations:,} iterations,"
        f" {total.games:,} games{shares}; {escape(plan.definition.limit)}.{faults}"
        f' <span class="faint">r_end {spsa.r_end:g}, alpha {spsa.alpha:g}, gamma {spsa.gamma:g},'
        f" A {spsa.stability:g} N, seed {spsa.seed}, {escape(spsa.rounding)} rounding,"
        f" pairs per iteration: {plan.pairs}, openings: {len(plan.openings):,}.</span></p>"
    )


def _figure(state: TuneState, number: int, seen: History) -> str:
    spsa = state.plan.spsa
    entry = spsa.parameters[number]
    caption = f"{entry.name} {entry.start:g} → {state.spsa_state.theta[number]:.1f}"
    return figure(chart(spsa, number, seen), caption, note=entry.meaning)


def _table(state: TuneState) -> str:
    spsa_state = state.spsa_state
    heads = ("name", "start", "value", "exact", "change", "noise", "range", "step", "meaning")
    rows = [
        _row(entry, *numbers)
        for entry, *numbers in zip(
            state.plan.spsa.parameters,
            spsa_state.values,
            spsa_state.theta,
            spsa_state.noise,
            strict=True,
        )
    ]
    return table(heads, rows, "Values")


def _row(entry: Parameter, value: float, exact: float, noise: float) -> list[Cell]:
    change = exact - entry.start
    star = " *" if abs(change) > _SIGNIFICANT * noise > 0 else ""
    numbers = (
        f"{entry.start:g}",
        f"<b>{value}</b>",
        f"{exact:.2f}",
        f"{change:+.2f}{star}",
        f"{noise:.2f}",
        f"{entry.low} to {entry.high}",
        f"{entry.step:g}",
    )
    named = cell(escape(entry.name), head=True)
    return [named, *(cell(text, "number") for text in numbers), cell(escape(entry.meaning))]
