# SPDX-License-Identifier: MIT
"""The ratings with error bars, and the cross table."""

from __future__ import annotations

from collections.abc import Sequence

from tengen.arena.report.format import (
    DASH,
    PAIR_POINTS,
    elo_text,
    number,
    percent,
    results,
    signed,
)  # fmt: skip
from tengen.arena.standings import Encounter, Standing, Standings
from tengen.util.charts import Scale, linear, px
from tengen.util.html import Cell, cell, escape, row_head, table

_RATING_HEADS = (
    ("Elo", "Rating; the mean of all players is 0, in a gauntlet the first player"),
    ("± 95%", "Half the width of the 95% interval"),
    ("", "Ratings with their intervals of 95%"),
    ("LOS", "Likelihood of being better than the next"),
)
_GAME_HEADS = (
    ("Games", ""),
    ("Score", "Share of the points"),
    ("Won, drawn, lost", ""),
    ("Draws", ""),
    ("As black", "Share of the points with black"),
    ("Faults", "Games lost by an error: an illegal move, a crash, too late..."),
)
_SHADES = 8  # of a cell of the cross table, from all lost to all won
_BAR_WIDTH, _BAR_HEIGHT = 220.0, 22.0
_LONGEST_ERROR = 400.0  # Elo to a side that a bar shows


def rating_order(standings: Standings) -> list[int]:
    """The players, the best first; without a difference in their order."""
    ratings = standings.ratings
    return sorted(range(len(standings.players)), key=lambda n: (-ratings.elo[n], n))


def rating_table(standings: Standings) -> str:
    """A row for each player, the best first."""
    order = rating_order(standings)
    scale = _bar_scale(standings)
    rows = [
        [
            cell(str(rank + 1), "number"),
            _name(standings, player),
            *_rating(standings, scale, player, order[rank + 1] if order[rank + 1 :] else None),
            *_games(standings.players[player]),
        ]
        for rank, player in enumerate(order)
    ]
    heads = [(name or _axis(scale), hint) for name, hint in _RATING_HEADS]
    return table([("#", "Place"), ("Player", ""), *heads, *_GAME_HEADS], rows, "Ratings", "ratings")


def player_table(standings: Standings) -> str:
    """The players of a match in their order, without ratings: the Elo of the pairs differs a little
    from that of the rating model.
    """
    rows = [[_name(standings, stand.player), *_games(stand)] for stand in standings.players]
    return table([("Player", ""), *_GAME_HEADS], rows, "Players", "ratings few")


def _name(standings: Standings, player: int) -> Cell:
    return row_head(standings.definition.players[player].name)


def _rating(standings: Standings, scale: Scale, player: int, below: int | None) -> list[str]:
    ratings = standings.ratings
    if not standings.players[player].games:
        return [cell(DASH, "number"), cell(DASH, "number"), cell("", "bars"), cell("")]
    los = "" if below is None else percent(ratings.los(player, below))
    return [
        cell(signed(ratings.elo[player]), "number strong"),
        cell(f"{ratings.error[player]:.1f}", "number"),
        cell(_bar(standings, scale, player), "bars"),
        cell(los, "number"),
    ]


def _games(stand: Standing) -> list[str]:
    if not stand.games:
        return [cell("0", "number"), *[cell(DASH, "number")] * 5]
    faults = sum(stand.faults.values())
    kinds = ", ".join(f"{reason} {times}" for reason, times in stand.faults.items())
    black = percent(stand.as_black.share) if stand.as_black.games else DASH
    return [
        cell(f"{stand.games:,}", "number"),
        cell(percent(stand.share), "number", title=f"{number(stand.points)} points"),
        cell(results(stand.wins, stand.draws, stand.losses), "number"),
        cell(percent(stand.draws / stand.games), "number"),
        cell(black, "number"),
        cell(f"{faults:,}", "number bad" if faults else "number", title=kinds),
    ]


