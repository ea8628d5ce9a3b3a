# SPDX-License-Identifier: MIT
"""`report_html`: a whole match or tournament as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template

from tengen._version import version as package_version
from tengen.arena.definition import Definition
from tengen.arena.game import REASONS, MatchGame
from tengen.arena.report.games import (
    balance_text,
    distinct,
    endings_table,
    faults_table,
    histogram,
    time_histograms,
    timing_table,
)
from tengen.arena.report.match import MAX_LINES, match_figures, progress_charts
from tengen.arena.report.overview import brief, conditions, summary
from tengen.arena.report.replay import embedded, empty_board, mini_board, replay_data
from tengen.arena.report.tables import cross_table, player_table, rating_table
from tengen.arena.standings import Standings, standings
from tengen.util.html import escape, page

_SCRIPTS = ("data.js", "board.js", "list.js", "hover.js", "start.js")
_SECTIONS = ("Result", "Progress", "Openings", "Endings", "Times", "Games", "Conditions")
_NOTHING = "<p>Nothing to show yet.</p>"


def report_html(
    definition: Definition,
    openings: Sequence[Sequence[str]],
    games: Sequence[MatchGame],
    *,
    made: str = "",
    version: str = "",
) -> str:
    """The report of a match or tournament, finished or under way, as the text of one HTML file.

    Games are taken in the order of their ends. `made` is the date to print; `version` that of the
    package that played, by default this one. The same input gives the same text.
    """
    openings, games = distinct(definition, openings, games)
    found = standings(definition, games)
    main = Template(_resource("page.html")).substitute(
        conditions=conditions(definition, openings, version or package_version(), made),
        result=_result(found),
        progress=progress_charts(found) or _NOTHING,
        balance=balance_text(found) or _NOTHING,
        openings=histogram(found),
        endings=endings_table(found) if games else _NOTHING,
        faults=faults_table(found),
        timing=timing_table(found),
        times=time_histograms(found, MAX_LINES),
        players=_options(player.name for player in definition.players),
        reasons=_reasons(found),
        none="" if games else _NOTHING,
        board=empty_board(definition.size),
    )
    links = "".join(f'<a href="#{title.lower()}">{title}</a>\n' for title in _SECTIONS)
    lead = (
        f'<p class="brief">{escape(brief(definition))}</p>\n'
        f'<p class="lead">{escape(summary(found))}</p>\n'
        f'<nav aria-label="Sections">\n{links}</nav>'
    )
    return page(
        definition.title,
        main,
        lead=lead,
        footer=f'<div id="tip" role="status" hidden></div>\n{mini_board(definition.size)}',
        style=_resource("report.css"),
        script="\n".join(_resource(name) for name in _SCRIPTS),
        data=embedded(replay_data(definition, openings, games)),
    )


def _result(found: Standings) -> str:
    """The figures of a match; the ratings and the cross table of a tournament."""
    if found.definition.kind == "match":
        return f"{match_figures(found)}<h3>Players</h3>{player_table(found)}"
    return f"{rating_table(found)}<h3>Cross table</h3>{cross_table(found)}"


def _options(names: Iterable[str]) -> str:
    """The choices of a player."""
    return "".join(f'<option value="{n}">{escape(name)}</option>' for n, name in enumerate(names))


def _reasons(found: Standings) -> str:
    """The choices of an ending, those that happened."""
    numbers = {reason: number for number, reason in enumerate(REASONS)}
    return "".join(
        f'<option value="{numbers[reason]}">{escape(REASONS[reason])}</option>'
        for reason in found.endings
    )


def _resource(name: str) -> str:
    """A file of the page, read as text with plain line ends: browsers hash what they parsed."""
    return files("tengen.arena.report").joinpath(name).read_text("utf-8").replace("\r\n", "\n")
