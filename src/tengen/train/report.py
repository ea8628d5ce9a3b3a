# SPDX-License-Identifier: MIT
"""`report.html` of a run: one file that needs no other, with curves as inline SVG, the last
validation as a table, and the config. Relies on the run's folder; the loop relies on it.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tengen.game import records
from tengen.nets import spec_of
from tengen.train.errors import writing
from tengen.train.folder import RunFolder, read_rows

__all__ = ["report_html", "write_report"]

Row = Mapping[str, Any]
Points = list[tuple[float, float]]

_STYLE = """\
:root{color-scheme:light dark;--ink:#1d2430;--faint:#667085;--paper:#fff;--card:#f5f6f8;\
--train:#8a94a6;--raw:#c77700;--average:#1c64b4;--quantised:#1a8a4a}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--faint:#98a2b3;--paper:#14171c;\
--card:#1e232b;--train:#7d889b;--raw:#ffb454;--average:#6cb0ff;--quantised:#5fd08c}}
body{margin:2rem auto;max-width:72rem;padding:0 1rem;color:var(--ink);background:var(--paper);\
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}.faint{color:var(--faint)}
.charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(21rem,1fr))}
figure{margin:0;padding:.6rem;background:var(--card);border-radius:.5rem}
svg{width:100%;height:auto;display:block}svg text{fill:var(--faint);font-size:10px}
svg .end{text-anchor:end}path{fill:none;stroke-width:1.5}
path.train{stroke:var(--train)}path.raw{stroke:var(--raw)}path.average{stroke:var(--average)}\
path.quantised{stroke:var(--quantised)}
b.train{color:var(--train)}b.raw{color:var(--raw)}b.average{color:var(--average)}\
b.quantised{color:var(--quantised)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem;text-align:right}th:first-child,td:first-child{text-align:left}
pre{padding:.8rem;background:var(--card);border-radius:.5rem;overflow-x:auto}
"""
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 340.0, 190.0, 44.0, 10.0, 10.0, 22.0
_MOST_POINTS = 400  # of a line: more cannot be seen
# Charts: (key of the rows, title).
_CHARTS = (
    ("value", "value: cross-entropy, nats"),
    ("policy", "policy: cross-entropy, nats"),
    ("policy_top1", "policy: best move found"),
    ("value_accuracy", "value: right outcome most likely"),
    ("win_mse", "win rate: squared error"),
    ("rate", "learning rate"),
    ("samples_per_second", "samples a second"),
)
_LINES = ("train", "raw", "average", "quantised")
_EXPLAINED = (
    '<p class="faint"><b class="train">training</b> (mean since the line before),'
    ' <b class="raw">validation</b> of the weights as they are, and of the'
    ' <b class="average">average</b>; <b class="quantised">quantised</b>: of that as integers.</p>'
)


def write_report(folder: RunFolder) -> None:
    """Write `report.html` from what the run has written so far. Raises OSError."""
    page = report_html(folder.config.to_dict(), read_rows(folder.metrics))
    with writing(folder.report):
        records.write_text(page, folder.report)


def report_html(config: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """The page."""
    net = config["net"]
    name = html.escape(net if isinstance(net, str) else spec_of(net).name)
    last = max((row["step"] for row in rows), default=0)
    drawn = "".join(_figure(title, _series(rows, key)) for key, title in _CHARTS)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Training: {name}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>Training of {name}</h1>\n<p>{last:,} steps of {int(config['batch']):,} samples.</p>\n"
        f"{_table(rows)}<h2>The way there</h2>\n{_EXPLAINED}\n"
        f'<div class="charts">{drawn}</div>\n'
        f"<h2>Config</h2>\n<pre>{html.escape(json.dumps(config, indent=1))}</pre>\n</body></html>\n"
    )


def _series(rows: Sequence[Row], key: str) -> dict[str, Points]:
    """The points (step, value) of each line of a chart."""
    lines: dict[str, Points] = {name: [] for name in _LINES}
    for row in rows:
        value = row.get(key)
        line = row.get("weights", "train") if row.get("event") == "validate" else "train"
        if row.get("event") not in ("train", "validate") or line not in lines:
            continue
        if isinstance(value, int | float) and math.isfinite(value):
            lines[line].append((float(row["step"]), float(value)))
    return {name: _thinned(points) for name, points in lines.items() if points}


def _thinned(points: Points) -> Points:
    """Means of neighbours, so that a long run is still a small page."""
    group = -(-len(points) // _MOST_POINTS)
    parts = [points[start : start + group] for start in range(0, len(points), group)]
    return [(part[-1][0], sum(y for _, y in part) / len(part)) for part in parts]


def _figure(title: str, lines: Mapping[str, Points]) -> str:
    if not lines:
        return ""
    return f"<figure><figcaption>{html.escape(title)}</figcaption>{_svg(title, lines)}</figure>"


def _svg(title: str, lines: Mapping[str, Points]) -> str:
    every = [point for points in lines.values() for point in points]
    right = max(x for x, _ in every) or 1.0
    low, high = min(y for _, y in every), _top(lines)
    if high - low < 1e-12:
        low, high = low - abs(low) * 0.1 - 1e-9, high + abs(high) * 0.1 + 1e-9

    def place(x: float, y: float) -> str:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / right
        down = _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - min(y, high)) / (high - low)
        return f"{across:.1f} {down:.1f}"

    paths = "".join(
        f'<path class="{name}" d="M{" L".join(place(x, y) for x, y in points)}"/>'
        for name, points in lines.items()
    )
    base = _HEIGHT - _BOTTOM
    words = (
        f'<text class="end" x="{_LEFT - 5}" y="{_TOP + 8}">{high:.4g}</text>'
        f'<text class="end" x="{_LEFT - 5}" y="{base}">{low:.4g}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">0</text>'
        f'<text class="end" x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 6}">step {right:,.0f}</text>'
    )
    label = html.escape(title, quote=True)
    box = f"0 0 {_WIDTH:g} {_HEIGHT:g}"
    return f'<svg viewBox="{box}" role="img" aria-label="{label}">{paths}{words}</svg>'


def _top(lines: Mapping[str, Points]) -> float:
    """The upper end of a chart. The first points of a loss are far above all that matters: of a
    long line they may be cut off.
    """
    tops = []
    for points in lines.values():
        values = sorted(y for _, y in points)
        tops.append(values[int(0.98 * (len(values) - 1))])
    return max(tops)


def _table(rows: Sequence[Row]) -> str:
    """The last validation of each kind of weights, and the last training row."""
    last: dict[str, Row] = {}
    for row in rows:
        if row.get("event") in ("train", "validate"):
            last[str(row.get("weights", "train"))] = row
    if not last:
        return ""
    names = [key for key, _ in _CHARTS[:-2]] + ["policy_top5", "policy_top10"]
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ("", "step", *names))
    body = ""
    for kind in _LINES:
        if kind in last:
            row = last[kind]
            cells = "".join(f"<td>{_number(row.get(name))}</td>" for name in names)
            body += f"<tr><td>{kind}</td><td>{row['step']:,}</td>{cells}</tr>"
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>\n'


def _number(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, int | float) else ""
