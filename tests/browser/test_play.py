# SPDX-License-Identifier: MIT
"""Playing in a real browser: games, restarts, phones, languages, keyboards, accessibility."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from browser.table import Table
from web_server import Served, served

WIDTHS = {"phone": (360, 740), "tablet": (820, 1180), "wide": (1920, 1080)}


def _start(table: Table, you: str = "black") -> None:
    table.page.locator(f".segments label:has(input[name=you][value={you}])").click()
    table.page.get_by_role("button", name="Start").click()


def test_a_game_from_the_first_click_to_the_rematch(table: Table) -> None:
    page = table.page
    _start(table)
    table.said("Your turn")
    table.click("h8")
    table.stones(2)
    expect(page.locator("#board .last")).to_have_count(1)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#board .hint")).to_have_count(1)
    page.get_by_role("button", name="Take back").click()
    table.stones(0)
    table.click("h8")
    table.stones(2)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    table.said("Tengen wins")
    table.said("by resignation")
    page.get_by_role("button", name="Rematch").click()
    table.stones(1)  # now the engine is black
    page.get_by_role("button", name="Your games").click()
    expect(page.locator(".past li")).to_have_count(2)


def test_looking_back_at_earlier_moves(table: Table) -> None:
    page = table.page
    _start(table)
    table.click("h8")
    table.stones(2)
    page.get_by_role("button", name="Back", exact=True).click()
    table.stones(1)
    expect(page.locator("#board .last")).to_have_count(1)
    page.get_by_role("button", name="First move").click()
    table.stones(0)
    table.click("a1")  # to the present: nobody meant to move in the past
    table.stones(2)
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    table.stones(1)
    page.keyboard.press("End")
    table.stones(2)
    page.keyboard.press("Home")
    table.stones(0)
    page.get_by_role("button", name="Last move").click()
    table.click("a1")
    table.stones(4)
    page.keyboard.press("ArrowLeft")
    table.stones(3)
    page.get_by_role("button", name="Take back").click()  # a new position is seen at once
    table.stones(2)


def test_a_reload_keeps_the_game(table: Table) -> None:
    _start(table)
    table.click("h8")
    table.stones(2)
    table.page.reload()
    table.stones(2)
    table.said("Your turn")


def test_a_restart_of_the_server_keeps_the_game(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    with served(data) as server:
        port = server.port
        table = Table(page, server.url)
        table.open()
        _start(table)
        table.click("h8")
        table.stones(2)
    expect(page.get_by_role("alert")).to_contain_text("Connection lost")
    with served(data, port=port):
        expect(page.get_by_role("alert")).to_have_count(0, timeout=20_000)
        table.stones(2)
        table.click("a1")
        table.stones(4)
    context.close()


def test_swap2_and_openings(table: Table) -> None:
    page = table.page
    page.get_by_text("More options").click()
    page.get_by_label("Opening").select_option("swap2")
    page.get_by_role("button", name="Start").click()
    table.said("Choose your side")
    table.stones(3)
    page.get_by_role("button", name="Take white").click()
    table.said("Your turn")
    page.get_by_role("button", name="New game").click()
    page.get_by_text("More options").click()
    page.get_by_label("Opening").select_option("4D")
    page.get_by_role("button", name="Start").click()
    table.said("4D Kagetsu")


def test_a_forbidden_point_is_shown_with_its_reason(table: Table) -> None:
    table.tab("Analyse")
    page = table.page
    page.get_by_role("button", name="Set up").click()
    for point in ("d7", "e7", "f7", "h7", "i7"):
        table.click(point)
    page.locator(".segments label:has(input[name=tool][value=white])").click()
    for point in ("d8", "e8"):
        table.click(point)
    page.get_by_role("button", name="Done").click()
    expect(page.locator("#board .forbidden")).not_to_have_count(0)
    table.click("g7")
    expect(page.locator(".notice")).to_contain_text("g7 is forbidden: overline")
    table.stones(7)


def test_the_keyboard_is_enough(table: Table) -> None:
    page = table.page
    _start(table)
    table.said("Your turn")
    page.keyboard.press("Tab")
    page.locator("#board").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    table.stones(2)
    page.keyboard.press("Escape")
    page.locator("body").press("u")
    table.stones(0)


@pytest.mark.parametrize(("language", "words"), [("中文", "开始"), ("日本語", "開始")])
def test_other_languages(table: Table, language: str, words: str) -> None:
    table.page.get_by_role("button", name="Settings").click()
    table.page.locator("dialog label", has_text=language).click()
    table.page.keyboard.press("Escape")
    expect(table.page.get_by_role("button", name=words, exact=True)).to_be_visible()
    html = table.page.locator("html")
    assert html.get_attribute("lang") == {"中文": "zh", "日本語": "ja"}[language]


@pytest.mark.parametrize("name", list(WIDTHS))
def test_screens_of_all_sizes(browser: Browser, server: Served, name: str) -> None:
    width, height = WIDTHS[name]
    context = browser.new_context(
        locale="en-US", viewport={"width": width, "height": height}, has_touch=name == "phone"
    )
    table = Table(context.new_page(), server.url)
    table.open()
    for tab in ("Analyse", "Review", "Learn", "Play"):
        table.tab(tab)
        wide = table.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, tab
        if tab != "Play":  # there the board waits for a game
            _board_is_large(table, width)
    start = table.page.get_by_role("button", name="Start").bounding_box()
    assert start is not None
    assert start["y"] + start["height"] < height - 60  # in sight, above the tabs
    _start(table)
    expect(table.page.locator("form")).to_have_count(0)
    _board_is_large(table, width)
    if name == "phone":
        table.page.touchscreen.tap(*table.spot("h8"))
    else:
        table.click("h8")
    table.stones(2)
    assert table.faults == []
    context.close()


def _board_is_large(table: Table, width: int) -> None:
    box = table.page.locator("#board").bounding_box()
    assert box is not None
    assert box["width"] >= min(width - 24, 480)


def test_two_people_on_one_board(table: Table) -> None:
    page = table.page
    page.get_by_text("Two people").click()
    expect(page.get_by_text("You play")).to_have_count(0)
    expect(page.locator("input[type=range]")).to_have_count(0)
    page.get_by_role("button", name="Start").click()
    table.said("Black to move")
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    table.line("h8", "a1", "h9")
    table.said("White to move")
    page.get_by_role("button", name="Take back").click()
    table.stones(2)
    table.line("h9", "a3", "h10", "a5", "h11", "a7", "h12")
    table.said("Black wins")
    page.get_by_role("button", name="Your games").click()
    expect(page.locator(".entry").first).to_contain_text("Two people")
    page.get_by_role("button", name="Rematch").click()
    table.stones(0)
    table.line("h8", "i9")  # nobody answers


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers(browser: Browser, server: Served, scheme: str) -> None:
    """axe finds nothing to complain about, on any tab, in either theme."""
    context = browser.new_context(locale="en-US", color_scheme=scheme)  # type: ignore[arg-type]
    table = Table(context.new_page(), server.url)
    table.open()
    _start(table)
    table.click("h8")
    table.stones(2)
    found = {}
    for tab in ("Play", "Analyse", "Review", "Learn"):
        table.tab(tab)
        table.page.wait_for_timeout(300)
        found[tab] = _barriers(table)
    table.page.get_by_role("button", name="Settings").click()
    table.page.wait_for_timeout(200)
    found["settings"] = _barriers(table)
    assert {tab: faults for tab, faults in found.items() if faults} == {}
    context.close()


def _barriers(table: Table) -> list[str]:
    results = Axe().run(table.page, options={"resultTypes": ["violations"]})
    return [
        f"{violation['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:160]}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
