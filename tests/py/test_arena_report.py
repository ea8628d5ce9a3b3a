# SPDX-License-Identifier: MIT
"""The HTML report: well-formed, self-contained, safe with untrusted text, complete."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena_samples import BLACK_WINS, HOSTILE, OPENINGS, UNFINISHED, definition, fault, game, match
from tengen.arena import report
from tengen.arena.control import TimeControl
from tengen.arena.elo import Elo
from tengen.arena.game import REASONS, MatchGame, MoveReport
from tengen.arena.report import report_html
from tengen.arena.report.format import elo_text, seconds, signed
from tengen.arena.report.games import distinct
from tengen.arena.report.match import running_counts, running_shares
from tengen.arena.report.replay import FIELDS, embedded, packed
from tengen.arena.sprt import Sprt
from tengen.game.board import Board
from tengen.game.rule import Colour
from tengen.util.charts import linear, logarithmic
from tengen.util.html import escape

VOID = {"meta", "input", "br"}
SCRIPTS = sorted(Path(report.__file__).parent.glob("*.js"))


class Page(HTMLParser):
    """A page with its parts; fails where an element is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.ids: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}"
        if result := dict(attrs).get("id"):
            self.ids.append(result)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> ends nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all_of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def words(self) -> str:
        """The visible text."""
        parts = (t for tag, result in self.texts.items() if tag not in {"script", "style"}
                 for t in result)  # fmt: skip
        return "\n".join(parts)

    @property
    def data(self) -> dict[str, Any]:
        """What the script gets."""
        result: dict[str, Any] = json.loads(self.texts["script"][0])
        return result


def page(plan: Any, games: Sequence[MatchGame], openings: Any = OPENINGS, **options: Any) -> Page:
    return Page(report_html(plan, openings, games, **options))


def games_of_three() -> list[MatchGame]:
    """A round robin of three players, with faults and a draw."""
    couples = [(0, 1), (0, 2), (1, 2)]
    result = []
    for pair in range(6):
        a, b = couples[pair % 3]
        result += [game(2 * pair, a, b, "b"), game(2 * pair + 1, b, a, "wbd"[pair % 3])]
    return [*result[:-1], fault(11, 2, 1, "crash", HOSTILE[0])]


CASES: dict[str, tuple[Any, list[MatchGame]]] = {
    "no games": (definition(), []),
    "no games of a tournament": (definition("a", "b", "c"), []),
    "no games of a test": (definition(sprt=Sprt(0, 5)), []),
    "one game": (definition(), match("b")),
    "one game of a test": (definition(sprt=Sprt(0, 5)), match("d")),
    "one pair": (definition(), match("bw")),
    "half a pair": (definition(), match("bwd")),
    "a test": (definition(sprt=Sprt(0, 5)), match("bwdwbb")),
    "all lost": (definition(), match("wbwb")),
    "a fault": (definition(), [fault(0, 0, 1, "time", "late")]),
    "no times": (definition(), [game(0, 0, 1, reports=())]),
    "moves in no time": (definition(), [game(0, 0, 1, reports=(MoveReport(0.0),))]),
    "a tournament": (definition("a", "b", "c"), games_of_three()),
    "a gauntlet": (definition("a", "b", "c", kind="gauntlet"), [game(0, 0, 1), game(1, 1, 0)]),
    "one game of many": (definition(*"abcdefghijk"), [game(0, 3, 4)]),
    "swap2": (definition(openings="swap2"), [replace(g, opening=-1) for g in match("bw")]),
    "an opening that is not there": (definition(), [game(0, 0, 1, opening=7)]),
    "nodes": (definition(limit=TimeControl(nodes=5)), match("bw")),
    "small board": (definition(size=5), [game(0, 0, 1, moves=("a1", "pass"), reason="passes")]),
}


