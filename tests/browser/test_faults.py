# SPDX-License-Identifier: MIT
"""What the eye finds on the page: contrast, layers, texts that fit, ghosts of lines, plurals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, WebSocketRoute, expect

from browser.page_driver import PageDriver
from browser.static_server import SITE, needs_static, serve
from web_server import RunningServer

GAME = "h8 d4 h9 e4 h10 f4 h11 h12 o15 h7"  # the last move misses a win
LABEL_RADIUS = 18.5  # of a candidate's disc, in units of the board
READABLE, VISIBLE = 4.5, 3.0  # contrasts that WCAG 2 requires of text and of graphics
SCHEMES = ("light", "dark")
MINUS = "\N{MINUS SIGN}"
CONTRAST = """
const light = (colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((n) => n / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, two) => {
  const [low, high] = [light(one), light(two)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const clear = (colour) => colour === "rgba(0, 0, 0, 0)";
const behind = (node) => {
  while (clear(getComputedStyle(node).backgroundColor)) node = node.parentElement;
  return getComputedStyle(node).backgroundColor;
};
const ofText = (node) => contrast(getComputedStyle(node).color, behind(node));
"""
# The row of the list under the pointer, and the ghosts, as lists of moves.
SHOWN = """() => {
  const size = 15, cell = 40, margin = 42, side = 14 * cell + 2 * margin;
  const ghosts = [...document.querySelectorAll("#board .ghost circle")].map((ghost) => {
    const x = (ghost.cx.baseVal.value - margin) / cell;
    const y = (side - margin - ghost.cy.baseVal.value) / cell;
    return String.fromCharCode(97 + x) + (y + 1);
  });
  const row = document.querySelector("ol li:hover");
  const moves = row ? [...row.querySelectorAll(".pv button")].map((b) => b.textContent) : [];
  return [ghosts, moves];
}"""

Line = dict[str, Any]
Lines = Callable[[int], list[Line]]


def _line(rank: int, moves: str, win_rate: float = 0.5, mate: int | None = None) -> Line:
    names = moves.split()
    return {"rank": rank, "moves": names, "win_rate": win_rate, "mate": mate, "depth": 9}


def _analysing(page: Page, server: RunningServer, lines: Lines) -> PageDriver:
    """A page with an analysis whose n-th event has `lines(n)` instead of the engine's lines."""
    count = 0

    def change(text: str | bytes) -> str | bytes:
        nonlocal count
        event = json.loads(text)
        if event["type"] != "analysis":
            return text
        event["lines"] = lines(count)
        count += 1
        return json.dumps(event)

    def between(link: WebSocketRoute) -> None:
        link.connect_to_server().on_message(lambda text: link.send(change(text)))

    page.route_web_socket("**/ws", between)
    driver = PageDriver(page, server.url)
    driver.open()
    driver.tab("Analyse")
    page.get_by_label("Rule").select_option("freestyle")
    driver.line("a1", "o15")  # an empty board is analysed in a moment
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator("ol .rate")).not_to_have_count(0)
    return driver


# --- the list of moves ---


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_current_move_of_a_side_line_is_readable(driver: PageDriver, scheme: Any) -> None:
    page = driver.page
    page.emulate_media(color_scheme=scheme)
    driver.tab("Analyse")
    driver.line("h8", "i9")
    page.keyboard.press("ArrowLeft")
    driver.stones(1)
    driver.line("g9")
    current = page.locator(".moves .current")
    expect(current).to_contain_text("g9")
    for part in (current, current.locator(".n")):
        assert part.evaluate(f"(node) => {{ {CONTRAST} return ofText(node); }}") >= READABLE
    current.hover()
    assert current.evaluate(f"(node) => {{ {CONTRAST} return ofText(node); }}") >= READABLE


def test_only_one_thing_is_named_start(driver: PageDriver) -> None:
    expect(driver.page.get_by_role("button", name="Start")).to_have_count(1)
    driver.tab("Analyse")
    driver.line("h8")
    expect(driver.page.get_by_role("button", name="Start")).to_have_count(0)
    driver.page.get_by_role("button", name="Beginning").click()
    driver.stones(0)


def test_a_button_of_the_list_stays_with_its_move(driver: PageDriver) -> None:
    """Also when the lines change places, so that the focus stays where it was."""
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9")
    page.keyboard.press("ArrowLeft")
    driver.stones(1)
    driver.line("g9")
    moves = page.locator(".moves .move[data-id]")
    moves.filter(has_text="i9").evaluate("(node) => { node.dataset.seen = 'i9'; }")
    page.get_by_role("button", name="Make main line").click()
    expect(moves).to_contain_text(["h8", "g9", "i9"])
    expect(page.locator(".moves [data-seen]")).to_contain_text("i9")


# --- the lines of the analysis ---


def test_the_ghosts_are_those_of_the_line_under_the_pointer(
    context: BrowserContext, server: RunningServer
) -> None:
    first, second = "h8 i9 h10", "g7 f6"

    def lines(n: int) -> list[Line]:  # they change places at every event
        return [_line(1, first if n % 2 else second), _line(2, second if n % 2 else first)]

    page = context.new_page()
    _analysing(page, server, lines)
    page.locator("ol li").first.locator(".rate").hover()
    seen = list[str]()
    for _ in range(300):
        ghosts, moves = page.evaluate(SHOWN)
        assert ghosts == moves
        if " ".join(ghosts) not in seen[-1:]:
            seen.append(" ".join(ghosts))
        if len(seen) > 3:
            break
        page.wait_for_timeout(50)
    assert set(seen) == {first, second}


def test_ghosts_end_with_the_position_and_with_the_analysis(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator("ol .rate")).to_have_count(3)
    ghosts = page.locator("#board .ghost")
    page.locator("ol .rate").nth(1).hover()
    expect(ghosts).not_to_have_count(0)
    page.keyboard.press("ArrowLeft")
    driver.stones(2)
    for _ in range(20):
        shown, moves = page.evaluate(SHOWN)
        assert shown[:12] == moves[: len(shown)]
        page.wait_for_timeout(50)
    page.locator("ol .rate").nth(1).hover()
    page.keyboard.press(" ")  # stops the analysis
    expect(ghosts).to_have_count(0)


def test_mates_count_the_moves_of_the_winner(
    context: BrowserContext, server: RunningServer
) -> None:
    """As proofs and problems do. Black is to move: it wins at once, with its second move, loses."""
    found = [
        _line(1, "h8", 1.0, 1),
        _line(2, "h9", 1.0, 3),
        _line(3, "h10", 0.0, -48),
    ]
    page = context.new_page()
    _analysing(page, server, lambda n: found)
    expect(page.locator("ol .rate")).to_have_text(["M1", "M2", f"{MINUS}M24"])
    texts = ["Black wins in 1 move", "Black wins in 2 moves", "White wins in 24 moves"]
    for rate, text in zip(page.locator("ol .rate").all(), texts, strict=True):
        expect(rate).to_have_attribute("title", text)


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_fit_their_discs(browser: Browser, server: RunningServer, width: int) -> None:
    context = browser.new_context(locale="en-US", viewport={"width": width, "height": 800})
    found = [
        _line(1, "c3", 1.0, 225),
        _line(2, "c7", 1.0, 47),
        _line(3, "c11", 0.995),
        _line(4, "k3", 0.0, -4),
        _line(5, "k7", 0.0, -48),
        _line(6, "k11", 0.0, -200),
    ]
    page = context.new_page()
    _analysing(page, server, lambda n: found)
    texts = page.locator("#board .labels .value:not(.below)")
    expect(texts).to_have_text(["M113", "M24", "100", *(f"{MINUS}M{n}" for n in (2, 24, 100))])
    for text in texts.all():
        box = text.evaluate("(node) => { const b = node.getBBox(); return [b.width, b.height]; }")
        assert box[0] <= 2 * LABEL_RADIUS - 2
    context.close()


def test_colours_follow_the_win_rate_and_an_outline_marks_the_best(
    context: BrowserContext, server: RunningServer
) -> None:
    """The best move of a lost position does not look good. White is to move: rates are black's."""
    found = [_line(1, "c3", 0.9), _line(2, "c7", 0.5), _line(3, "c11", 0.1)]
    page = context.new_page()
    driver = _analysing(page, server, lambda n: found)
    driver.line("h8")
    discs = page.locator("#board .candidate")
    expect(discs).to_have_count(3)
    rates = page.locator("ol .rate")
    for number, tone in enumerate(("bad", "even", "good")):
        assert tone in (discs.nth(number).get_attribute("class") or "").split()
        assert tone in (rates.nth(number).get_attribute("class") or "").split()
    expect(page.locator("#board .candidate .outline")).to_have_count(1)
    expect(page.locator("#board .candidate.best.bad .outline")).to_have_count(1)
    for rate in rates.all():
        assert rate.evaluate(f"(node) => {{ {CONTRAST} return ofText(node); }}") >= READABLE
    for face in page.locator("#board .candidate .face").all():
        seen = "contrast(getComputedStyle(node).fill, 'rgb(255, 255, 255)')"
        assert face.evaluate(f"(node) => {{ {CONTRAST} return {seen}; }}") >= READABLE


@needs_static
def test_the_analysis_says_that_the_net_is_loading(browser: Browser) -> None:
    held: list[Route] = []
    # A service worker would answer instead of the route.
    context = browser.new_context(locale="en-US", service_workers="block")

    def hold(route: Route) -> None:
        held.append(route)

    context.route("**/engine/nets/*.net*", hold)
    with serve(SITE) as site:
        driver = PageDriver(context.new_page(), site.address)
        driver.page.goto(f"{site.address}#p=freestyle/15/h8i9")
        driver.stones(2)
        driver.page.get_by_role("button", name="Analysis").click()
        source = driver.page.locator(".source")
        expect(source).to_have_text(
            re.compile(r"The net is loading \(\d+%\); classical evaluation until then")
        )
        expect(driver.page.locator("ol .rate")).not_to_have_count(0)
        for route in held:
            route.continue_()
        expect(source).to_have_text(re.compile("Evaluation: mixnet"), timeout=120_000)
        context.close()


# --- the board ---


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_hint_is_visible_on_the_wood(driver: PageDriver, scheme: Any) -> None:
    page = driver.page
    page.emulate_media(color_scheme=scheme)
    driver.tab("Learn")
    page.get_by_role("button", name="Hint").click()
    ring = page.locator("#board .hint path:not(.outline)")
    woods = page.evaluate(
        """() => [1, 2].map((n) => {
          const stop = document.querySelector(`#board .wood-${n}`);
          return getComputedStyle(stop).stopColor;
        })"""
    )
    for wood in woods:
        seen = f"contrast(getComputedStyle(node).stroke, '{wood}')"
        assert ring.evaluate(f"(node) => {{ {CONTRAST} return {seen}; }}") >= VISIBLE
    assert ring.evaluate("(node) => getComputedStyle(node).animationName") == "none"


def test_no_mark_covers_a_text(context: BrowserContext, server: RunningServer) -> None:
    page = context.new_page()
    found = [_line(1, "h9"), _line(2, "h10")]
    driver = _analysing(page, server, lambda n: found)
    driver.line("h8")
    page.get_by_role("button", name="Only these moves").click()
    driver.click("h9")
    expect(page.locator("#board .mark")).to_have_count(1)
    expect(page.locator("#board .labels .value:not(.below)")).to_have_count(2)
    last = page.evaluate(
        """() => {
          const board = document.getElementById("board");
          const texts = [...board.querySelectorAll("text:not(.coordinates text)")];
          return texts.every((text) => text.closest("#board > *") === board.lastElementChild);
        }"""
    )
    assert last


def test_done_is_in_sight_while_stones_are_set_up(browser: Browser, server: RunningServer) -> None:
    for width, height in ((1280, 800), (1024, 640)):
        context = browser.new_context(locale="en-US", viewport={"width": width, "height": height})
        driver = PageDriver(context.new_page(), server.url)
        driver.open()
        driver.tab("Analyse")
        driver.line("h8")
        driver.page.get_by_role("button", name="Set up").click()
        done = driver.page.get_by_role("button", name="Done")
        box = done.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height
        driver.click("i9")
        driver.stones(2)
        done.click()
        expect(done).to_have_count(0)
        expect(driver.page.get_by_role("button", name="Set up")).to_be_visible()
        driver.stones(2)
        context.close()


# --- graph and review ---


def test_the_hint_of_the_graph_leaves_with_the_first_win_rate(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8")
    expect(page.locator(".graph .empty")).to_be_visible()
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator("ol .rate")).not_to_have_count(0)
    expect(page.locator(".graph .empty")).to_have_count(0)
    expect(page.locator(".graph .only")).to_have_count(1)


def test_mistakes_are_counted_in_the_plural(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Review")
    page.get_by_placeholder("h8").fill(GAME)
    page.get_by_role("button", name="Load", exact=True).click()
    page.get_by_role("button", name="Review this game").click()
    rows = page.locator("table tbody tr")
    expect(rows).to_have_count(4, timeout=60_000)
    names = {
        "inaccuracy": "inaccuracies",
        "mistake": "mistakes",
        "blunder": "blunders",
        "missed win": "missed wins",
    }
    for row, (one, many) in zip(rows.all(), names.items(), strict=True):
        black, name, white = (text.strip() for text in row.locator("td").all_inner_texts())
        assert name == (one if int(black) + int(white) == 1 else many)
