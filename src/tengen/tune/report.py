# SPDX-License-Identifier: MIT
"""The report of a run: one HTML file that needs no other, with a chart of each parameter, the
values as a table, and as text to be tested and to be pasted. Relies on the charts and snippets; the
command line relies on it.
"""

from __future__ import annotations

from tengen.tune.charts import History, chart, history
from tengen.tune.parameters import Parameter
from tengen.tune.snippets import cpp_lines, match_toml
from tengen.tune.state import State
from tengen.tune.tune_folder import TuneFolder
from tengen.util.charts import figure
from tengen.util.files import write_text
from tengen.util.html import Cell, cell, charts, escape, page, preformatted, section, table

__all__ = ["report_html", "write_report"]

_REPORT = "report.html"
_CLEAR = 2.0  # standard deviations of chance beyond which a change is marked


def write_report(folder: TuneFolder) -> None:
    """Write `report.html`, from the journal."""
    seen = history(folder.replay(), folder.state.iterations)
    write_text(report_html(folder.state, seen), folder.path / _REPORT)


def report_html(state: State, seen: History) -> str:
    """The page."""
    figures = [_figure(state, n, seen) for n in range(len(state.plan.spsa.parameters))]
    noise = (
        '<p class="faint">Noise is how far a number without any effect moves by chance (one'
        f" standard deviation); a star marks a change of more than {_CLEAR:g} times that. Tuned"
        " values are a proposal: a match with an SPRT decides.</p>"
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


def _title(state: State) -> str:
    definition = state.plan.definition
    number = len(state.plan.spsa.parameters)
    what = "1 number" if number == 1 else f"{number} numbers"
    return definition.event or f"{what}, {definition.rule} {definition.size}x{definition.size}"


def _summary(state: State) -> str:
    plan, total = state.plan, state.total
    spsa = plan.spsa
    shares = ""
    if total.games:
        shares = f", {total.draws / total.games:.0%} of them drawn"
    faults = f" {total.faults:,} games ended by an error." if total.faults else ""
    return (
        f"<p>{state.iterations:,} of {spsa.iterations:,} iterations,"
        f" {total.games:,} games{shares}; {escape(plan.definition.limit)}.{faults}"
        f' <span class="faint">r_end {spsa.r_end:g}, alpha {spsa.alpha:g}, gamma {spsa.gamma:g},'
        f" A {spsa.stability:g} N, seed {spsa.seed}, {escape(spsa.rounding)} rounding,"
        f" pairs an iteration: {plan.pairs}, openings: {len(plan.openings):,}.</span></p>"
    )


def _figure(state: State, number: int, seen: History) -> str:
    spsa = state.plan.spsa
    entry = spsa.parameters[number]
    caption = f"{entry.name} {entry.start:g} → {state.walk.theta[number]:.1f}"
    return figure(chart(spsa, number, seen), caption, note=entry.meaning)


def _table(state: State) -> str:
    walk = state.walk
    heads = ("name", "start", "value", "exact", "change", "noise", "range", "step", "meaning")
    rows = [
        _row(entry, *numbers)
        for entry, *numbers in zip(
            state.plan.spsa.parameters, walk.values, walk.theta, walk.noise, strict=True
        )
    ]
    return table(heads, rows, "Values")


def _row(entry: Parameter, value: float, exact: float, noise: float) -> list[Cell]:
    change = exact - entry.start
    star = " *" if abs(change) > _CLEAR * noise > 0 else ""
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
