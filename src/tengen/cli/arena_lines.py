# SPDX-License-Identifier: MIT
"""A match or tournament in lines of text: what the live view shows, the short line of a log, and
the table at the end. Pure functions of standings; `arena_view` relies on it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.arena.elo import Elo
from tengen.arena.game import REASONS
from tengen.arena.standings import Encounter, SprtState, Standings
from tengen.cli.common import count, printable

__all__ = ["State", "bar", "duration", "elo_words", "lines", "one_line_of", "result_table"]

_NAME = 28  # columns of a player's name in a table
_POINTS = ("0", "1/2", "1", "3/2", "2")
_LLR_WIDTH = 40
_MOST_PLAYERS = 20  # of a live table
_MOST_FAULTS = 8


@dataclass(frozen=True, slots=True)
class State:
    """A run on its way."""

    standings: Standings
    total: int  # games planned
    new: int  # games finished since the start
    seconds: float  # since the start
    sprt: SprtState | None = None


def bar(done: float, total: float, width: int) -> str:
    """A bar of so many columns."""
    filled = round(width * min(1.0, max(0.0, done / total))) if total > 0 else 0
    return "█" * filled + "░" * (width - filled)


def duration(seconds: float) -> str:
    """1:02:03, or 2:03."""
    whole = max(0, round(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def elo_words(elo: Elo) -> str:
    """A difference with its error of 95%."""
    if math.isinf(elo.low) or math.isinf(elo.high):
        return f"Elo {elo}"
    return f"Elo {elo.elo:+.1f} ± {elo.error:.1f}"


def lines(state: State) -> list[str]:
    """All that the live view tells, below its bar."""
    found = [_speed(state)]
    if state.standings.definition.kind == "match":
        found += _match(state)
    elif state.standings.games:
        found += _rating_lines(state.standings, _MOST_PLAYERS)
    return found + _faults(state.standings)


def one_line_of(state: State) -> str:
    """The state for a log."""
    table = state.standings
    parts = [_speed(state)]
    if table.definition.kind == "match":
        met = table.encounters[0]
        parts += [f"+{met.wins} ={met.draws} -{met.losses}", elo_words(met.elo)]
        if sum(met.pairs):
            parts.append(f"LOS {met.elo.los:.1%}")
        if state.sprt is not None:
            parts.append(f"LLR {state.sprt.llr:+.2f}")
    elif table.games:
        best = max(range(len(table.players)), key=lambda n: table.ratings.elo[n])
        parts.append(f"{_of(table, best)} leads with {table.ratings.elo[best]:+.0f}")
    faults = sum(sum(player.faults.values()) for player in table.players)
    return ", ".join([*parts, *([count(faults, "fault")] if faults else [])])


def _speed(state: State) -> str:
    done = len(state.standings.games)
    words = f"{done:,}/{state.total:,} games, {duration(state.seconds)}"
    if state.new > 0 and state.seconds > 0:
        speed = state.new / state.seconds
        left = duration((state.total - done) / speed)
        words += f", {left} left, {speed:.2f} games/s"
    return words


def _of(table: Standings, player: int) -> str:
    return printable(table.definition.players[player].name)


def _match(state: State) -> list[str]:
    table = state.standings
    met = table.encounters[0]
    found = [
        f"{_of(table, 0)} - {_of(table, 1)}",
        f"{_results(met)}  {elo_words(met.elo)}  LOS {met.elo.los:.1%}",
        _pair_line(met),
    ]
    return found if state.sprt is None else [*found, llr_line(state.sprt)]


def _results(met: Encounter) -> str:
    share = f" ({met.points / met.games:.1%})" if met.games else ""
    return f"+{met.wins} ={met.draws} -{met.losses}{share}"


def _pair_line(met: Encounter) -> str:
    told = "  ".join(f"{points}: {n}" for points, n in zip(_POINTS, met.pairs, strict=True))
    return f"pairs by points  {told}"


def llr_line(state: SprtState) -> str:
    """The LLR on a bar between its bounds, with the decision."""
    part = (state.llr - state.lower) / (state.upper - state.lower)
    at = min(_LLR_WIDTH - 1, max(0, int(part * _LLR_WIDTH)))
    drawn = "─" * at + "●" + "─" * (_LLR_WIDTH - 1 - at)
    decided = f"{state.decision} accepted" if state.decision else "goes on"
    return f"LLR {state.llr:+.2f}  {state.lower:.2f} ├{drawn}┤ {state.upper:.2f}  {decided}"


def _faults(table: Standings) -> list[str]:
    """Faults by player and kind, the most frequent first."""
    found: Counter[tuple[int, str]] = Counter()
    for player in table.players:
        for reason, times in player.faults.items():
            found[player.player, reason] = times
    return [
        f"fault: {_of(table, player)}, {REASONS[reason]}: {times}"
        for (player, reason), times in found.most_common(_MOST_FAULTS)
    ]


def result_table(table: Standings) -> list[str]:
    """The result at the end."""
    if not table.games:
        return ["no game was finished"]
    found = _rating_lines(table) if table.definition.kind != "match" else _match_table(table)
    return found + _faults(table)


def _match_table(table: Standings) -> list[str]:
    met = table.encounters[0]
    rows = [("player", "games", "won", "drawn", "lost", "score", "as black")]
    for stand in table.players:
        black = stand.black_points / stand.black_games if stand.black_games else None
        rows.append(
            (
                _of(table, stand.player),
                str(stand.games),
                str(stand.wins),
                str(stand.draws),
                str(stand.losses),
                f"{stand.share:.1%}",
                "-" if black is None else f"{black:.1%}",
            )
        )
    found = [*aligned(rows), ""]
    if sum(met.pairs):
        found.append(f"{elo_words(met.elo)} (95%), LOS {met.elo.los:.1%}")
        found.append(_pair_line(met))
    if table.sprt is not None:
        found.append(llr_line(table.sprt))
    return found


def _rating_lines(table: Standings, most: int | None = None) -> list[str]:
    ratings = table.ratings
    order = sorted(range(len(table.players)), key=lambda n: (-ratings.elo[n], n))
    rows = [("", "player", "Elo", "±", "games", "score", "draws", "LOS")]
    for rank, player in enumerate(order[:most], 1):
        stand = table.players[player]
        below = order[rank] if rank < len(order) else None
        rows.append(
            (
                str(rank),
                _of(table, player),
                f"{ratings.elo[player]:+.1f}" if stand.games else "-",
                f"{ratings.error[player]:.1f}" if stand.games else "-",
                str(stand.games),
                f"{stand.share:.1%}" if stand.games else "-",
                f"{stand.draws / stand.games:.1%}" if stand.games else "-",
                "" if below is None or not stand.games else f"{ratings.los(player, below):.1%}",
            )
        )
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as columns: names to the left, and cut if they are long, all else to the right."""
    heads = rows[0]
    shown = [
        [_cut(text) if head == "player" else text for head, text in zip(heads, row, strict=True)]
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


def _cut(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"
