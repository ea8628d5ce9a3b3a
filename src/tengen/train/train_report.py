# SPDX-License-Identifier: MIT
"""`report.html` of a training run: charts, the last validation as a table, and the config."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tengen.nets import spec_of
from tengen.train.errors import RESUME
from tengen.train.game_metrics import UNSEEN
from tengen.train.train_folder import TrainFolder, read_metrics
from tengen.util.charts import Line, figure, line_chart, thin
from tengen.util.files import explain_write_errors, write_text
from tengen.util.html import charts, page, preformatted, section, table

Row = Mapping[str, Any]
# (key of the rows, title)
_CHARTS = (
    ("value", "value: cross-entropy, nats"),
    ("policy", "policy: cross-entropy, nats"),
    ("policy_top1", "policy: accuracy of the best move"),
    ("value_accuracy", "value: accuracy of the likeliest outcome"),
    ("win_mse", "win rate: squared error"),
    ("rate", "learning rate"),
    ("samples_per_second", "samples per second"),
)
_TABLE = (*(key for key, _ in _CHARTS[:-2]), "policy_top5", "policy_top10")
_KINDS = {
    "raw": "validation",
    "average": "validation, averaged weights",
    "quantised": "validation, integers",
}
_LINES = {
    "train": "training (mean since the row before)",
    **_KINDS,
    **{f"{kind}{UNSEEN}": f"{line}, unseen positions" for kind, line in _KINDS.items()},
}


def write_report(folder: TrainFolder) -> None:
    """Write `report.html` from the event log. Raises OSError."""
    text = report_html(folder.config.to_dict(), read_metrics(folder.metrics))
    with explain_write_errors(folder.report, RESUME):
        write_text(text, folder.report)


def report_html(config: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """The page."""
    net = config["net"]
    name = net if isinstance(net, str) else spec_of(net).name
    steps = max((row["step"] for row in rows), default=0)
    figures = [_figure(title, _series(rows, key)) for key, title in _CHARTS]
    return page(
        f"Training of {name}",
        section("Result", _result(rows)),
        section("Metrics", charts(*figures)),
        section("Config", preformatted(json.dumps(config, indent=1))),
        lead=f"<p>{steps:,} steps of {int(config['batch']):,} samples.</p>",
    )


def _line_of(row: Row) -> str:
    """The line of a chart that a row belongs to; empty: none."""
    if row.get("event") not in ("train", "validate"):
        return ""
    name = row.get("weights", "train") if row["event"] == "validate" else "train"
    return name if name in _LINES else ""


def _series(rows: Sequence[Row], key: str) -> dict[str, list[tuple[float, float]]]:
    """The points (step, value) of each line of a chart."""
    lines: dict[str, list[tuple[float, float]]] = {name: [] for name in _LINES}
    for row in rows:
        value, name = row.get(key), _line_of(row)
        if name and isinstance(value, int | float) and math.isfinite(value):
            lines[name].append((float(row["step"]), float(value)))
    return {name: thin(points) for name, points in lines.items() if points}


def _figure(title: str, lines: Mapping[str, list[tuple[float, float]]]) -> str:
    if not lines:
        return ""
    # The first values of a loss are far above the rest: the top 2% of a long line are cut off.
    sorted_values = [sorted(y for _, y in points) for points in lines.values()]
    top = max(values[int(0.98 * (len(values) - 1))] for values in sorted_values)
    low = min(values[0] for values in sorted_values)
    styles = {name: f"c{number}" for number, name in enumerate(_LINES)}
    drawn = [Line(points, styles[name], _LINES[name]) for name, points in lines.items()]
    svg = line_chart(drawn, y=(low, top), label=title, axes=("step", ""))
    return figure(svg, title, [(line.style, line.name) for line in drawn])


def _result(rows: Sequence[Row]) -> str:
    """The last validation of each kind of weights, and the last training row."""
    last = {_line_of(row): row for row in rows if _line_of(row)}
    if not last:
        return ""
    heads = ("", "step", "positions", *(name.replace("_", " ") for name in _TABLE))
    shown = [(name, last[name]) for name in _LINES if name in last]
    body = [
        (name, row["step"], row.get("positions", ""), *(_number(row.get(key)) for key in _TABLE))
        for name, row in shown
    ]
    return table(heads, body)


def _number(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, int | float) else ""
