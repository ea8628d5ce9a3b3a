# SPDX-License-Identifier: MIT
"""Reports of experiments: `NAME.md`, `NAME.json`, `NAME.html`, and a summary of all verdicts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tengen.experiments.experiment import (
    Chart,
    Experiment,
    Findings,
    ReportTable,
    Setup,
    StepResults,
    cell_text,
    find_experiment,
)
from tengen.experiments.measured import Measured
from tengen.experiments.papers import all_items
from tengen.experiments.step import Step, in_order
from tengen.experiments.store import StepStore
from tengen.experiments.verdicts import Verdict
from tengen.util.charts import Line, line_figure
from tengen.util.files import write_text
from tengen.util.html import charts, escape, page, section, table
from tengen.util.text import duration

REPORTS = "reports"
_STYLES = 8  # of curves


@dataclass(frozen=True, slots=True)
class Report:
    """What a report shows."""

    experiment: Experiment
    setup: Setup
    findings: Findings
    steps_done: int
    steps: int
    conditions: tuple[str, ...]
    data: tuple[str, ...] = ()  # data sets
    failed: tuple[str, ...] = ()  # steps that failed, with their errors
    made_data: bool = False  # whether data are games of the engine, made for want of others

    @property
    def is_machinery_only(self) -> bool:
        """Whether the verdicts only show that the code runs. Exact ones need neither data nor a
        scale.
        """
        compares = any(verdict.kind == "order" for verdict in self.findings.verdicts)
        return compares and (self.setup.scale == "tiny" or self.made_data)

    @property
    def verdicts_title(self) -> str:
        return "Verdicts (machinery only)" if self.is_machinery_only else "Verdicts"

    @property
    def warnings(self) -> list[str]:
        """What its numbers do not show."""
        reasons = []
        if self.setup.scale == "tiny":
            reasons.append("scale tiny only shows that the code runs")
        if self.made_data:
            reasons.append("without --data the engine made the games")
        if not self.is_machinery_only:
            return []
        return [f"{'; '.join(reasons)}: no evidence about a paper, but for exact verdicts"]

    @property
    def items(self) -> list[str]:
        """The tables and figures that the experiment reproduces."""
        name = self.experiment.name
        return [
            f"{paper.title}, {item.name}"
            for paper, item in all_items()
            if name == item.experiment or name in item.also
        ]


def make_report(store: StepStore, name: str, setup: Setup) -> Report:
    """The report of what is done so far. Raises BadExperiment, BadRun."""
    from tengen.experiments.steps.data import MadeGames  # needs NumPy

    experiment = find_experiment(name)
    plan = experiment.plan(setup)
    results = StepResults(store, plan)
    steps = in_order(plan.values())
    done = [content for step in steps if (content := store.read(step)) is not None]
    return Report(
        experiment,
        setup,
        experiment.report(setup, results),
        len(done),
        len(steps),
        tuple(_conditions(done)),
        tuple(_data(store, steps)),
        tuple(_failed(store, steps)),
        any(isinstance(step, MadeGames) for step in steps),
    )


def _data(store: StepStore, steps: Sequence[Step]) -> Iterable[str]:
    """The data sets of some steps, done or not."""
    from tengen.experiments.steps.data import DataStep  # needs NumPy

    for step in steps:
        if isinstance(step, DataStep):
            content = store.read(step)
            if content is None:
                yield f"data: {step.title.removeprefix('data ')}, not there yet"
            else:
                found = content["result"]
                yield f"data: {found['source']}, {found['positions']:,} positions"


def _failed(store: StepStore, steps: Sequence[Step]) -> Iterable[str]:
    for step in steps:
        if not store.is_done(step) and (error := store.failure(step)) is not None:
            yield f"failed: {step.title}: {' '.join(error.split())}"


def _conditions(done: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Machines, commits, and the time that the steps took."""
    for key, name in (
        ("machine", "machine"),
        ("device", "device"),
        ("commit", "commit"),
        ("tengen", "version"),
    ):
        values = dict.fromkeys(str(content.get(key, "")) for content in done)
        if shown := "; ".join(filter(None, values)):
            yield f"{name}: {shown}"
    seconds: dict[str, float] = {}
    for content in done:
        kind = str(content.get("step", {}).get("kind", ""))
        seconds[kind] = seconds.get(kind, 0.0) + float(content.get("seconds", 0.0))
    shown = ", ".join(f"{kind} {duration(value)}" for kind, value in seconds.items() if value >= 1)
    if shown:
        yield f"time: {duration(sum(seconds.values()))} ({shown})"


