# SPDX-License-Identifier: MIT
"""`report.html` of a run: one file that needs no other. Losses, strength over minutes of the
device, games, matches of the gate, speed, and the config. Relies on the journal, the ladder's file
and the charts; the loop and the command line rely on it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from tengen.game import records
from tengen.train.errors import writing
from tengen.zero.charts import STYLE, Point, chart, thinned
from tengen.zero.folder import ZeroFolder, read_events
from tengen.zero.ship_folder import read_ships

__all__ = ["LADDER", "MATCHES", "read_table_file", "report_html", "write_report"]

Row: TypeAlias = Mapping[str, Any]
LADDER = "ladder.json"  # generations against each other, see `ladder`
MATCHES = "elo.json"  # generations against fixed opponents, see `versus`, `duel` and `fixed`
_GROUP = 20  # tasks whose games make one point of a chart


def write_report(folder: ZeroFolder) -> None:
    """Write the report from what the run has written so far. Raises OSError."""
    page = report_html(
        folder,
        read_events(folder.journal),
        read_table_file(folder, LADDER),
        read_table_file(folder, MATCHES),
    )
    with writing(folder.report):
        records.write_text(page, folder.report)


def read_table_file(folder: ZeroFolder, name: str) -> list[Row]:
    """The rows of a file of results; of none or of a damaged one no rows."""
    try:
        found = json.loads((folder.path / name).read_text("utf-8"))
        return [row for row in found["rows"] if isinstance(row, dict)]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def report_html(
    folder: ZeroFolder, rows: Sequence[Row], ladder: Sequence[Row], matches: Sequence[Row]
) -> str:
    """The page."""
    config = folder.config
    title = f"{config.rule} {config.size}x{config.size}, {config.spec.name}"
    told = json.dumps(config.to_dict(), indent=1)
    ships = "" if folder.ships else "<p>For experiments only: the nets of this run never ship.</p>"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Zero learning: {html.escape(title)}</title><style>{STYLE}</style></head><body>\n"
        f"<h1>Zero learning: {html.escape(title)}</h1>\n{_summary(rows)}{ships}\n"
        f'<h2>Strength</h2>\n<div class="charts">{_strength(rows, ladder, matches)}</div>\n'
        f"{_match_table(matches)}{_shipped(read_ships(folder))}"
        f'<h2>Learning</h2>\n<div class="charts">{_learning(rows)}</div>\n'
        f'<h2>Games</h2>\n<div class="charts">{_games(rows)}</div>\n'
        f"{_gates(rows)}{_rejected(rows)}"
        f"<h2>Config</h2>\n<pre>{html.escape(told)}</pre>\n</body></html>\n"
    )


def _of(rows: Sequence[Row], event: str) -> list[Row]:
    return [row for row in rows if row.get("event") == event]


def _points(rows: Sequence[Row], value: Callable[[Row], Any]) -> list[Point]:
    """Of the rows that have such a value."""
    found = []
    for row in rows:
        number = value(row)
        if isinstance(number, int | float):
            found.append(Point(row["seconds"] / 60, float(number)))
    return found


def _summary(rows: Sequence[Row]) -> str:
    totals = [row for row in rows if row["event"] in ("play", "session")]
    last = totals[-1] if totals else {}
    games = last.get("all_games", last.get("games", 0))
    positions = last.get("all_positions", last.get("positions", 0))
    gates = _of(rows, "gate")
    taken = sum(bool(row.get("accepted")) for row in gates)
    minutes = max((row["seconds"] for row in rows), default=0) / 60
    step = max((row.get("step", 0) for row in rows), default=0)
    sessions = len(_of(rows, "session"))
    return (
        f"<p>{minutes:,.1f} minutes of the device in {sessions} sessions: {games:,} games,"
        f" {positions:,} positions, {step:,} steps; {taken} of {len(gates)} candidates taken.</p>"
    )


def _strength(rows: Sequence[Row], ladder: Sequence[Row], matches: Sequence[Row]) -> str:
    rated = [
        Point(row["seconds"] / 60, row["elo"], row.get("error", 0.0))
        for row in ladder
        if isinstance(row.get("seconds"), int | float) and isinstance(row.get("elo"), int | float)
    ]
    fixed: dict[str, list[Point]] = {}
    for row in matches:
        if isinstance(row.get("elo"), int | float) and isinstance(row.get("seconds"), int | float):
            line = fixed.setdefault(_opponent(row), [])
            line.append(Point(row["seconds"] / 60, row["elo"], row.get("error", 0.0)))
    gates = [row for row in _of(rows, "gate") if "share" in row]
    taken = _points([row for row in gates if row["accepted"]], lambda row: row["share"])
    refused = _points([row for row in gates if not row["accepted"]], lambda row: row["share"])
    chain, total = [], 0.0
    for row in gates:
        if row["accepted"] and isinstance(row.get("elo"), int | float):
            total += row["elo"]
            chain.append(Point(row["seconds"] / 60, total))
    return (
        chart("Elo over the first generation: quick matches among generations", {"elo": rated})
        + chart("Elo against fixed opponents", fixed)
        + chart("Elo gained at the gate, added up", {"sum": thinned(chain)})
        + chart("share of the points at the gate", {"taken": taken, "refused": refused})
    )


def _opponent(row: Row) -> str:
    """Who a generation has played, and how long both could think."""
    limit = row.get("limit")
    return str(row.get("against", "")) + (f", {limit}" if limit else "")


def _learning(rows: Sequence[Row]) -> str:
    learned = _of(rows, "learn")

    def line(name: str) -> list[Point]:
        return thinned(_points(learned, lambda row: row.get(name)))

    return (
        chart("value: cross-entropy, nats", {"value": line("value")})
        + chart("policy: cross-entropy, nats", {"policy": line("policy")})
        + chart("policy: best move found", {"top1": line("policy_top1")})
        + chart("win rate: squared error", {"win mse": line("win_mse")})
        + chart("learning rate", {"rate": line("rate")})
        + chart("positions of the window", {"window": line("window")})
        + chart("samples learned from, a second", {"samples": line("samples_per_second")})
        + chart("positions played, a second", {"positions": line("positions_per_second")})
    )


def _games(rows: Sequence[Row]) -> str:
    """Tasks are put together in groups: one alone has few games."""
    played = _of(rows, "play")
    groups = [played[n : n + _GROUP] for n in range(0, len(played), _GROUP)]
    lines: dict[str, list[Point]] = {name: [] for name in ("black", "white", "drawn", "length")}
    for group in groups:
        counts = {name: sum(row[name] for row in group) for name in ("black", "white", "drawn")}
        games = sum(counts.values()) or 1
        minute = group[-1]["seconds"] / 60
        for name, number in counts.items():
            lines[name].append(Point(minute, number / games))
        lines["length"].append(Point(minute, sum(row["moves"] for row in group) / games))
    total = thinned(_points(played, lambda row: row.get("all_games")))
    shares = {name: thinned(lines[name]) for name in ("black", "white", "drawn")}
    return (
        chart("games so far", {"games": total})
        + chart("moves of a game", {"moves": thinned(lines["length"])})
        + chart("results, shares of the games", shares)
    )


def _gates(rows: Sequence[Row]) -> str:
    gates = _of(rows, "gate")[-20:]
    if not gates:
        return ""
    head = "".join(f"<th>{n}</th>" for n in ("minute", "step", "against", "points", "elo", ""))
    body = ""
    for row in gates:
        cells = (
            f"{row['seconds'] / 60:.1f}",
            f"{row['step']:,}",
            f"{row['against']}",
            f"{row['share']:.1%}" if "share" in row else "",
            f"{row['elo']:+.0f}" if "elo" in row else "",
            f"generation {row['generation']}" if row["accepted"] else "not taken",
        )
        body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    table = f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>\n'
    return f"<h2>The last matches of the gate</h2>\n{table}"


def _match_table(matches: Sequence[Row]) -> str:
    if not matches:
        return ""
    head = "".join(f"<th>{n}</th>" for n in ("generation", "against", "games", "points", "elo"))
    body = ""
    for row in matches:
        told = row.get("elo"), row.get("error")
        numbers = all(isinstance(number, int | float) for number in told)
        elo = "{:+.0f} ± {:.0f}".format(*told) if numbers else ""
        cells = (
            row.get("generation"),
            _opponent(row),
            row.get("games"),
            row.get("points"),
            elo,
        )
        body += "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>"
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>\n'


def _shipped(rows: Sequence[Row]) -> str:
    """What came of the shippings."""
    if not rows:
        return ""
    head = "".join(f"<th>{n}</th>" for n in ("generation", "net", "samples", "ships", ""))
    body = ""
    for row in rows:
        ships = "yes" if row.get("ships") is True else "no"
        cells = (row.get("generation"), row.get("net"), row.get("samples"), ships, row["words"])
        body += "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>"
    table = f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>\n'
    return f"<h2>Nets that were made of it</h2>\n{table}"


def _rejected(rows: Sequence[Row]) -> str:
    found = _of(rows, "rejected")[-20:]
    if not found:
        return ""
    lines = "".join(
        f"<li>minute {row['seconds'] / 60:.1f}, {html.escape(str(row.get('worker')))}:"
        f" {html.escape(str(row.get('words'))[:300])}</li>"
        for row in found
    )
    return f"<h2>Results that were rejected</h2>\n<ul>{lines}</ul>\n"
