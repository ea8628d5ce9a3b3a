# SPDX-License-Identifier: MIT
"""Sections of the report about games: balance of the openings, endings, faults, move times."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tengen.arena.definition import Definition
from tengen.arena.elo import elo_of_games
from tengen.arena.game import FAULTS, REASONS, MatchGame
from tengen.arena.report.format import DASH, elo_text, percent, seconds
from tengen.arena.standings import Standings, Timing, reports_by_player
from tengen.util.charts import Bar, Scale, bar_chart, bar_scale, figure
from tengen.util.html import cell, escape, row_head, table
from tengen.util.text import plural


def distinct(
    definition: Definition, openings: Sequence[Sequence[str]], games: Iterable[MatchGame]
) -> tuple[list[tuple[str, ...]], list[MatchGame]]:
    """The openings without repetitions, and the games with the new indices; -1: an opening that the
    players made themselves.
    """
    numbers: dict[tuple[str, ...], int] = {}
    if definition.openings != "swap2":
        for moves in openings:
            numbers.setdefault(tuple(moves), len(numbers))
    new = [numbers.get(tuple(moves), -1) for moves in openings]
    moved = [
        replace(game, opening=new[game.opening] if 0 <= game.opening < len(new) else -1)
        for game in games
    ]
    return list(numbers), moved


def balance_text(standings: Standings) -> str:
    """The score of the first player, in a sentence. HTML."""
    total = standings.first_mover
    if not total.games:
        return ""
    results = (total.wins, total.draws, total.losses)
    won, drawn, lost = (percent(number / total.games, 0) for number in results)
    text = (
        f"The first player scored {percent(total.share)} of {plural(total.games, 'game')}"
        f" ({won} won, {drawn} drawn, {lost} lost): {elo_text(elo_of_games(*results))} Elo."
    )
    several = [opening for opening in standings.openings.values() if opening.games > 1]
    if several:
        decided = sum(opening.points in (0, opening.games) for opening in several)
        part = percent(decided / len(several), 0)
        text += (
            f" In {decided:,} of {len(several):,} openings ({part}) the same colour won every game."
        )
    return f"<p>{escape(text)}</p>"


def histogram(standings: Standings) -> str:
    """Openings by the score of the first player; empty if there are none."""
    openings = standings.openings.values()
    if not openings:
        return ""
    steps = 4 if max(opening.games for opening in openings) <= 4 else 10
    counts = Counter(round(opening.share * steps) for opening in openings)
    half = 0.5 / steps
    bars = [
        Bar(
            n / steps - half,
            n / steps + half,
            float(counts[n]),
            "even" if 2 * n == steps else "uneven",
            f"{plural(counts[n], 'opening')} with about {percent(n / steps, 0)}",
        )
        for n in range(steps + 1)
    ]
    chart = bar_chart(
        bars,
        bar_scale(-half, 1 + half),
        [(n / steps, percent(n / steps, 0)) for n in range(steps + 1)],
        label="Openings by the score of the first player",
        axes=("score of the first player", "openings"),
    )
    return figure(chart, "Openings by the score of the first player")


_MAX_FAULTS = 200  # listed one by one
_BINS = 36
_TIMING_HEADS = (
    ("Player", ""),
    ("Moves", "After the opening"),
    ("Median", ""),
    ("99%", "99% of the moves took no longer"),
    ("99.9%", "99.9% of the moves took no longer"),
    ("Worst", ""),
    ("Beyond the limit", "Moves that took longer than a move may; some delay is tolerated"),
    ("Depth", "Mean of the reported depths"),
    ("Nodes/s", "Over moves that report nodes"),
)
_MIN_SECONDS = 1e-5  # start of the logarithmic scale


def endings_table(standings: Standings) -> str:
    """Games by how they ended."""
    total = len(standings.games)
    rows = []
    for reason, times in standings.endings.items():
        style = "lost" if reason in FAULTS else "c0"
        width = max(1.0, 200 * times / total)
        bar = (
            f'<svg class="bar" viewBox="0 0 200 14" aria-hidden="true">'
            f'<rect class="{style}" width="{width:.1f}" height="14" rx="2"/></svg>'
        )
        share = cell(percent(times / total), "number")
        rows.append((row_head(REASONS[reason]), times, share, cell(bar, "bars")))
    heads = [(name, "") for name in ("How", "Games", "Share", "")]
    return table(heads, rows, "Games by how they ended", "plain")


def faults_table(standings: Standings) -> str:
    """The games that ended by an error of a player, with details."""
    players = standings.definition.players
    games = [game for game in standings.games if game.at_fault is not None]
    if not games:
        return "<p>No game was lost by a fault.</p>"
    rows = []
    for game in games[:_MAX_FAULTS]:
        assert game.at_fault is not None
        link = cell(f'<a href="#game-{game.number + 1}">{game.number + 1}</a>', "number")
        player, detail = players[game.at_fault], cell(escape(game.detail) or DASH, "text")
        reason = REASONS[game.reason]
        rows.append((link, row_head(player.name), reason, detail, len(game.moves)))
    heads = [(name, "") for name in ("Game", "Player", "Fault", "Details", "After moves")]
    more = len(games) - _MAX_FAULTS
    rest = f"<p>And {more:,} more: choose them by reason in the list of games.</p>"
    return table(heads, rows, "Faults", "plain") + (rest if more > 0 else "")


def timing_table(standings: Standings) -> str:
    """The figures of every player's moves."""
    rows = []
    for player, timing in zip(standings.definition.players, standings.timings, strict=True):
        values = _figures(timing) if timing.moves else ["0", *[DASH] * 7]
        rows.append([row_head(player.name), *(cell(v, "number") for v in values)])
    return table(_TIMING_HEADS, rows, "Times of the moves", "timing")


