# SPDX-License-Identifier: MIT
"""The head of the report: conditions, and the result in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from tengen.arena.definition import Definition, total_games
from tengen.arena.player import Player
from tengen.arena.report.format import DASH, elo_text, percent, results, signed
from tengen.arena.standings import Standings
from tengen.util.html import escape, row_head, table
from tengen.util.text import plural

_OPENINGS = {
    "balanced": "balanced openings",
    "even": "openings that both colours win",
    "renju26": "the 26 openings of renju",
    "empty": "the empty board",
    "swap2": "openings by swap2",
    "random": "random openings",
}
_ADJUDICATE = {
    "auto": "where both players are built in",
    "always": "always",
    "never": "never",
}


def brief(definition: Definition) -> str:
    """The conditions in a line. Plain text."""
    parts = [
        _kind(definition),
        str(definition.rule),
        f"{definition.size} \N{MULTIPLICATION SIGN} {definition.size}",
        str(definition.limit),
        _OPENINGS.get(definition.openings, f"openings from {definition.openings}"),
    ]
    return " · ".join(parts)


def summary(standings: Standings) -> str:
    """The result in a sentence or two. Plain text."""
    done, definition = len(standings.games), standings.definition
    if not done:
        return "No game has been finished yet."
    text = _match(standings) if definition.kind == "match" else _leader(standings)
    planned = total_games(definition)
    decided = standings.sprt is not None and standings.sprt.decision is not None
    if done < planned and not decided:
        text += f" {planned - done:,} of {planned:,} games are still to be played."
    faults = sum(sum(player.faults.values()) for player in standings.players)
    if faults:
        text += f" {plural(faults, 'game')} ended by a player's fault."
    return text


def _match(standings: Standings) -> str:
    names = [player.name for player in standings.definition.players]
    met = standings.encounters[0]
    share = percent(met.points / met.games) if met.games else "no points"
    text = (
        f"{names[0]} scored {share} against {names[1]} in {plural(met.games, 'game')}"
        f" ({results(met.wins, met.draws, met.losses)})."
    )
    if sum(met.pairs):
        text += f" That is {elo_text(met.elo)} Elo; it is the better one with a likelihood of"
        text += f" {percent(met.elo.los)}."
    if (test := standings.sprt) is not None and (sprt := standings.definition.sprt) is not None:
        bounds = f"from {signed(sprt.elo0)} to {signed(sprt.elo1)} Elo"
        outcome = f"accepted {test.decision}" if test.decision else "is not decided yet"
        text += f" The sequential test {bounds} {outcome}."
    return text


def _leader(standings: Standings) -> str:
    ratings, players = standings.ratings, standings.definition.players
    order = sorted(range(len(players)), key=lambda n: -ratings.elo[n])
    first, second = order[:2]
    ahead = ratings.elo[first] - ratings.elo[second]
    sure = percent(ratings.los(first, second))
    return (
        f"{players[first].name} leads, {signed(ahead)} Elo ahead of {players[second].name}"
        f" (likelihood of being better: {sure}) after {plural(len(standings.games), 'game')}."
    )


def conditions(
    definition: Definition, openings: Sequence[Sequence[str]], version: str, made: str
) -> str:
    """The conditions: a list, and a table of the players. HTML."""
    rows = [
        ("Kind", _kind(definition)),
        (
            "Rule",
            f"{definition.rule}, board {definition.size} \N{MULTIPLICATION SIGN} {definition.size}",
        ),
        ("Limits", str(definition.limit)),
        ("Openings", _openings(definition, openings)),
        ("Pairs", f"{definition.pairs:,} for each two players, colours swapped"),
        ("Adjudication", _ADJUDICATE[definition.adjudicate]),
    ]
    if any(definition.control(n).is_timed for n in range(len(definition.players))):
        rows.append(("Tolerance", f"{definition.tolerance:g} s beyond the limit"))
    if definition.max_moves:
        rows.append(("Longest game", f"{definition.max_moves} moves, then a draw"))
    if definition.sprt is not None:
        rows.append(("Sequential test", _sprt(definition)))
    rows.append(("Seed", str(definition.seed)))
    if version:
        rows.append(("Version", f"Tengen {version}"))
    if made:
        rows.append(("Report made", made))
    listed = "".join(f"<div><dt>{name}</dt><dd>{escape(text)}</dd></div>" for name, text in rows)
    return f'<dl class="facts">{listed}</dl>{_players(definition)}'


def _kind(definition: Definition) -> str:
    number = len(definition.players)
    if definition.kind == "match":
        return "match of two players"
    if definition.kind == "gauntlet":
        return f"gauntlet: the first of {number} players against each other"
    return f"round robin of {number} players"


def _openings(definition: Definition, openings: Sequence[Sequence[str]]) -> str:
    text = _OPENINGS.get(definition.openings, f"from {definition.openings}")
    if definition.opening_moves:
        text += f", {definition.opening_moves} moves of each"
    return f"{text} ({len(openings):,})" if openings else text


def _sprt(definition: Definition) -> str:
    test = definition.sprt
    assert test is not None
    return (
        f"H0: {signed(test.elo0)}, H1: {signed(test.elo1)} Elo ({test.model}),"
        f" alpha {test.alpha:g}, beta {test.beta:g}"
    )


def _players(definition: Definition) -> str:
    rows = [
        [
            row_head(player.name),
            f"preset {player.preset}" if player.preset else player.command or f"net {player.net}",
            "as above" if player.limit is None else player.limit,
            _settings(player),
        ]
        for player in definition.players
    ]
    heads = [(name, "") for name in ("Player", "Plays", "Limit", "Options")]
    return table(heads, rows, "The players", "plain")


def _settings(player: Player) -> str:
    """Options as name=value; without the environment of a program, which may hold secrets."""
    settings = {**player.options, **player.tunables}
    return ", ".join(f"{key}={v}" for key, v in settings.items() if key != "preset") or DASH
