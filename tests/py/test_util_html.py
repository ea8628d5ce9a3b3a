# SPDX-License-Identifier: MIT
"""HTML pages and charts: complete, escaped, self-contained."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from tengen.util.charts import (
    Bar,
    Line,
    bar_chart,
    bar_scale,
    line_chart,
    line_figure,
    linear,
    logarithmic,
    stacked,
    thin,
)
from tengen.util.html import cell, charts, escape, page, preformatted, section, table

EVIL = "<script>alert(1)</script>\"'&\x00\u202e"


class Checker(HTMLParser):
    """Fails on elements that are not closed in order."""

    VOID = ("meta", "circle", "line", "rect")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(html: str) -> list[str]:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert not checker.open
    return checker.seen


def test_a_page_is_complete_and_escaped() -> None:
    html = page(
        EVIL,
        section(EVIL, preformatted(EVIL), name="one"),
        section("empty"),
        section("Table", table((EVIL, ("<b>x</b>", EVIL)), [(EVIL, 1234), (cell("y"), None)])),
        lead="<p>lead</p>",
        script="let x = 1;",
        style="p{color:red}",
        data='{"a":1}',
    )
    seen = check(html)
    assert seen.count("script") == 2
    assert seen.count("section") == 2
    assert "alert(1)</script>" not in html
    assert "\x00" not in html
    assert "\u202e" not in html
    assert '<td class="number">1,234</td>' in html
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.S)
    for kind, text in (("script", "let x = 1;"), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in html
    assert "http" not in re.sub(r"http-equiv", "", html)
    assert escape(EVIL).startswith("&lt;script&gt;")


def test_line_charts() -> None:
    points = [(1.0, 5.0), (2.0, 7.0), (3.0, 6.0)]
    svg = line_chart(
        [
            Line(points, "c0", "mean", band=[(x, y - 1, y + 1) for x, y in points]),
            Line(points, "c1", EVIL, errors=[(x, y - 2, y + 2) for x, y in points]),
            Line(points, "c2", "points", joined=False),
            Line(points[:1], "c3"),
        ],
        label=EVIL,
        axes=("x", EVIL),
        levels=[(6.0, "zero", "six")],
        hover=[(1.0, EVIL)],
    )
    seen = check(svg)
    assert seen.count("circle") == 3 + 3 + 1
    assert seen.count("path") == 1 + 1 + (3 + 1)  # band, line, error bars and their line
    assert "style=" not in svg
    top = [float(y) for y in re.findall(r'c1" d="M[\d.]+ ([\d.]+)V', svg)]
    assert all(0 < y < 250 for y in top)


@pytest.mark.parametrize("points", [[], [(float("nan"), 1.0)], [(1.0, float("inf"))]])
def test_nothing_to_draw(points: list[tuple[float, float]]) -> None:
    assert line_figure("x", [Line(points, "c0")], "step") == ""
    assert charts("", "") == ""
    check(line_chart([], label="x", axes=("", "")))


def test_figures_have_a_legend_for_several_lines() -> None:
    one, two = Line([(0.0, 1.0)], "c0", "first"), Line([(1.0, 1.0)], "c1", "second")
    assert "legend" not in line_figure("x", [one], "step")
    assert "second" in line_figure("x", [one, two], "step")
    check(charts(line_figure("x", [one, two], "step")))


def test_bars_and_parts() -> None:
    bars = [Bar(0, 1, 3, "c0", EVIL), Bar(1, 2, 0, "c1")]
    svg = bar_chart(bars, bar_scale(0, 2), [(0, "0")], label="x", axes=("a", "b"))
    assert check(svg).count("rect") == 1
    assert check(stacked([(1.0, "won", "x"), (0.0, "lost", "y")], "x")).count("rect") == 1
    assert "track" in stacked([], "x")


def test_scales() -> None:
    scale = linear(0, 10, 100, 200)
    assert [scale.at(v) for v in (-1, 0, 5, 10, 11)] == [100, 100, 150, 200, 200]
    assert scale.ticks(5) == [0, 2, 4, 6, 8, 10]
    assert linear(3, 3, 0, 1).at(3) == 0.5
    assert logarithmic(1, 100, 0, 2).at(10) == pytest.approx(1)
    with pytest.raises(ValueError, match="logarithmic"):
        logarithmic(0, 1, 0, 1)


def test_thinning() -> None:
    points = [(float(n), float(n)) for n in range(1000)]
    assert len(thin(points, 300)) == 250
    assert thin(points, 300)[0] == (3.0, 1.5)
    assert thin(points[:300], 300) == points[:300]
