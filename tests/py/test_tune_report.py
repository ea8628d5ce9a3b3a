# SPDX-License-Identifier: MIT
"""Output of a tuning run: values, report, snippets."""

from __future__ import annotations

import json
import re
import tomllib
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tengen.arena.definition import Definition
from tengen.tune.parameters import Parameter
from tengen.tune.plan import TunePlan, match_of
from tengen.tune.tune_folder import TuneFolder
from tengen.tune.tune_report import cpp_lines, history, match_toml, tunables_toml, write_report
from tengen.tune.tune_runner import run_tuning
from tune_fakes import OPENINGS, HereCluster, hill_of, made_plan

_VOID = {"meta", "br"}


class _Balanced(HTMLParser):
    """Checks that every element is closed, and gathers what a browser would load."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self.open.append(tag)
        self.loads += [tag] * (tag in ("script", "link", "img", "iframe", "object"))
        self.loads += [name for name, _ in attrs if name in ("src", "href", "xlink:href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def folder(tmp_path: Path) -> TuneFolder:
    """A run of 500 iterations."""
    plan = made_plan(500, r_end=0.02)
    result = TuneFolder.create(tmp_path, plan)
    result.open_event_log()
    run_tuning(result, HereCluster(2), hill_of(plan, 140, 9))
    result.close_event_log()
    return result


def page(folder: TuneFolder) -> str:
    write_report(folder)
    return (folder.path / "report.html").read_text("utf-8")


def test_the_page_is_self_contained(folder: TuneFolder) -> None:
    text = page(folder)
    parser = _Balanced()
    parser.feed(text)
    assert parser.open == []
    assert parser.loads == []
    assert "http:" not in text
    assert "https:" not in text
    assert "url(" not in text
    assert "@import" not in text
    pictures = re.findall(r"<div class=\"scroll\">(<svg.*?</svg>)</div>", text)
    assert len(pictures) == 2
    for picture in pictures:
        assert ET.fromstring(picture).tag == "svg"
    assert len(text) < 60_000
    assert "500 of 500 iterations" in text
    assert "1,000 games" in text


def test_foreign_text_is_escaped(tmp_path: Path) -> None:
    evil = "<script>alert('x')</script>\"&"
    parameters = (Parameter("A", 5, 0, 10, 1, evil),)
    plan = made_plan(3, parameters=parameters)
    match = match_of({"event": evil, "limit": {"nodes": 5}})
    folder = TuneFolder.create(tmp_path, TunePlan(plan.spsa, match, OPENINGS))
    text = page(folder)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    parser = _Balanced()
    parser.feed(text)
    assert parser.loads == []


def test_a_run_without_iterations_has_a_report(tmp_path: Path) -> None:
    folder = TuneFolder.create(tmp_path, made_plan(100))
    text = page(folder)
    assert "0 of 100 iterations" in text
    assert "nan" not in text.lower().split("alpha")[0]


def test_the_values_file(folder: TuneFolder) -> None:
    folder.write_values()
    result = json.loads((folder.path / "values.json").read_text())
    assert result["iterations"] == result["of"] == 500
    assert result["games"] == result["wins"] + result["draws"] + result["losses"] == 1000
    assert result["values"] == dict(
        zip(("ALPHA", "BETA"), folder.state.spsa_state.values, strict=True)
    )
    assert result["exact"]["ALPHA"] == pytest.approx(folder.state.spsa_state.theta[0], abs=1e-4)
    assert result["start"] == {"ALPHA": 100.0, "BETA": 5.0}
    assert result["noise"]["ALPHA"] == pytest.approx(10 * result["noise"]["BETA"], rel=1e-3)


def test_moments_of_the_history(folder: TuneFolder) -> None:
    seen = history(folder.replay(), 500)
    assert seen.done[0] == 0
    assert seen.done[-1] == 500
    assert 100 < len(seen.done) <= 250
    assert seen.theta[0] == (100, 5)
    assert seen.theta[-1] == tuple(folder.state.spsa_state.theta)


def test_snippets(folder: TuneFolder) -> None:
    first, second = folder.state.spsa_state.values
    alone = tomllib.loads("[[players]]\n" + tunables_toml(folder.state))
    assert alone["players"][0]["tunables"] == {"ALPHA": first, "BETA": second}
    match = Definition.from_dict(tomllib.loads(match_toml(folder.state)))
    assert [player.name for player in match.players] == ["tuned", "built-in"]
    assert match.players[0].tunables == {"ALPHA": first, "BETA": second}
    assert match.players[1].tunables == {}
    assert match.players[0].options["memory"] == 16
    assert match.limit.nodes == 100
    assert match.sprt is not None
    assert cpp_lines(folder.state).splitlines() == [
        f'TUNABLE(ALPHA, {first}, 0, 400, 10, "the first");',
        f'TUNABLE(BETA, {second}, 1, 20, 1, "the <second> & last");',
    ]