def _bar_scale(standings: Standings) -> Scale:
    """One scale for all bars. Huge errors, of players with few games, are cut off by it."""
    ratings = standings.ratings
    played = [stand.player for stand in standings.players if stand.games]
    ends = [0.0]
    for player in played:
        elo, error = ratings.elo[player], min(ratings.error[player], _LONGEST_ERROR)
        ends += [elo - error, elo + error]
    low, high = min(ends), max(ends)
    room = 0.04 * (high - low)
    return linear(low - room, high + room, 2.0, _BAR_WIDTH - 2)


def _axis(scale: Scale) -> str:
    """The ticks above the bars."""
    ticks = "".join(
        f'<text x="{px(scale.at(t))}" y="13" text-anchor="middle">{signed(t, 0)}</text>'
        for t in scale.ticks(4)
        if 12 <= scale.at(t) <= _BAR_WIDTH - 12
    )
    return (
        f'<svg class="bar" viewBox="0 0 {px(_BAR_WIDTH)} 18" role="img"'
        f' aria-label="Scale of the ratings">{ticks}</svg>'
    )


def _bar(standings: Standings, scale: Scale, player: int) -> str:
    name = standings.definition.players[player].name
    elo, error = standings.ratings.elo[player], standings.ratings.error[player]
    low, at, high = (px(scale.at(end)) for end in (elo - error, elo, elo + error))
    text = escape(f"{name}: {signed(elo)} ± {error:.1f}")
    middle = px(_BAR_HEIGHT / 2)
    lines = "".join(
        f'<line class="grid" x1="{px(scale.at(t))}" x2="{px(scale.at(t))}" y1="0"'
        f' y2="{px(_BAR_HEIGHT)}"/>'
        for t in scale.ticks(4)
    )
    return (
        f'<svg class="bar" viewBox="0 0 {px(_BAR_WIDTH)} {px(_BAR_HEIGHT)}" role="img"'
        f' aria-label="{text}"><title>{text}</title>{lines}'
        f'<path class="whisker" d="M{low} {middle}H{high}M{low} 6V16M{high} 6V16"/>'
        f'<circle class="rated" cx="{at}" cy="{middle}" r="4.5"/></svg>'
    )


def cross_table(standings: Standings) -> str:
    """The score of each player against each other one, in the order of the ratings."""
    order = rating_order(standings)
    players = standings.definition.players
    head = "".join(
        f'<th scope="col" title="{escape(players[other].name)}">{rank}</th>'
        for rank, other in enumerate(order, 1)
    )
    rows = []
    for rank, player in enumerate(order, 1):
        name = f'<span class="rank">{rank}</span> {escape(players[player].name)}'
        cells = [_met(standings, player, other) for other in order]
        rows.append(f"<tr>{cell(name, head=True)}{''.join(cells)}</tr>")
    return (
        '<div class="scroll"><table class="cross"><caption>Score of the player of the row against'
        " the one of the column; below it games won, drawn and lost.</caption>"
        f'<thead><tr><th scope="col">Player</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _met(standings: Standings, player: int, other: int) -> str:
    if player == other:
        return cell("", "self")
    met = standings.between(player, other)
    if met is None or not met.games:
        return cell("·", "none")
    share = met.points / met.games
    shade = min(_SHADES, int(share * (_SHADES + 1)))
    detail = results(met.wins, met.draws, met.losses)
    content = f"<b>{percent(share)}</b><small>{detail}</small>"
    return cell(content, f"s{shade}", title=_hint_of(standings, met))


def _hint_of(standings: Standings, met: Encounter) -> str:
    names = [standings.definition.players[n].name for n in (met.a, met.b)]
    return (
        f"{names[0]} against {names[1]}: {number(met.points)} of {met.games} points;"
        f" Elo {elo_text(met.elo)}, LOS {percent(met.elo.los)};"
        f" {_pairs(met.pairs)}"
    )


def _pairs(pairs: Sequence[int]) -> str:
    parts = [f"{n} of {points}" for n, points in zip(pairs, PAIR_POINTS, strict=True) if n]
    return f"pairs by points: {', '.join(parts)}" if parts else "no whole pair yet"