@pytest.mark.parametrize("name", CASES)
def test_well_formed(name: str) -> None:
    plan, games = CASES[name]
    result = page(plan, games, made="2031-05-06")
    assert len(result.ids) == len(set(result.ids))
    assert {"result", "progress", "openings", "endings", "times", "games", "conditions", "data",
            "board"} <= set(result.ids)  # fmt: skip
    links = [link["href"] or "" for link in result.all_of("a")]
    sections = [link[1:] for link in links if not link.startswith("#game-")]
    assert len(sections) == 7
    assert set(sections) <= set(result.ids)
    assert "2031-05-06" in result.words
    assert "nan" not in result.words.lower().split()
    for attributes in result.all_of("svg") + result.all_of("path") + result.all_of("rect"):
        reported = " ".join(value or "" for value in attributes.values())
        assert not re.search(r"\bnan\b|\binf\b", reported), attributes
    assert len(result.data["games"]) == len(games)


def test_same_input_same_text() -> None:
    plan, games = CASES["a tournament"]
    assert report_html(plan, OPENINGS, games) == report_html(plan, OPENINGS, games)


def test_no_external_resources() -> None:
    text = report_html(*CASES["a test"][:1], OPENINGS, CASES["a test"][1])
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text.replace("// ", ""))
    result = Page(text)
    for tag, attributes in result.tags:
        assert tag not in {"link", "iframe", "object", "embed", "img", "base"}
        assert "src" not in attributes
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")


