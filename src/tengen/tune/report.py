# SPDX-License-Identifier: MIT
"""The report of a run: one HTML file that needs no other, with a chart of each parameter, the
values as a table, and as text to be tested and to be pasted. Relies on the charts and snippets; the
command line relies on it.
"""

from __future__ import annotations

from tengen.arena.report.words import safe
from tengen.game import records
from tengen.tune.charts import History, chart, history
from tengen.tune.folder import Folder
from tengen.tune.parameters import Parameter
from tengen.tune.snippets import cpp_lines, match_toml
from tengen.tune.state import State

__all__ = ["report_html", "write_report"]

_REPORT = "report.html"
_CLEAR = 2.0  # standard deviations of chance beyond which a change is marked
_STYLE = """\
:root{color-scheme:light dark;--ink:#1d2430;--faint:#667085;--paper:#fff;--card:#f5f6f8;\
--line:#1c64b4;--band:#1c64b426;--start:#8a94a6;--end:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--faint:#98a2b3;--paper:#14171c;\
--card:#1e232b;--line:#6cb0ff;--band:#6cb0ff2e;--start:#7d889b;--end:#ff8a80}}
body{margin:2rem auto;max-width:72rem;padding:0 1rem;color:var(--ink);background:var(--paper);\
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
.faint,figcaption small{color:var(--faint)}
.charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr))}
figure{margin:0;padding:.6rem;background:var(--card);border-radius:.5rem}
figcaption small{display:block;min-height:2.4em;line-height:1.2}
svg{width:100%;height:auto;display:block}
svg text{fill:var(--faint);font-size:10px}svg .right{text-anchor:end}
.value{fill:none;stroke:var(--line);stroke-width:1.6}.band{fill:var(--band)}
.start{stroke:var(--start);stroke-dasharray:4 3}.end{stroke:var(--end)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid var(--card);\
white-space:nowrap}
th:first-child,td:first-child,td:last-child,th:last-child{text-align:left}
td:last-child{white-space:normal}
pre{padding:.8rem;background:var(--card);border-radius:.5rem;overflow-x:auto}
"""


def write_report(folder: Folder) -> None:
    """Write `report.html`, from the journal."""
    seen = history(folder.replay(), folder.state.iterations)
    records.write_text(report_html(folder.state, seen), folder.path / _REPORT)


def report_html(state: State, seen: History) -> str:
    """The page."""
    spsa = state.plan.spsa
    charts = "".join(_figure(state, n, seen) for n in range(len(spsa.parameters)))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Tuning: {safe(_title(state))}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>Tuning of {safe(_title(state))}</h1>\n{_summary(state)}\n"
        "<h2>Values</h2>\n"
        '<p class="faint">Noise is how far a number without any effect would have wandered by'
        f" chance (one standard deviation); a change of more than {_CLEAR:g} times that is marked"
        " with a star. Tuned values are a proposal: a match with an SPRT decides.</p>\n"
        f'<div class="wide">{_table(state)}</div>\n'
        "<h2>The way there</h2>\n"
        '<p class="faint">The line is the value, the band around it where games were played, the'
        " dashed line the start, a full line an end of the range.</p>\n"
        f'<div class="charts">{charts}</div>\n'
        "<h2>To test them</h2>\n"
        "<p>A file for <code>tengen sprt --config</code>, in the tuning build:</p>\n"
        f"<pre>{safe(match_toml(state))}</pre>\n"
        f"<h2>To keep them</h2>\n<pre>{safe(cpp_lines(state))}</pre>\n</body></html>\n"
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
        f" {total.games:,} games{shares}; {safe(plan.definition.limit)}.{faults}"
        f' <span class="faint">r_end {spsa.r_end:g}, alpha {spsa.alpha:g}, gamma {spsa.gamma:g},'
        f" A {spsa.stability:g} N, seed {spsa.seed}, {safe(spsa.rounding)} rounding,"
        f" pairs an iteration: {plan.pairs}, openings: {len(plan.openings):,}.</span></p>"
    )


def _figure(state: State, number: int, seen: History) -> str:
    spsa = state.plan.spsa
    entry = spsa.parameters[number]
    words = f"<b>{safe(entry.name)}</b> {entry.start:g} → {state.walk.theta[number]:.1f}"
    caption = f"<figcaption>{words}<small>{safe(entry.meaning)}</small></figcaption>"
    return f"<figure>{caption}{chart(spsa, number, seen)}</figure>"


def _table(state: State) -> str:
    walk = state.walk
    heads = ("name", "start", "value", "exact", "change", "noise", "range", "step", "meaning")
    rows = [
        _row(entry, *numbers)
        for entry, *numbers in zip(
            state.plan.spsa.parameters, walk.values, walk.theta, walk.noise, strict=True
        )
    ]
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _row(entry: Parameter, value: float, exact: float, noise: float) -> str:
    change = exact - entry.start
    star = " *" if abs(change) > _CLEAR * noise > 0 else ""
    cells = (
        safe(entry.name),
        f"{entry.start:g}",
        f"<b>{value}</b>",
        f"{exact:.2f}",
        f"{change:+.2f}{star}",
        f"{noise:.2f}",
        f"{entry.low} to {entry.high}",
        f"{entry.step:g}",
        safe(entry.meaning),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
