# SPDX-License-Identifier: MIT
"""The result of a match and its progress: tiles, pairs by points, the Elo interval, the SPRT, and
running Elo, LLR and scores. Pairs are in the order of the schedule, as the SPRT counts them: in
the order of their ends the short games would come first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tengen.arena.elo import Elo, elo_of_pairs
from tengen.arena.game import MatchGame
from tengen.arena.report.format import DASH, PAIR_POINTS, elo_text, number, percent, signed
from tengen.arena.report.tables import rating_order
from tengen.arena.sprt import Sprt
from tengen.arena.standings import SprtState, Standings, pair_scores
from tengen.util.charts import Line, figure, line_chart, linear, px, stacked
from tengen.util.html import escape
from tengen.util.text import plural

_WIDTH = 480.0


def match_figures(standings: Standings) -> str:
    """All of a match between two, seen by the first player. HTML."""
    met = standings.encounters[0]
    first, second = (player.name for player in standings.definition.players)
    games = [
        (float(met.wins), "won", f"{first} won {met.wins:,}"),
        (float(met.draws), "drawn", f"{met.draws:,} drawn"),
        (float(met.losses), "lost", f"{second} won {met.losses:,}"),
    ]
    pairs = [
        (float(n), f"pair{i}", f"{plural(n, 'pair')} with {points} points for {first}")
        for i, (n, points) in enumerate(zip(met.pairs, PAIR_POINTS, strict=True))
    ]
    blocks = [
        _tiles(standings),
        _block("Games", stacked(games, "Games won, drawn and lost"), games),
        _block(f"Pairs by points of {first}", stacked(pairs, "Pairs by points"), _keys(met.pairs)),
    ]
    strips = [_block("Difference in Elo, with its interval of 95%", _interval(met.elo), [])]
    if (state := standings.sprt) is not None:
        strips.append(_block("Sequential test", _llr_bar(state), []))
    return f'{"".join(blocks)}<div class="charts">{"".join(strips)}</div>'


def _keys(pairs: list[int]) -> list[tuple[float, str, str]]:
    total = sum(pairs) or 1
    return [
        (float(n), f"pair{i}", f"{points}: {n:,} ({percent(n / total, 0)})")
        for i, (n, points) in enumerate(zip(pairs, PAIR_POINTS, strict=True))
    ]


def _block(title: str, svg: str, legend: list[tuple[float, str, str]]) -> str:
    keys = "".join(
        f'<li><span class="key {style}"></span>{escape(text)}</li>' for _, style, text in legend
    )
    listed = f'<ul class="legend">{keys}</ul>' if keys else ""
    return f'<div class="figure"><h3>{escape(title)}</h3>{svg}{listed}</div>'


def _tiles(standings: Standings) -> str:
    met = standings.encounters[0]
    known = sum(met.pairs) > 0
    interval = f"95%: {signed(met.elo.low)} to {signed(met.elo.high)}"
    score = percent(met.share) if met.games else DASH
    tiles = [
        ("Elo", _short(met.elo) if known else DASH, interval if known else ""),
        ("Score", score, f"{number(met.points)} of {met.games:,} points"),
        ("LOS", percent(met.elo.los) if known else DASH, "likelihood of being better"),
        ("Pairs", f"{sum(met.pairs):,}", f"of {standings.definition.pairs:,}"),
    ]
    if (state := standings.sprt) is not None:
        decided = f"{state.decision} accepted" if state.decision else "not decided"
        tiles.append(("LLR", signed(state.llr, 2), decided))
    listed = "".join(
        f"<div><dt>{name}</dt><dd><b>{escape(value)}</b><small>{escape(text)}</small></dd></div>"
        for name, value, text in tiles
    )
    return f'<dl class="tiles">{listed}</dl>'


def _short(elo: Elo) -> str:
    if not math.isinf(elo.elo):
        return signed(elo.elo)
    return f"> {signed(elo.low, 0)}" if elo.elo > 0 else f"< {signed(elo.high, 0)}"


def _interval(elo: Elo) -> str:
    """The difference as a dot with whiskers on a scale that has 0 on it."""
    ends = [end for end in (elo.low, elo.elo, elo.high) if math.isfinite(end)]
    low, high = min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)
    room = max(5.0, 0.1 * (high - low))
    scale = linear(low - room, high + room, 8.0, _WIDTH - 8)
    ticks = "".join(
        f'<line class="{"zero" if t == 0 else "grid"}" x1="{px(scale.at(t))}"'
        f' x2="{px(scale.at(t))}" y1="4" y2="34"/>'
        f'<text x="{px(scale.at(t))}" y="50" text-anchor="middle">{signed(t, 0)}</text>'
        for t in scale.ticks(6)
    )
    left, right = (px(scale.at(end)) for end in (elo.low, elo.high))
    dot = f'<circle class="rated" cx="{px(scale.at(elo.elo))}" cy="19" r="6"/>'
    drawn = f'<path class="whisker" d="M{left} 19H{right}M{left} 11V27M{right} 11V27"/>{dot}'
    text = escape(f"Elo {elo_text(elo)}")
    known = math.isfinite(elo.low) or math.isfinite(elo.high)
    return (
        f'<svg class="strip" viewBox="0 0 {px(_WIDTH)} 56" role="img" aria-label="{text}">'
        f"<title>{text}</title>{ticks}{drawn if known else ''}</svg>"
    )


def _llr_bar(state: SprtState) -> str:
    """The LLR between its bounds."""
    scale = linear(state.lower, state.upper, 60.0, _WIDTH - 60)
    zero, at = scale.at(0.0), scale.at(state.llr)
    style = {"H0": "lost", "H1": "won"}.get(state.decision or "", "open")
    lower, upper = signed(state.lower, 2), signed(state.upper, 2)
    text = escape(
        f"LLR {signed(state.llr, 2)} between {lower} and {upper}:"
        f" {f'{state.decision} accepted' if state.decision else 'not decided'}"
    )
    return (
        f'<svg class="strip" viewBox="0 0 {px(_WIDTH)} 56" role="img" aria-label="{text}">'
        f"<title>{text}</title>"
        f'<rect class="track" x="60" y="8" width="{px(_WIDTH - 120)}" height="22" rx="4"/>'
        f'<rect class="{style}" x="{px(min(zero, at))}" y="8" width="{px(abs(at - zero))}"'
        f' height="22"/><line class="zero" x1="{px(zero)}" x2="{px(zero)}" y1="4" y2="34"/>'
        f'<text x="54" y="23" text-anchor="end">H0</text>'
        f'<text x="{px(_WIDTH - 54)}" y="23">H1</text>'
        f'<text x="60" y="48" text-anchor="middle">{lower}</text>'
        f'<text x="{px(_WIDTH - 60)}" y="48" text-anchor="middle">{upper}</text>'
        f'<text class="strong" x="{px(min(max(at, 130), _WIDTH - 130))}" y="48"'
        f' text-anchor="middle">LLR {signed(state.llr, 2)}</text></svg>'
    )


MAX_LINES = 8  # players in one chart: as many as there are colours
_SAMPLES = 160  # points of a line
_MIN_PAIRS = 4  # before, the band is too wide to be drawn


def progress_charts(standings: Standings) -> str:
    """The charts; nothing before there are two points to join."""
    if standings.definition.kind != "match":
        return _tournament(standings)
    games = sorted(standings.games, key=lambda game: game.pair)
    counts = running_counts(games)
    if not counts:
        return ""
    charts = [_elo_chart(counts, standings.definition.players[0].name)]
    if (sprt := standings.definition.sprt) is not None and (state := standings.sprt) is not None:
        seen = running_counts(game for game in games if game.pair < state.pairs)
        charts.append(_llr_chart(seen, sprt))
    return "".join(charts)


def running_counts(games: Iterable[MatchGame]) -> list[list[int]]:
    """Pairs by points of the first player after 1, 2, 3... whole pairs of a match, at most
    `_SAMPLES` of them: evenly spread, and the last.
    """
    twice = [points for _, _, points in pair_scores(games)]
    wanted = set(_spread(len(twice)))
    counts, found = [0] * 5, []
    for n, points in enumerate(twice, 1):
        counts[points] += 1
        if n in wanted:
            found.append(counts.copy())
    return found


def running_shares(
    games: Iterable[MatchGame], players: Iterable[int]
) -> list[list[tuple[int, float]]]:
    """(games finished by all, share of the points) after each game of a player, thinned."""
    wanted = {player: index for index, player in enumerate(players)}
    shares: list[list[tuple[int, float]]] = [[] for _ in wanted]
    played, points = [0] * len(wanted), [0.0] * len(wanted)
    for n, game in enumerate(games, 1):
        for player in (game.black, game.white):
            if (index := wanted.get(player)) is not None:
                played[index] += 1
                points[index] += game.points(player)
                shares[index].append((n, points[index] / played[index]))
    return [[line[n - 1] for n in _spread(len(line))] for line in shares]


def _spread(number: int) -> list[int]:
    """At most `_SAMPLES` of 1..number, the last among them."""
    if number <= _SAMPLES:
        return list(range(1, number + 1))
    return sorted({math.ceil(number * n / _SAMPLES) for n in range(1, _SAMPLES + 1)})


def _elo_chart(counts: Sequence[Sequence[int]], name: str) -> str:
    elos = [(float(sum(c)), elo_of_pairs(c)) for c in counts]
    drawn = [(n, e) for n, e in elos if math.isfinite(e.low + e.high) and n >= _MIN_PAIRS] or [
        (n, e) for n, e in elos if math.isfinite(e.elo)
    ]
    line = Line(
        [(n, e.elo) for n, e in drawn],
        "c0",
        band=[(n, e.low, e.high) for n, e in drawn if math.isfinite(e.low + e.high)],
    )
    last = elos[-1][0]
    chart = line_chart(
        [line] if drawn else [],
        (0.0 if last > 1 else 0.5, last if last > 1 else 1.5),
        _elo_range([e for _, e in drawn]),
        label=f"Elo of {name} after each pair, with its interval of 95%",
        axes=("whole pairs", "Elo"),
        y_text=lambda value: signed(value, 0),
        levels=[(0.0, "zero", "")],
        hover=[(n, f"{plural(round(n), 'pair')}: {elo_text(e)}") for n, e in drawn],
    )
    return figure(chart, f"Elo of {name} with its interval of 95%")


def _elo_range(elos: Sequence[Elo]) -> tuple[float, float]:
    """What the later half needs, and 0: the wide band of the first pairs may be cut off."""
    late = elos[len(elos) // 3 :]
    ends = [end for elo in late for end in elo[:3] if math.isfinite(end)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = max(5.0, 0.08 * (high - low))
    return low - room, high + room


def _llr_chart(counts: Sequence[Sequence[int]], sprt: Sprt) -> str:
    points = [(0.0, 0.0), *((float(sum(c)), sprt.llr(c)) for c in counts)]
    values = [llr for _, llr in points]
    room = 0.12 * (sprt.upper - sprt.lower)
    chart = line_chart(
        [Line(points, "c1")],
        (0.0, points[-1][0] or 1.0),
        (min(sprt.lower, *values) - room, max(sprt.upper, *values) + room),
        label="Log-likelihood ratio of the sequential test after each pair",
        axes=("whole pairs", "LLR"),
        y_text=lambda value: signed(value, 1),
        levels=[
            (sprt.upper, "won", f"H1 at {signed(sprt.upper, 2)}"),
            (sprt.lower, "lost", f"H0 at {signed(sprt.lower, 2)}"),
            (0.0, "zero", ""),
        ],
        hover=[(n, f"{plural(round(n), 'pair')}: LLR {signed(llr, 2)}") for n, llr in points],
    )
    return figure(chart, "LLR of the sequential test between its bounds")


def _tournament(standings: Standings) -> str:
    order = rating_order(standings)[:MAX_LINES]
    shares = running_shares(standings.games, order)
    names = [standings.definition.players[player].name for player in order]
    lines = [
        Line([(float(n), share) for n, share in points], f"c{n}", name)
        for n, (points, name) in enumerate(zip(shares, names, strict=True))
        if points
    ]
    if not lines:
        return ""
    late = [s for points in shares for _, s in points[len(points) // 5 :]]
    last = float(len(standings.games))
    chart = line_chart(
        lines,
        (0.0 if last > 1 else 0.5, last if last > 1 else 1.5),
        (max(0.0, min(0.45, *late) - 0.03), min(1.0, max(0.55, *late) + 0.03)),
        label="Share of the points of each player after each game",
        axes=("games finished", "score"),
        y_text=lambda value: percent(value, 0),
        levels=[(0.5, "zero", "")],
        hover=_share_hover(lines),
    )
    first = len(standings.players) > MAX_LINES
    text = "Running score" + (f" of the first {MAX_LINES}" if first else " of each player")
    return figure(chart, text, [(line.style, line.name) for line in lines])


def _share_hover(lines: Sequence[Line]) -> list[tuple[float, str]]:
    """The scores of all lines at the games where the longest has a point."""
    longest = max(lines, key=lambda line: len(line.points))
    indices = [0] * len(lines)
    found = []
    for x, _ in longest.points:
        parts = []
        for k, line in enumerate(lines):
            while indices[k] + 1 < len(line.points) and line.points[indices[k] + 1][0] <= x:
                indices[k] += 1
            if line.points[indices[k]][0] <= x:
                parts.append(f"{line.name}: {percent(line.points[indices[k]][1])}")
        found.append((x, "\n".join([f"after {plural(round(x), 'game')}", *parts])))
    return found
