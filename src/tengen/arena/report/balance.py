# SPDX-License-Identifier: MIT
"""How fair the openings are: the score of who moves first, over all games and by opening. The list
of openings itself is paged in the browser, from the data of the games.

Relies on standings and charts; `page` relies on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tengen.arena.definition import Definition
from tengen.arena.elo import elo_of_games
from tengen.arena.game import MatchGame
from tengen.arena.report.format import elo_words, percent
from tengen.arena.standings import Standings
from tengen.util.charts import Bar, bar_chart, bar_scale, figure
from tengen.util.html import escape
from tengen.util.text import count

__all__ = ["balance_words", "distinct", "histogram"]


def distinct(
    definition: Definition, openings: Sequence[Sequence[str]], games: Iterable[MatchGame]
) -> tuple[list[tuple[str, ...]], list[MatchGame]]:
    """The openings without those that come again, and the games with their new places. What the
    players made themselves has none.
    """
    places: dict[tuple[str, ...], int] = {}
    if definition.openings != "swap2":
        for moves in openings:
            places.setdefault(tuple(moves), len(places))
    new = [places.get(tuple(moves), -1) for moves in openings]
    moved = [
        replace(game, opening=new[game.opening] if 0 <= game.opening < len(new) else -1)
        for game in games
    ]
    return list(places), moved


def balance_words(standings: Standings) -> str:
    """The score of who moves first, in a sentence. HTML."""
    total = standings.first_mover
    if not total.games:
        return ""
    wins, draws, losses = _results(standings.games)
    share, elo = percent(total.share), elo_words(elo_of_games(wins, draws, losses))
    words = (
        f"Who moves first scored {share} of {count(total.games, 'game')}"
        f" ({percent(wins / total.games, 0)} won, {percent(draws / total.games, 0)} drawn,"
        f" {percent(losses / total.games, 0)} lost): {elo} Elo."
    )
    several = [opening for opening in standings.openings if opening.games > 1]
    if several:
        decided = sum(opening.points in (0, opening.games) for opening in several)
        part = percent(decided / len(several), 0)
        words += (
            f" In {decided:,} of {len(several):,} openings ({part}) the same colour won every game."
        )
    return f"<p>{escape(words)}</p>"


def _results(games: Iterable[MatchGame]) -> tuple[int, int, int]:
    scores = Counter(game.score for game in games)
    return scores[1.0], scores[0.5], scores[0.0]


def histogram(standings: Standings) -> str:
    """Openings by the score of who moves first; nothing of none."""
    openings = standings.openings
    if not openings:
        return ""
    most = max(opening.games for opening in openings)
    steps = 4 if most <= 4 else 10
    counts = Counter(round(opening.share * steps) for opening in openings)
    half = 0.5 / steps
    bars = [
        Bar(
            n / steps - half,
            n / steps + half,
            float(counts[n]),
            "even" if 2 * n == steps else "uneven",
            f"{count(counts[n], 'opening')} with about {percent(n / steps, 0)}",
        )
        for n in range(steps + 1)
    ]
    chart = bar_chart(
        bars,
        bar_scale(-half, 1 + half),
        [(n / steps, percent(n / steps, 0)) for n in range(steps + 1)],
        label="Openings by the score of who moves first",
        axes=("score of who moves first", "openings"),
    )
    return figure(chart, "Openings by the score of who moves first")
