# SPDX-License-Identifier: MIT
"""The figures of a match: results, pairs by their points, Elo with its interval, and how far the
sequential test has come. Relies on standings and charts; `page` relies on it.
"""

from __future__ import annotations

import math

from tengen.arena.elo import Elo
from tengen.arena.report.format import DASH, elo_words, number, percent, signed
from tengen.arena.standings import SprtState, Standings
from tengen.util.charts import linear, px, stacked
from tengen.util.html import escape
from tengen.util.text import count

__all__ = ["match_figures"]

_POINTS = ("0", "½", "1", "1½", "2")
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
        (float(n), f"pair{i}", f"{count(n, 'pair')} with {points} points for {first}")
        for i, (n, points) in enumerate(zip(met.pairs, _POINTS, strict=True))
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
        for i, (n, points) in enumerate(zip(pairs, _POINTS, strict=True))
    ]


def _block(title: str, svg: str, legend: list[tuple[float, str, str]]) -> str:
    keys = "".join(
        f'<li><span class="key {style}"></span>{escape(words)}</li>' for _, style, words in legend
    )
    listed = f'<ul class="legend">{keys}</ul>' if keys else ""
    return f'<div class="figure"><h3>{escape(title)}</h3>{svg}{listed}</div>'


def _tiles(standings: Standings) -> str:
    met = standings.encounters[0]
    known = sum(met.pairs) > 0
    tiles = [
        ("Elo", _short(met.elo) if known else DASH, _interval_words(met.elo) if known else ""),
        (
            "Score",
            percent(met.points / met.games) if met.games else DASH,
            f"{number(met.points)} of {met.games:,} points",
        ),
        ("LOS", percent(met.elo.los) if known else DASH, "likelihood of being better"),
        ("Pairs", f"{sum(met.pairs):,}", f"of {standings.definition.pairs:,}"),
    ]
    if (state := standings.sprt) is not None:
        decided = f"{state.decision} accepted" if state.decision else "not decided"
        tiles.append(("LLR", signed(state.llr, 2), decided))
    listed = "".join(
        f"<div><dt>{name}</dt><dd><b>{escape(value)}</b><small>{escape(words)}</small></dd></div>"
        for name, value, words in tiles
    )
    return f'<dl class="tiles">{listed}</dl>'


def _short(elo: Elo) -> str:
    if not math.isinf(elo.elo):
        return signed(elo.elo)
    return f"> {signed(elo.low, 0)}" if elo.elo > 0 else f"< {signed(elo.high, 0)}"


def _interval_words(elo: Elo) -> str:
    if math.isinf(elo.low) or math.isinf(elo.high):
        return "95%"
    return f"95%: {signed(elo.low)} to {signed(elo.high)}"


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
    words = escape(f"Elo {elo_words(elo)}")
    known = math.isfinite(elo.low) or math.isfinite(elo.high)
    return (
        f'<svg class="strip" viewBox="0 0 {px(_WIDTH)} 56" role="img" aria-label="{words}">'
        f"<title>{words}</title>{ticks}{drawn if known else ''}</svg>"
    )


def _llr_bar(state: SprtState) -> str:
    """The LLR between its bounds."""
    scale = linear(state.lower, state.upper, 60.0, _WIDTH - 60)
    zero, at = scale.at(0.0), scale.at(state.llr)
    style = {"H0": "lost", "H1": "won"}.get(state.decision or "", "open")
    lower, upper = signed(state.lower, 2), signed(state.upper, 2)
    words = escape(
        f"LLR {signed(state.llr, 2)} between {lower} and {upper}:"
        f" {f'{state.decision} accepted' if state.decision else 'not decided'}"
    )
    return (
        f'<svg class="strip" viewBox="0 0 {px(_WIDTH)} 56" role="img" aria-label="{words}">'
        f"<title>{words}</title>"
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
