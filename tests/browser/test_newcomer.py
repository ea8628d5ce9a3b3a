# SPDX-License-Identifier: MIT
"""First steps of a new user: dropped files, reloads, Back, links, a rotated phone, a wrong token, a
missing server.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.page_driver import PageDriver
from tengen.web.limits import ServerLimits
from web_server import RunningServer, run_server

MOVES = "h8 d4 h9 e4 h10 f4 h11 h12 o15 h7"
GAME = "(;GM[4]SZ[15]RU[freestyle]PB[Ann]PW[Bob];B[hh];W[dl];B[hg])"
DROP = """(node, [name, bytes]) => {
  const held = new DataTransfer();
  held.items.add(new File([new Uint8Array(bytes)], name));
  const over = new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: held });
  node.dispatchEvent(over);
  const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: held });
  return [over.defaultPrevented, !node.dispatchEvent(drop)];
}"""


def _paste(driver: PageDriver, text: str) -> None:
    driver.tab("Review")
    driver.page.get_by_placeholder("h8").fill(text)
    driver.page.get_by_role("button", name="Load", exact=True).click()


def _reviewed(driver: PageDriver) -> None:
    expect(driver.page.get_by_role("button", name="Save SGF with analysis")).to_be_visible(
        timeout=60_000
    )


# --- files ---


def test_a_file_may_be_dropped_anywhere(driver: PageDriver) -> None:
    board = driver.page.locator("#board")
    assert board.evaluate(DROP, ["game.sgf", list(GAME.encode())]) == [True, True]
    driver.sees("Ann")
    expect(driver.page.get_by_role("button", name="Review this game")).to_be_visible()


def test_an_sgf_in_the_encoding_that_it_names(driver: PageDriver) -> None:
    game = GAME.replace("GM[4]", "GM[4]CA[GB18030]").replace("Ann", "曹冬").encode("gb18030")
    driver.page.locator("#board").evaluate(DROP, ["game.sgf", list(game)])
    driver.sees("曹冬")


def test_a_file_that_is_too_large_is_rejected(driver: PageDriver) -> None:
    driver.page.locator("#board").evaluate(
        f"(node, given) => ({DROP})(node, ['game.sgf', new Array(500000).fill(32)])", None
    )
    driver.sees("too large: 500 kB (the limit is 400 kB)")


def test_unreadable_text_stays_for_editing(driver: PageDriver) -> None:
    _paste(driver, "h8 i9 z99")
    expect(driver.page.locator(".notice.error")).to_be_visible()
    expect(driver.page.get_by_placeholder("h8")).to_have_value("h8 i9 z99")


# --- reloading, going back ---


def test_a_review_survives_a_reload(driver: PageDriver) -> None:
    _paste(driver, MOVES)
    driver.page.get_by_role("button", name="Review this game").click()
    _reviewed(driver)
    errors = driver.page.locator(".entry").count()
    assert errors
    driver.page.reload()
    _reviewed(driver)
    expect(driver.page.locator(".entry")).to_have_count(errors)
    expect(driver.page.locator(".graph .curve")).to_have_count(1)


def test_a_review_continues_after_a_reload_in_its_middle(driver: PageDriver) -> None:
    _paste(driver, MOVES)
    driver.page.get_by_role("button", name="Review this game").click()
    expect(driver.page.locator("progress")).to_be_visible()
    driver.page.reload()
    _reviewed(driver)


def test_a_review_continues_after_a_restart_of_the_server(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    with run_server(data) as server:
        port = server.port
        driver = PageDriver(page, server.url)
        driver.open()
        _paste(driver, MOVES)
        page.get_by_role("button", name="Review this game").click()
        expect(page.locator("progress")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Connection lost")
    with run_server(data, port=port):
        _reviewed(driver)
    context.close()


def test_a_reload_restores_the_variation(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    driver.page.keyboard.press("ArrowLeft")
    driver.stones(2)
    driver.line("g9")
    driver.page.wait_for_timeout(1000)  # saved after a pause
    driver.page.reload()
    expect(driver.page.locator(".move.current")).to_have_text(re.compile("g9"))


def test_back_goes_through_the_tabs(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.tab("Learn")
    driver.page.go_back()
    expect(driver.page.locator("nav [aria-current]")).to_have_text("Analyse")
    driver.page.go_back()
    expect(driver.page.locator("nav [aria-current]")).to_have_text("Play")


# --- links ---


def _own_study(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    driver.page.wait_for_timeout(1000)


def test_a_link_opens_in_the_page_that_is_open(driver: PageDriver) -> None:
    driver.page.evaluate("location.hash = '#p=freestyle/15/h8i9'")
    driver.stones(2)
    expect(driver.page.locator("nav [aria-current]")).to_have_text("Analyse")


def test_a_foreign_link_keeps_the_stored_study(driver: PageDriver) -> None:
    """Any page can open such a link; only a change by the user replaces the stored study."""
    _own_study(driver)
    other = driver.page.context.new_page()
    other.goto(f"{driver.url}#p=freestyle/15/a1")
    expect(other.locator("#board .stone:not(.ghost)")).to_have_count(1)
    other.keyboard.press("ArrowLeft")
    other.wait_for_timeout(1200)
    other.reload()
    expect(other.locator(".count")).to_have_text("1 / 1")  # a reload shows the link again
    other.close()
    driver.page.reload()
    driver.stones(3)


@pytest.mark.parametrize("link", ["#p=%zz", "#p=renju/15/h8h8", "#p=renju/99/h8", "#p=//"])
def test_a_broken_link_leaves_the_study_as_it_was(driver: PageDriver, link: str) -> None:
    _own_study(driver)
    page = driver.page.context.new_page()
    page.goto(driver.url + link)
    expect(page.locator("#board .stone:not(.ghost)")).to_have_count(3)
    page.close()


# --- tabs of the page ---


def test_excluded_moves_end_with_the_analysis(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.line("h8")
    driver.page.get_by_role("button", name="Exclude moves").click()
    driver.tab("Review")
    driver.click("i9")
    driver.stones(2)


def test_resignation_is_confirmed_once(driver: PageDriver) -> None:
    page = driver.page
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("button", name="Really resign?")).to_be_focused()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Resign").click()
    driver.click("h8")
    driver.stones(2)
    expect(page.get_by_role("button", name="Really resign?")).to_have_count(0)


# --- screens ---


@pytest.mark.parametrize(("width", "height"), [(360, 640), (320, 568), (390, 844)])
def test_controls_are_visible_on_a_phone(
    browser: Browser, server: RunningServer, width: int, height: int
) -> None:
    context = browser.new_context(locale="en-US", viewport={"width": width, "height": height})
    driver = PageDriver(context.new_page(), server.url)
    driver.open()
    assert _is_in_sight(driver.page, "form button.main")
    driver.page.get_by_role("button", name="Start").click()
    expect(driver.page.locator(".actions")).to_be_visible()
    assert _is_in_sight(driver.page, ".actions .button >> nth=-1")
    assert driver.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def _is_in_sight(page: Page, selector: str) -> bool:
    """Above the tabs, without scrolling."""
    box = page.locator(selector).bounding_box()
    tabs = page.locator("nav").bounding_box()
    assert box is not None
    assert tabs is not None
    return box["y"] + box["height"] <= tabs["y"]


@pytest.mark.parametrize(("width", "height"), [(667, 375), (844, 390)])
def test_a_phone_in_landscape(
    browser: Browser, server: RunningServer, width: int, height: int
) -> None:
    context = browser.new_context(locale="en-US", viewport={"width": width, "height": height})
    driver = PageDriver(context.new_page(), server.url)
    driver.open()
    for tab in ("Analyse", "Play"):
        driver.tab(tab)
        board = driver.page.locator("#board").bounding_box()
        assert board is not None
        assert board["width"] >= height - 80
        assert board["y"] + board["height"] <= height
        assert driver.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_desktop_has_no_second_scroll_bar(driver: PageDriver) -> None:
    for tab in ("Play", "Analyse", "Review", "Learn"):
        driver.tab(tab)
        assert driver.page.evaluate("document.documentElement.scrollHeight <= innerHeight"), tab


# --- browsers and servers that do not do as they should ---


def test_a_browser_without_storage(browser: Browser, server: RunningServer) -> None:
    context = browser.new_context(locale="en-US")
    context.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"])
             Object.defineProperty(window, name, { get() { throw new Error("denied"); } });"""
    )
    driver = PageDriver(context.new_page(), server.url)
    driver.open()
    driver.page.get_by_role("button", name="Start").click()
    driver.sees("Your turn")
    assert driver.errors == []
    context.close()


def test_a_missing_connection_is_reported(browser: Browser, server: RunningServer) -> None:
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    page.route_web_socket(re.compile("/ws$"), lambda socket: socket.close())
    page.goto(server.url)
    expect(page.get_by_role("alert")).to_contain_text("Cannot connect to Tengen")
    context.close()


def test_a_wrong_token_is_reported(browser: Browser) -> None:
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    with run_server(None, token="right-token", limits=ServerLimits(engines=2, memory=8)) as server:
        page.goto(server.url)
        page.get_by_label("Token").fill("wrong-token")
        page.get_by_role("button", name="Enter").click()
        driver = PageDriver(page, server.url)
        driver.sees("Wrong token")
        page.evaluate("location.hash = '#token=right-token'")  # the printed address, pasted
        expect(page.get_by_role("button", name="Start")).to_be_enabled()
        assert "token" not in page.url
    context.close()
