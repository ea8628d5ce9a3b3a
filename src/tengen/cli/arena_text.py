# SPDX-License-Identifier: MIT
"""A match or tournament as text: the live display, one line for a log, and the final table. Pure
functions of standings.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tengen.arena.elo import Elo
from tengen.arena.game import REASONS
from tengen.arena.standings import Encounter, SprtState, Standings
from tengen.util.text import plural, printable

_NAME_WIDTH = 28  # columns of a player's name in a table
_POINTS = ("0", "1/2", "1", "3/2", "2")
_LLR_WIDTH = 40
_MAX_PLAYERS = 20  # in the live table
_MAX_FAULTS = 8


def elo_text(elo: Elo) -> str:
    """An Elo difference with its 95% error."""
    if math.isinf(elo.low) or math.isinf(elo.high):
        return f"Elo {elo}"
    return f"Elo {elo.elo:+.1f} ± {elo.error:.1f}"


def detail_lines(table: Standings, sprt: SprtState | None) -> list[str]:
    """The lines of the live display, below its bar."""
    if table.definition.kind == "match":
        lines = [f"{_name(table, 0)} - {_name(table, 1)}", _match_line(table.encounters[0])]
        lines.append(_pair_line(table.encounters[0]))
        lines += [llr_line(sprt)] if sprt is not None else []
    else:
        lines = _rating_lines(table, _MAX_PLAYERS) if table.games else []
    return lines + _fault_lines(table)


def status_line(table: Standings, sprt: SprtState | None) -> str:
    """The result so far, for a log."""
    parts = []
    if table.definition.kind == "match":
        met = table.encounters[0]
        parts += [f"+{met.wins} ={met.draws} -{met.losses}", elo_text(met.elo)]
        if sum(met.pairs):
            parts.append(f"LOS {met.elo.los:.1%}")
        if sprt is not None:
            parts.append(f"LLR {sprt.llr:+.2f}")
    elif table.games:
        best = max(range(len(table.players)), key=lambda n: table.ratings.elo[n])
        parts.append(f"{_name(table, best)} leads with {table.ratings.elo[best]:+.0f}")
    faults = sum(sum(player.faults.values()) for player in table.players)
    return ", ".join([*parts, *([plural(faults, "fault")] if faults else [])])


def _name(table: Standings, player: int) -> str:
    return printable(table.definition.players[player].name)


def _match_line(met: Encounter) -> str:
    share = f" ({met.points / met.games:.1%})" if met.games else ""
    results = f"+{met.wins} ={met.draws} -{met.losses}{share}"
    return f"{results}  {elo_text(met.elo)}  LOS {met.elo.los:.1%}"


def _pair_line(met: Encounter) -> str:
    counts = "  ".join(f"{points}: {n}" for points, n in zip(_POINTS, met.pairs, strict=True))
    return f"pairs by points  {counts}"


def llr_line(state: SprtState) -> str:
    """The LLR on a bar between its bounds, with the decision."""
    part = (state.llr - state.lower) / (state.upper - state.lower)
    at = min(_LLR_WIDTH - 1, max(0, int(part * _LLR_WIDTH)))
    drawn = "─" * at + "●" + "─" * (_LLR_WIDTH - 1 - at)
    decided = f"{state.decision} accepted" if state.decision else "continues"
    return f"LLR {state.llr:+.2f}  {state.lower:.2f} ├{drawn}┤ {state.upper:.2f}  {decided}"


def _fault_lines(table: Standings) -> list[str]:
    """Faults by player and kind, the most frequent first."""
    faults: Counter[tuple[int, str]] = Counter()
    for player in table.players:
        for reason, times in player.faults.items():
            faults[player.player, reason] = times
    return [
        f"fault: {_name(table, player)}, {REASONS[reason]}: {times}"
        for (player, reason), times in faults.most_common(_MAX_FAULTS)
    ]


def result_lines(table: Standings) -> list[str]:
    """The final result."""
    if not table.games:
        return ["no game was finished"]
    lines = _rating_lines(table) if table.definition.kind != "match" else _match_table(table)
    return lines + _fault_lines(table)


def _match_table(table: Standings) -> list[str]:
    met = table.encounters[0]
    rows: list[tuple[str, ...]] = [("player", "games", "won", "drawn", "lost", "score", "as black")]
    for stand in table.players:
        black = stand.as_black
        counts = map(str, (stand.games, stand.wins, stand.draws, stand.losses))
        as_black = f"{black.share:.1%}" if black.games else "-"
        rows.append((_name(table, stand.player), *counts, f"{stand.share:.1%}", as_black))
    lines = [*aligned(rows), ""]
    if sum(met.pairs):
        lines.append(f"{elo_text(met.elo)} (95%), LOS {met.elo.los:.1%}")
        lines.append(_pair_line(met))
    if table.sprt is not None:
        lines.append(llr_line(table.sprt))
    return lines


def encounter_lines(table: Standings) -> list[str]:
    """The result of each two players that have met."""
    heads = ("player", "player", "games", "won", "drawn", "lost", "score", "pairs", "Elo (95%)")
    rows: list[tuple[str, ...]] = [heads]
    for met in table.encounters:
        if not met.games:
            continue
        counts = map(str, (met.games, met.wins, met.draws, met.losses))
        pairs = " ".join(map(str, met.pairs))
        elo = elo_text(met.elo).removeprefix("Elo ")
        names = _name(table, met.a), _name(table, met.b)
        rows.append((*names, *counts, f"{met.share:.1%}", pairs, elo))
    return aligned(rows)


def _rating_lines(table: Standings, limit: int | None = None) -> list[str]:
    ratings = table.ratings
    order = sorted(range(len(table.players)), key=lambda n: (-ratings.elo[n], n))
    rows = [("", "player", "Elo", "±", "games", "score", "draws", "LOS")]
    for rank, player in enumerate(order[:limit], 1):
        stand = table.players[player]
        below = order[rank] if rank < len(order) else None
        if not stand.games:
            rows.append((str(rank), _name(table, player), "-", "-", "0", "-", "-", ""))
            continue
        rating = f"{ratings.elo[player]:+.1f}", f"{ratings.error[player]:.1f}"
        shares = f"{stand.share:.1%}", f"{stand.draws / stand.games:.1%}"
        los = "" if below is None else f"{ratings.los(player, below):.1%}"
        rows.append((str(rank), _name(table, player), *rating, str(stand.games), *shares, los))
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as columns: names left-aligned and shortened, all else right-aligned."""
    heads = rows[0]
    shown = [
        [
            _shorten(text) if head == "player" else text
            for head, text in zip(heads, row, strict=True)
        ]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if head == "player" else text.rjust(width)
            for head, text, width in zip(heads, row, widths, strict=True)
        ).rstrip()
        for row in shown
    ]


def _shorten(name: str) -> str:
    return name if len(name) <= _NAME_WIDTH else name[: _NAME_WIDTH - 1] + "…"