def test_policy_allows_only_the_report_s_script_and_style() -> None:
    result = page(*CASES["a tournament"])
    metas = [m for m in result.all_of("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert len(metas) == 1
    policy = metas[0]["content"] or ""
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    scripts = result.texts["script"]
    assert len(result.all_of("script")) == len(scripts) == 2
    for kind, text in (("script-src", scripts[1]), ("style-src", result.texts["style"][0])):
        mark = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{mark}';" in policy
    # The policy comes before what it is for.
    assert result.tags.index(("meta", metas[0])) < [t for t, _ in result.tags].index("style")


def test_untrusted_text_is_escaped() -> None:
    plan = definition(*HOSTILE, event=HOSTILE[0])
    games = [replace(g, detail=HOSTILE[g.number % 3]) for g in games_of_three()]
    text = report_html(plan, OPENINGS, games, made=HOSTILE[1], version=HOSTILE[2])
    result = Page(text)
    assert len(result.all_of("script")) == 2
    assert not result.all_of("img")
    assert "alert(1)" not in [part.strip() for part in result.texts["script"]]
    assert result.texts["title"][0] == HOSTILE[0]
    for name in HOSTILE:
        assert name in result.words
    assert result.data["players"] == list(HOSTILE)
    assert HOSTILE[0] in [row[FIELDS.index("detail")] for row in result.data["games"]]
    assert text.count("</script>") == 2
    assert "<!--<script" not in text


def test_control_characters_are_replaced() -> None:
    assert escape("a\x00b\u202ec\ud800") == "a\ufffdb\ufffdc\ufffd"
    assert escape("\"'<&") == "&quot;&#x27;&lt;&amp;"
    text = report_html(definition(), OPENINGS, [fault(0, 0, 1, "output", "\x00\u2028\udcff\x1b")])
    text.encode()
    assert "\x00" not in text


def test_embedded_data_cannot_leave_its_element() -> None:
    data = {"words": ["</script>", "<!--", "]]>", "\u2028", "&lt;", "\ud800", "ß"]}
    text = embedded(data)
    assert not set("<>&\u2028\ud800") & set(text)
    assert json.loads(text)["words"] == [*data["words"][:5], "\ufffd", "ß"]


def test_games_are_embedded() -> None:
    plan, games = definition("a", "b"), match("bwd")
    games[2] = replace(
        games[2], reports=(MoveReport(0.0125, -7, None, 3, 42), MoveReport(1.0, None, -4))
    )
    data = page(plan, games).data
    assert data["size"] == 15
    assert data["reasons"] == list(REASONS.values())
    assert data["openings"] == [packed(o) for o in OPENINGS]
    rows = [dict(zip(FIELDS, row, strict=True)) for row in data["games"]]
    assert [row["number"] for row in rows] == [1, 2, 3]
    assert [row["winner"] for row in rows] == [1, 2, 0]
    assert rows[0]["moves"] == packed(BLACK_WINS)
    assert rows[0]["lines"] == [packed(("h8", "i8", "j8", "k8", "l8"))]
    assert rows[2]["lines"] == []
    assert rows[2]["reports"] == "12.5,-7,,3,42;1000,,-4"
    assert rows[1]["black"] == 1


def test_moves_are_packed() -> None:
    assert packed(["a1", "o15", "v22", "pass"]) == "00eell.."
    assert packed([]) == ""


def test_the_scripts_use_known_fields() -> None:
    assert page(definition(), match("bw")).data["fields"] == list(FIELDS)
    used = {
        name for path in SCRIPTS for name in re.findall(r"\bgame\.(\w+)", path.read_text("utf-8"))
    }
    assert {"moves", "openingMoves", "reports", "detail"} <= used <= set(FIELDS)


def test_the_scripts_make_no_markup_of_text() -> None:
    assert SCRIPTS
    for path in SCRIPTS:
        text = path.read_text("utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "http"):
            assert word not in text, path.name


def test_illegal_games_have_no_winning_line() -> None:
    odd = game(0, 0, 1, moves=("h8", "h8", "h9"))
    short = game(1, 1, 0, moves=UNFINISHED)
    rows = page(definition(), [odd, short]).data["games"]
    assert [row[FIELDS.index("lines")] for row in rows] == [[], []]


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
def test_winning_runs_are_those_of_the_whole_game(rule: str) -> None:
    chance = Random(7)
    games: list[MatchGame] = []
    runs: list[list[str]] = []
    while len(games) < 12:
        board = Board(7, rule)
        while not board.is_over() and (legal := board.legal_moves()):
            board.push(chance.choice(legal))
        outcome = board.outcome()
        if outcome is not None and outcome.reason == "five":
            runs.append([packed(map(str, run)) for run in outcome.lines])
            moves = tuple(map(str, board.moves))
            games.append(game(len(games), 0, 1, moves=moves, winner=outcome.winner))
    rows = page(definition(size=7, rule=rule), games).data["games"]
    assert [row[FIELDS.index("lines")] for row in rows] == runs


def test_summary_and_conditions_of_a_match() -> None:
    plan = definition("one", "two", sprt=Sprt(0, 5), rule="renju", seed=99, max_moves=77)
    text = page(plan, match("bwbwd"), version="1.2.3").words
    assert "one scored 90.0% against two in 5 games (+4 =1 \N{MINUS SIGN}0)." in text
    assert "15 of 20 games are still to be played." in text
    assert "is not decided yet" in text
    for part in ("renju", "100 ms per move", "99", "77 moves", "Tengen 1.2.3", "H0: 0.0, H1: +5.0"):
        assert part in text


def test_a_decision_is_shown() -> None:
    plan = definition(sprt=Sprt(0, 200), pairs=100)
    text = page(plan, match("bw" * 30)).words
    assert "accepted H1" in text
    assert "still to be played" not in text


def test_faults_are_listed_with_links() -> None:
    games = [fault(0, 0, 1, "crash", "code 11"), fault(1, 1, 0, "time", "too late")]
    result = page(definition("one", "two"), games)
    assert [a["href"] for a in result.all_of("a") if "game" in str(a["href"])][-2:] == [
        "#game-1",
        "#game-2",
    ]
    for part in ("code 11", "too late", "2 games ended by a player's fault."):
        assert part in result.words
    assert "No game was lost by a fault." in page(definition(), match("bw")).words


def test_cross_table_of_a_tournament() -> None:
    result = page(*CASES["a tournament"])
    hints = [str(attributes.get("title")) for attributes in result.all_of("td")]
    reported = [hint for hint in hints if "pairs by points" in hint]
    assert len(reported) == 6
    assert any(hint.startswith("a against b: 4 of 4 points; Elo above") for hint in reported)


def test_repeated_openings_are_one() -> None:
    games = [replace(g, opening=g.number) for g in match("bwbw")]
    listed, moved = distinct(definition(), [("h8",), ("i9",), ("h8",)], games)
    assert listed == [("h8",), ("i9",)]
    assert [g.opening for g in moved] == [0, 1, 0, -1]
    assert distinct(definition(openings="swap2"), [(), ()], games)[0] == []


def test_running_figures() -> None:
    assert running_counts(match("bwwbb")) == [[0, 0, 0, 0, 1], [1, 0, 0, 0, 1]]
    many = running_counts(match("bw" * 1000))
    assert len(many) == 160
    assert many[-1] == [0, 0, 0, 0, 1000]
    assert running_shares(match("bbd"), [1]) == [[(1, 0.0), (2, 0.5), (3, 0.5)]]


def test_charts_have_tooltips() -> None:
    result = page(definition(sprt=Sprt(0, 5)), match("bwbbwwbw"))
    charts = [attributes for attributes in result.all_of("svg") if "data-hover" in attributes]
    assert len(charts) == 2
    spots = json.loads(charts[1]["data-hover"] or "")
    assert len(spots) == 5
    assert spots[-1][1].startswith("4 pairs: LLR ")


def test_every_picture_and_field_has_a_name() -> None:
    result = page(*CASES["a tournament"])
    for attributes in result.all_of("svg"):
        if attributes.get("class") != "plot":
            assert "aria-label" in attributes or attributes.get("aria-hidden") == "true"
    assert result.texts["h1"] == ["round-robin of a - b - c"]
    assert len(result.all_of("caption")) == len(result.all_of("table"))


def test_many_games_stay_small() -> None:
    reported = tuple(MoveReport(0.0987654, -1234, None, 17, 123_456) for _ in range(60))
    long = game(
        0, 0, 1, moves=UNFINISHED * 15, reports=reported, winner=Colour.BLACK, reason="time"
    )
    games = [replace(long, number=n, pair=n // 2) for n in range(500)]
    assert len(report_html(definition(), OPENINGS, games)) < 1_500_000


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 ms"), (1.5e-6, "1.5 µs"), (0.0123, "12.3 ms"), (1.0, "1 s"), (90.0, "1.5 min")],
)
def test_time_texts(value: float, text: str) -> None:
    assert seconds(value) == text


def test_number_texts() -> None:
    inf = float("inf")
    assert [signed(v) for v in (0.04, -0.04, 1.25, -3)] == ["0.0", "0.0", "+1.2", "\u22123.0"]
    assert signed(inf) == "+∞"
    assert elo_text(Elo(0, -inf, inf, 0.5)) == "unknown"
    assert elo_text(Elo(inf, 50, inf, 0.9)) == "above +50"
    assert elo_text(Elo(-inf, -inf, -50, 0.1)) == "below \u221250"
    assert elo_text(Elo(3, 1, 5, 0.9)) == "+3.0 [+1.0, +5.0]"


def test_scales() -> None:
    scale = linear(0, 100, 10, 20)
    assert [scale.at(v) for v in (-5, 0, 50, 100, 200)] == [10, 10, 15, 20, 20]
    assert scale.ticks() == [0, 20, 40, 60, 80, 100]
    assert linear(3, 3, 0, 1).at(3) == 0.5
    logs = logarithmic(1, 100, 0, 2)
    assert logs.at(10) == pytest.approx(1)
    assert logarithmic(1e-5, 10, 0, 1).ticks(6) == pytest.approx(
        [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10]
    )
    with pytest.raises(ValueError, match="no logarithmic scale"):
        logarithmic(0, 1, 0, 1)