def _figures(timing: Timing) -> list[str]:
    beyond = DASH
    if timing.limit is not None:
        late = f"{timing.late:,} ({percent(timing.late / timing.moves, 1)})"
        beyond = f"{late}, at most {seconds(timing.overshoot)}" if timing.late else "never"
    return [
        f"{timing.moves:,}",
        *(seconds(s) for s in (timing.median, timing.p99, timing.p999, timing.worst)),
        beyond,
        DASH if timing.depth is None else f"{timing.depth:.1f}",
        DASH if timing.speed is None else f"{timing.speed:,.0f}",
    ]


def time_histograms(standings: Standings, limit: int) -> str:
    """A chart for each of the first `limit` players, all on one scale."""
    reports = reports_by_player(standings.games, len(standings.players))
    spent = [[report.seconds for report in moves] for moves in reports]
    every = [s for times in spent for s in times]
    if not every:
        return ""
    low, high = max(min(every), _MIN_SECONDS), max(*every, _MIN_SECONDS)
    limits = [timing.limit for timing in standings.timings]
    high = max([high, *filter(None, limits)])
    across = bar_scale(low / 1.1, high * 1.1, logs=True)
    charts = []
    for n, player in enumerate(standings.definition.players[:limit]):
        if spent[n]:
            caption = f"Times of the moves of {player.name}"
            chart = _histogram(spent[n], across, f"c{n % 8}", caption, limits[n])
            charts.append(figure(chart, caption))
    return "".join(charts)


def _histogram(
    times: Sequence[float], across: Scale, style: str, label: str, limit: float | None
) -> str:
    """Bins of equal width on the logarithmic scale."""
    ratio = across.high / across.low
    edges = [across.low * ratio ** (n / _BINS) for n in range(_BINS + 1)]
    counts = [0] * _BINS
    for value in times:
        counts[min(max(bisect_right(edges, value) - 1, 0), _BINS - 1)] += 1
    bars = [
        Bar(
            edges[n],
            edges[n + 1],
            number / len(times),
            style,
            f"{seconds(edges[n])} to {seconds(edges[n + 1])}: {number:,} moves",
        )
        for n, number in enumerate(counts)
    ]
    return bar_chart(
        bars,
        across,
        [(t, seconds(t)) for t in across.ticks(6)],
        label=label,
        axes=("time of a move", "share of the moves"),
        shares=True,
        marks=[] if limit is None else [(limit, "lost", "limit")],
    )