def write_report(report: Report, folder: Path) -> None:
    """Write the three files. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    name = report.experiment.name
    write_text(markdown(report), folder / f"{name}.md")
    write_text(json.dumps(to_dict(report), indent=1) + "\n", folder / f"{name}.json")
    write_text(html(report), folder / f"{name}.html")


def write_summary(reports: Sequence[Report], folder: Path) -> None:
    """`README.md`: scale, data, steps, the verdicts of all experiments. Raises OSError."""
    rows = [
        (_summary_name(report, verdict), *_verdict_row(verdict))
        for report in reports
        for verdict in report.findings.verdicts
    ]
    heads = ("experiment", "claim of the paper", "kind", "holds", "measured")
    facts: dict[str, None] = {f"scale: {report.setup.scale}": None for report in reports}
    for report in reports:
        facts |= dict.fromkeys(report.data)
    for report in reports:
        name = report.experiment.name
        facts |= dict.fromkeys(f"{name}: {text}" for text in (*report.warnings, *report.failed))
    listed = "\n".join(f"- {fact}" for fact in facts)
    states = [
        (_link(report), report.experiment.title, f"{report.steps_done} of {report.steps}")
        for report in reports
    ]
    parts = [
        "# Results of the experiments",
        listed,
        _markdown_table(("experiment", "", "steps done"), states),
        _markdown_table(heads, rows),
    ]
    write_text("\n\n".join(filter(None, parts)) + "\n", folder / "README.md")


def _summary_name(report: Report, verdict: Verdict) -> str:
    only = report.is_machinery_only and verdict.kind == "order"
    return f"{_link(report)} (machinery only)" if only else _link(report)


def _link(report: Report) -> str:
    return f"[{report.experiment.name}]({report.experiment.name}.md)"


# --- Markdown ---


def markdown(report: Report) -> str:
    findings, experiment = report.findings, report.experiment
    parts = [
        f"# {experiment.name}: {experiment.title}",
        "\n".join(f"- {x}" for x in _facts(report)),
    ]
    for one in findings.tables:
        parts.append(f"## {one.title}")
        cells = [[cell_text(value) for value in row] for row in one.rows]
        parts.append(_markdown_table(one.columns, cells))
        parts.append(one.note)
    if findings.verdicts:
        rows = [_verdict_row(verdict) for verdict in findings.verdicts]
        heads = ("claim of the paper", "kind", "holds", "measured")
        parts += [f"## {report.verdicts_title}", _markdown_table(heads, rows)]
    for title, notes in _notes(report).items():
        parts += [f"## {title}", "\n".join(f"- {note}" for note in notes)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _notes(report: Report) -> dict[str, Sequence[str]]:
    """The sections of notes that are not empty, by title."""
    sections = {
        "Differences to the paper": report.experiment.differences,
        "Notes": report.findings.notes,
    }
    return {title: notes for title, notes in sections.items() if notes}


def _facts(report: Report) -> list[str]:
    done = f"{report.steps_done} of {report.steps} steps done"
    facts = [*report.items, f"scale: {report.setup.scale}; {done}"]
    return [*facts, *report.warnings, *report.data, *report.failed, *report.conditions]


def _verdict_row(verdict: Verdict) -> tuple[str, str, str, str]:
    return verdict.claim, verdict.kind, verdict.outcome, verdict.detail


def _markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(heads), "|" + "---|" * len(heads), *map(line, rows)])


# --- JSON ---


def to_dict(report: Report) -> dict[str, Any]:
    """Everything in the report as plain values."""
    return {
        "format": 1,
        "experiment": report.experiment.name,
        "items": report.items,
        "scale": report.setup.scale,
        "steps": report.steps,
        "steps_done": report.steps_done,
        "machinery_only": report.is_machinery_only,
        "warnings": report.warnings,
        "data": list(report.data),
        "failed": list(report.failed),
        "conditions": list(report.conditions),
        "tables": [_table_dict(one) for one in report.findings.tables],
        "charts": [asdict(one) for one in report.findings.charts],
        "verdicts": [asdict(one) for one in report.findings.verdicts],
        "differences": list(report.experiment.differences),
        "notes": list(report.findings.notes),
    }


def _table_dict(one: ReportTable) -> dict[str, Any]:
    rows = [
        [_measured_dict(cell) if isinstance(cell, Measured) else cell for cell in row]
        for row in one.rows
    ]
    return {"title": one.title, "columns": list(one.columns), "rows": rows, "note": one.note}


def _measured_dict(cell: Measured) -> dict[str, float | None]:
    """JSON has no infinities: an unknown error is null."""
    return {"value": cell.value, "error": cell.error if math.isfinite(cell.error) else None}


# --- HTML ---


def html(report: Report) -> str:
    findings, experiment = report.findings, report.experiment
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in _facts(report))
    notes = [
        section(title, "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in listed) + "</ul>")
        for title, listed in _notes(report).items()
    ]
    rows = [_verdict_row(verdict) for verdict in findings.verdicts]
    verdicts = table(("claim of the paper", "kind", "holds", "measured"), rows) if rows else ""
    return page(
        f"{experiment.name}: {experiment.title}",
        section("Charts", charts(*(_figure(one) for one in findings.charts))),
        *(section(one.title, _html_table(one)) for one in findings.tables),
        section(report.verdicts_title, verdicts),
        *notes,
        lead=f"<ul>{facts}</ul>",
    )


def _html_table(one: ReportTable) -> str:
    rows = [[_html_cell(value) for value in row] for row in one.rows]
    note = f"<p>{escape(one.note)}</p>" if one.note else ""
    return table(one.columns, rows, caption=one.title) + note


def _html_cell(value: Any) -> object:
    return cell_text(value) if isinstance(value, float | Measured) else value


def _figure(one: Chart) -> str:
    lines = [
        Line(curve.points, f"c{number % _STYLES}", curve.name, joined=curve.joined)
        for number, curve in enumerate(one.curves)
        if curve.points
    ]
    return line_figure(one.title, lines, one.x, one.y)
