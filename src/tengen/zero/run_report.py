# SPDX-License-Identifier: MIT
"""`report.html` of a run: strength over device minutes, losses, games, matches, and the config."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from tengen.util.charts import Line, line_figure, thin
from tengen.util.files import explain_write_errors, write_text
from tengen.util.html import charts, escape, page, preformatted, section, table
from tengen.zero.zero_folder import FIXED_OPPONENTS, LADDER, ZeroFolder

Row: TypeAlias = Mapping[str, Any]
Points: TypeAlias = list[tuple[float, float]]
_GROUP = 20  # tasks per point of a chart; a single one has few games
_LAST = 20  # rows of a table
# Folders of releases, and names of their results; the second is that of version 0.1.0.
_RELEASES = ("release", "ship")


def write_report(folder: ZeroFolder) -> None:
    """Raises OSError."""
    with explain_write_errors(folder.report):
        write_text(report_html(folder), folder.report)


def report_html(folder: ZeroFolder) -> str:
    config, rows = folder.config, folder.events()
    matches = folder.read_results(FIXED_OPPONENTS)
    terms = "" if folder.redistributable else "<p>Experiment: these nets are not redistributable."
    return page(
        f"Zero learning: {config.rule} {config.size}x{config.size}, {config.spec.name}",
        section(
            "Strength",
            charts(*_strength(rows, folder.read_results(LADDER), matches)),
            _matches(matches),
        ),
        section("Releases", _releases(read_releases(folder))),
        section("Learning", charts(*_learning(_of(rows, "learn")))),
        section("Games", charts(*_games(_of(rows, "play")))),
        section("Last gating matches", _gates(_of(rows, "gate")[-_LAST:])),
        section("Rejected results", _rejected(_of(rows, "rejected")[-_LAST:])),
        section("Config", preformatted(json.dumps(config.to_dict(), indent=1))),
        lead=f"<p>{_summary(rows)}</p>{terms}",
    )


def read_releases(folder: ZeroFolder) -> list[dict[str, Any]]:
    """The results of all releases of a run; damaged ones are omitted."""
    rows = []
    for path in sorted(p for name in _RELEASES for p in (folder.path / name).glob("*/")):
        for name in _RELEASES:
            try:
                row = json.loads((path / f"{name}.json").read_text("utf-8"))
            except (OSError, ValueError, RecursionError):
                continue
            if isinstance(row, dict) and isinstance(row.get("summary", row.get("words")), str):
                rows.append(row)
                break
    return rows


def _of(rows: Sequence[Row], event: str) -> list[Row]:
    return [row for row in rows if row["event"] == event]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _points(rows: Sequence[Row], name: str) -> Points:
    """(minute, value) of the rows that have a number of this name."""
    return [(row["seconds"] / 60, float(row[name])) for row in rows if _is_number(row.get(name))]


def _chart(caption: str, lines: Mapping[str, Points]) -> str:
    drawn = [Line(points, f"c{n}", name) for n, (name, points) in enumerate(lines.items())]
    return line_figure(caption, drawn, "minutes")


def _summary(rows: Sequence[Row]) -> str:
    totals = [row for row in rows if row["event"] in ("play", "session")]
    last = totals[-1] if totals else {}
    games = last.get("all_games", last.get("games", 0))
    positions = last.get("all_positions", last.get("positions", 0))
    gates = _of(rows, "gate")
    accepted = sum(bool(row.get("accepted")) for row in gates)
    minutes = max((row["seconds"] for row in rows), default=0) / 60
    step = max((row.get("step", 0) for row in rows), default=0)
    return (
        f"{minutes:,.1f} device minutes in {len(_of(rows, 'session'))} sessions: {games:,} games,"
        f" {positions:,} positions, {step:,} steps; {accepted} of {len(gates)} candidates accepted."
    )


def _strength(rows: Sequence[Row], ladder: Sequence[Row], matches: Sequence[Row]) -> list[str]:
    opponents: dict[str, list[Row]] = {}
    for row in matches:
        opponents.setdefault(_opponent(row), []).append(row)
    gates = [row for row in _of(rows, "gate") if "share" in row]
    accepted = [row for row in gates if row["accepted"]]
    rejected = [row for row in gates if not row["accepted"]]
    gained, total = [], 0.0
    for minute, elo in _points(accepted, "elo"):
        total += elo
        gained.append((minute, total))
    rated = [_elo_line("elo", ladder, 0)]
    fixed = [_elo_line(name, held, n) for n, (name, held) in enumerate(opponents.items())]
    shares = {
        "accepted": _points(accepted, "share"),
        "rejected": _points(rejected, "share"),
    }
    return [
        line_figure("Elo relative to the first generation (ladder)", rated, "minutes"),
        line_figure("Elo against fixed opponents", fixed, "minutes"),
        _chart("Elo gained at the gate, cumulative", {"sum": thin(gained)}),
        _chart("share of the points at the gate", shares),
    ]


def _elo_line(name: str, rows: Sequence[Row], number: int) -> Line:
    good = [row for row in rows if _is_number(row.get("elo")) and _is_number(row.get("seconds"))]
    errors = []
    for row in good:
        error = row.get("error")
        if isinstance(error, int | float):
            errors.append((row["seconds"] / 60, row["elo"] - error, row["elo"] + error))
    return Line(_points(good, "elo"), f"c{number % 8}", name, errors=errors)


def _opponent(row: Row) -> str:
    limit = row.get("limit")
    return str(row.get("against", "")) + (f", {limit}" if limit else "")


def _learning(rows: Sequence[Row]) -> list[str]:
    captions = {
        "value": "value: cross-entropy, nats",
        "policy": "policy: cross-entropy, nats",
        "policy_top1": "policy: top-1 accuracy",
        "win_mse": "win rate: squared error",
        "rate": "learning rate",
        "window": "positions in the window",
        "samples_per_second": "samples learned per second",
        "positions_per_second": "positions played per second",
    }
    figures = []
    for name, caption in captions.items():
        kinds = [name, *(f"{name}_{group}" for group in ("human", "selfplay"))]
        lines = {kind: thin(points) for kind in kinds if (points := _points(rows, kind))}
        figures.append(_chart(caption, lines))
    return figures


def _games(rows: Sequence[Row]) -> list[str]:
    lines: dict[str, Points] = {name: [] for name in ("black", "white", "drawn", "length")}
    for start in range(0, len(rows), _GROUP):
        group = rows[start : start + _GROUP]
        counts = {name: sum(row[name] for row in group) for name in ("black", "white", "drawn")}
        games = sum(counts.values()) or 1
        counts["length"] = sum(row["moves"] for row in group)
        for name, number in counts.items():
            lines[name].append((group[-1]["seconds"] / 60, number / games))
    length = thin(lines.pop("length"))
    return [
        _chart("games so far", {"games": thin(_points(rows, "all_games"))}),
        _chart("moves per game", {"moves": length}),
        _chart("results, share of the games", {name: thin(p) for name, p in lines.items()}),
    ]


def _gates(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    cells = [
        (
            f"{row['seconds'] / 60:.1f}",
            row["step"],
            row["against"],
            f"{row['share']:.1%}" if "share" in row else "",
            f"{row['elo']:+.0f}" if "elo" in row else "",
            f"generation {row['generation']}" if row["accepted"] else "rejected",
        )
        for row in rows
    ]
    return table(("minute", "step", "against", "points", "elo", "result"), cells)


def _matches(rows: Sequence[Row]) -> str:
    cells = []
    for row in rows:
        elo, error = row.get("elo"), row.get("error")
        text = f"{elo:+.0f} ± {error:.0f}" if _is_number(elo) and _is_number(error) else ""
        cells.append(
            (row.get("generation"), _opponent(row), row.get("games"), row.get("points"), text)
        )
    return table(("generation", "against", "games", "points", "elo"), cells) if cells else ""


def _releases(rows: Sequence[Row]) -> str:
    cells = [
        (
            *(row.get(name) for name in ("generation", "net", "samples")),
            "yes" if row.get("released", row.get("ships")) is True else "no",
            row.get("summary", row.get("words")),
        )
        for row in rows
    ]
    return table(("generation", "net", "samples", "released", "summary"), cells) if cells else ""


def _rejected(rows: Sequence[Row]) -> str:
    lines = "".join(
        f"<li>minute {row['seconds'] / 60:.1f}, {escape(row.get('worker'))}:"
        f" {escape(str(row.get('error', row.get('words')))[:300])}</li>"
        for row in rows
    )
    return f"<ul>{lines}</ul>" if lines else ""
