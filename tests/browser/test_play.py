# SPDX-License-Identifier: MIT
"""Playing in a real browser: games, restarts, phones, languages, keyboards, accessibility."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from browser.page_driver import PageDriver

WIDTHS = {"phone": (360, 740), "tablet": (820, 1180), "wide": (1920, 1080)}


def test_a_game_from_the_first_click_to_the_rematch(driver: PageDriver) -> None:
    page = driver.page
    driver.start()
    driver.sees("Your turn")
    driver.click("h8")
    driver.stones(2)
    expect(page.locator("#board .last")).to_have_count(1)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#board .hint")).to_have_count(1)
    page.get_by_role("button", name="Take back").click()
    driver.stones(0)
    driver.click("h8")
    driver.stones(2)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    driver.sees("Tengen wins")
    driver.sees("by resignation")
    page.get_by_role("button", name="Rematch").click()
    driver.stones(1)  # now the engine is black
    page.get_by_role("button", name="Your games").click()
    expect(page.locator(".past li")).to_have_count(2)


def test_browsing_earlier_moves(driver: PageDriver) -> None:
    page = driver.page
    driver.start()
    driver.click("h8")
    driver.stones(2)
    page.get_by_role("button", name="Back", exact=True).click()
    driver.stones(1)
    expect(page.locator("#board .last")).to_have_count(1)
    page.get_by_role("button", name="First move").click()
    driver.stones(0)
    driver.click("a1")  # returns to the current position, plays nothing
    driver.stones(2)
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    driver.stones(1)
    page.keyboard.press("End")
    driver.stones(2)
    page.keyboard.press("Home")
    driver.stones(0)
    page.get_by_role("button", name="Last move").click()
    driver.click("a1")
    driver.stones(4)
    page.keyboard.press("ArrowLeft")
    driver.stones(3)
    page.get_by_role("button", name="Take back").click()  # shows the new position at once
    driver.stones(2)


def test_swap2_and_openings(driver: PageDriver) -> None:
    page = driver.page
    page.get_by_text("More options").click()
    page.get_by_label("Opening").select_option("swap2")
    page.get_by_role("button", name="Start").click()
    driver.sees("Choose your side")
    driver.stones(3)
    page.get_by_role("button", name="Take white").click()
    driver.sees("Your turn")
    page.get_by_role("button", name="New game").click()
    page.get_by_text("More options").click()
    page.get_by_label("Opening").select_option("4D")
    page.get_by_role("button", name="Start").click()
    driver.sees("4D Kagetsu")


def test_a_forbidden_point_is_shown_with_its_reason(driver: PageDriver) -> None:
    driver.tab("Analyse")
    page = driver.page
    page.get_by_role("button", name="Set up").click()
    for point in ("d7", "e7", "f7", "h7", "i7"):
        driver.click(point)
    page.locator(".segments label:has(input[name=tool][value=white])").click()
    for point in ("d8", "e8"):
        driver.click(point)
    page.get_by_role("button", name="Done").click()
    expect(page.locator("#board .forbidden")).not_to_have_count(0)
    driver.click("g7")
    expect(page.locator(".notice")).to_contain_text("g7 is forbidden: overline")
    driver.stones(7)


def test_the_keyboard_is_enough(driver: PageDriver) -> None:
    page = driver.page
    driver.start()
    driver.sees("Your turn")
    page.keyboard.press("Tab")
    page.locator("#board").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    driver.stones(2)
    page.keyboard.press("Escape")
    page.locator("body").press("u")
    driver.stones(0)


def test_other_languages(driver: PageDriver) -> None:
    page = driver.page
    for language, code, start in (("中文", "zh", "开始"), ("日本語", "ja", "開始")):
        page.locator("header .icon-button").click()
        page.locator("dialog label", has_text=language).click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name=start, exact=True)).to_be_visible()
        assert page.locator("html").get_attribute("lang") == code


@pytest.mark.parametrize("name", list(WIDTHS))
def test_screens_of_all_sizes(browser: Browser, address: str, name: str) -> None:
    width, height = WIDTHS[name]
    context = browser.new_context(
        locale="en-US", viewport={"width": width, "height": height}, has_touch=name == "phone"
    )
    driver = PageDriver(context.new_page(), address)
    driver.open()
    for tab in ("Analyse", "Review", "Learn", "Play"):
        driver.tab(tab)
        wide = driver.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, tab
        if tab != "Play":  # whose board is empty before a game
            _board_is_large(driver, width)
    start = driver.page.get_by_role("button", name="Start").bounding_box()
    assert start is not None
    assert start["y"] + start["height"] < height - 60  # in sight, above the tabs
    driver.start()
    expect(driver.page.locator("form")).to_have_count(0)
    _board_is_large(driver, width)
    if name == "phone":
        driver.page.touchscreen.tap(*driver.pixel("h8"))
    else:
        driver.click("h8")
    driver.stones(2)
    assert driver.errors == []
    context.close()


def _board_is_large(driver: PageDriver, width: int) -> None:
    box = driver.page.locator("#board").bounding_box()
    assert box is not None
    assert box["width"] >= min(width - 24, 480)


def test_two_people_on_one_board(driver: PageDriver) -> None:
    page = driver.page
    page.get_by_text("Two players").click()
    expect(page.get_by_text("You play")).to_have_count(0)
    expect(page.locator("input[type=range]")).to_have_count(0)
    page.get_by_role("button", name="Start").click()
    driver.sees("Black to move")
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    driver.line("h8", "a1", "h9")
    driver.sees("White to move")
    page.get_by_role("button", name="Take back").click()
    driver.stones(2)
    driver.line("h9", "a3", "h10", "a5", "h11", "a7", "h12")
    driver.sees("Black wins")
    page.get_by_role("button", name="Your games").click()
    expect(page.locator(".entry").first).to_contain_text("Two players")
    page.get_by_role("button", name="Rematch").click()
    driver.stones(0)
    driver.line("h8", "i9")  # no answer comes


def test_accessibility(driver: PageDriver) -> None:
    """axe finds nothing to complain about: all tabs, both themes, phone and desktop."""
    page = driver.page
    driver.start()
    driver.click("h8")
    driver.stones(2)
    driver.paste("h8 i9 g7")
    expect(page.get_by_role("button", name="Review this game")).to_be_visible()
    faults = []
    for width, height in ((1280, 860), WIDTHS["phone"]):
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for tab in ("Play", "Analyse", "Review", "Learn"):
                driver.tab(tab)
                expect(page.locator(".panel .card").first).to_be_visible()
                faults += [f"{width} {scheme} {tab}: {fault}" for fault in _barriers(driver)]
            page.get_by_role("button", name="Settings").click()
            expect(page.locator("dialog")).to_be_visible()
            faults += [f"{width} {scheme} settings: {fault}" for fault in _barriers(driver)]
            page.keyboard.press("Escape")
    assert faults == []


def _barriers(driver: PageDriver) -> list[str]:
    results = Axe().run(driver.page, options={"resultTypes": ["violations"]})
    return [
        f"{violation['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:160]}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]


def test_the_address_sets_up_a_new_game(driver: PageDriver) -> None:
    """As `tengen play --level 8 --rule freestyle --size 19 --colour white` opens it."""
    page = driver.page
    page.goto(f"{driver.url}#level=8&rule=freestyle&size=19&you=white")
    page.reload()
    expect(page.locator("input[type=range]")).to_have_value("8")
    expect(page.get_by_label("Rule")).to_have_value("freestyle")
    assert "level" not in page.url
    page.get_by_role("button", name="Start").click()
    driver.stones(1)
    expect(page.locator(".state")).to_contain_text("Freestyle · 19")
    page.goto(f"{driver.url}#level=99&rule=chess&seconds=x")
    page.reload()
    driver.stones(1)
