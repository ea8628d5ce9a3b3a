# SPDX-License-Identifier: MIT
"""What people do in their first ten minutes: drop files anywhere, reload, go back, follow links,
turn the phone, type the wrong token, meet a server that is not there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.table import Table
from tengen.web.bounds import Bounds
from web_server import Served, served

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


def _paste(table: Table, text: str) -> None:
    table.tab("Review")
    table.page.get_by_placeholder("h8").fill(text)
    table.page.get_by_role("button", name="Load", exact=True).click()


def _reviewed(table: Table) -> None:
    expect(table.page.get_by_role("button", name="Save SGF with analysis")).to_be_visible(
        timeout=60_000
    )


# --- files ---


def test_a_file_may_be_dropped_anywhere(table: Table) -> None:
    board = table.page.locator("#board")
    assert board.evaluate(DROP, ["game.sgf", list(GAME.encode())]) == [True, True]
    table.said("Ann")
    expect(table.page.get_by_role("button", name="Review this game")).to_be_visible()


def test_an_sgf_in_the_encoding_that_it_names(table: Table) -> None:
    game = GAME.replace("GM[4]", "GM[4]CA[GB18030]").replace("Ann", "曹冬").encode("gb18030")
    table.page.locator("#board").evaluate(DROP, ["game.sgf", list(game)])
    table.said("曹冬")


def test_a_file_that_is_too_large_is_refused_in_words(table: Table) -> None:
    table.page.locator("#board").evaluate(
        f"(node, given) => ({DROP})(node, ['game.sgf', new Array(500000).fill(32)])", None
    )
    table.said("too large: 500 kB of 400 kB")


def test_what_could_not_be_read_stays_to_be_mended(table: Table) -> None:
    _paste(table, "h8 i9 z99")
    expect(table.page.locator(".notice.fault")).to_be_visible()
    expect(table.page.get_by_placeholder("h8")).to_have_value("h8 i9 z99")


# --- reloading, going back ---


def test_a_review_survives_a_reload(table: Table) -> None:
    _paste(table, MOVES)
    table.page.get_by_role("button", name="Review this game").click()
    _reviewed(table)
    errors = table.page.locator(".entry").count()
    assert errors
    table.page.reload()
    _reviewed(table)
    expect(table.page.locator(".entry")).to_have_count(errors)
    expect(table.page.locator(".graph .curve")).to_have_count(1)


def test_a_review_goes_on_after_a_reload_in_its_middle(table: Table) -> None:
    _paste(table, MOVES)
    table.page.get_by_role("button", name="Review this game").click()
    expect(table.page.locator("progress")).to_be_visible()
    table.page.reload()
    _reviewed(table)


def test_a_review_goes_on_after_a_restart_of_the_server(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    with served(data) as server:
        port = server.port
        table = Table(page, server.url)
        table.open()
        _paste(table, MOVES)
        page.get_by_role("button", name="Review this game").click()
        expect(page.locator("progress")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Connection lost")
    with served(data, port=port):
        _reviewed(table)
    context.close()


def test_a_reload_comes_back_to_the_same_variation(table: Table) -> None:
    table.tab("Analyse")
    table.line("h8", "i9", "h9")
    table.page.keyboard.press("ArrowLeft")
    table.stones(2)
    table.line("g9")
    table.page.wait_for_timeout(1000)  # it is kept when it rests
    table.page.reload()
    expect(table.page.locator(".move.current")).to_have_text(re.compile("g9"))


def test_the_way_back_leads_through_the_tabs(table: Table) -> None:
    table.tab("Analyse")
    table.tab("Learn")
    table.page.go_back()
    expect(table.page.locator("nav [aria-current]")).to_have_text("Analyse")
    table.page.go_back()
    expect(table.page.locator("nav [aria-current]")).to_have_text("Play")


# --- links ---


def _own_study(table: Table) -> None:
    table.tab("Analyse")
    table.line("h8", "i9", "h9")
    table.page.wait_for_timeout(1000)


def test_a_link_opens_in_the_page_that_is_open(table: Table) -> None:
    table.page.evaluate("location.hash = '#p=freestyle/15/h8i9'")
    table.stones(2)
    expect(table.page.locator("nav [aria-current]")).to_have_text("Analyse")


def test_a_link_of_a_stranger_does_not_take_the_study_away(table: Table) -> None:
    """Any page can open such a link: what was kept goes only when the person changes something."""
    _own_study(table)
    other = table.page.context.new_page()
    other.goto(f"{table.url}#p=freestyle/15/a1")
    expect(other.locator("#board .stone:not(.ghost)")).to_have_count(1)
    other.keyboard.press("ArrowLeft")
    other.wait_for_timeout(1200)
    other.reload()
    expect(other.locator(".count")).to_have_text("1 / 1")  # a reload shows the link again
    other.close()
    table.page.reload()
    table.stones(3)


@pytest.mark.parametrize("link", ["#p=%zz", "#p=renju/15/h8h8", "#p=renju/99/h8", "#p=//"])
def test_a_broken_link_leaves_the_study_as_it_was(table: Table, link: str) -> None:
    _own_study(table)
    page = table.page.context.new_page()
    page.goto(table.url + link)
    expect(page.locator("#board .stone:not(.ghost)")).to_have_count(3)
    page.close()


# --- tabs of the page ---


def test_blocking_moves_ends_with_the_analysis(table: Table) -> None:
    table.tab("Analyse")
    table.line("h8")
    table.page.get_by_role("button", name="Block moves").click()
    table.tab("Review")
    table.click("i9")
    table.stones(2)


def test_nobody_is_asked_twice_whether_to_resign(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("button", name="Really resign?")).to_be_focused()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Resign").click()
    table.click("h8")
    table.stones(2)
    expect(page.get_by_role("button", name="Really resign?")).to_have_count(0)


# --- screens ---


@pytest.mark.parametrize(("width", "height"), [(360, 640), (320, 568), (390, 844)])
def test_what_matters_is_in_sight_on_a_phone(
    browser: Browser, server: Served, width: int, height: int
) -> None:
    context = browser.new_context(locale="en-US", viewport={"width": width, "height": height})
    table = Table(context.new_page(), server.url)
    table.open()
    assert _is_in_sight(table.page, "form button.main")
    table.page.get_by_role("button", name="Start").click()
    expect(table.page.locator(".actions")).to_be_visible()
    assert _is_in_sight(table.page, ".actions .button >> nth=-1")
    assert table.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def _is_in_sight(page: Page, selector: str) -> bool:
    """Above the tabs, without scrolling."""
    box = page.locator(selector).bounding_box()
    tabs = page.locator("nav").bounding_box()
    assert box is not None
    assert tabs is not None
    return box["y"] + box["height"] <= tabs["y"]


@pytest.mark.parametrize(("width", "height"), [(667, 375), (844, 390)])
def test_a_phone_on_its_side(browser: Browser, server: Served, width: int, height: int) -> None:
    context = browser.new_context(locale="en-US", viewport={"width": width, "height": height})
    table = Table(context.new_page(), server.url)
    table.open()
    for tab in ("Analyse", "Play"):
        table.tab(tab)
        board = table.page.locator("#board").bounding_box()
        assert board is not None
        assert board["width"] >= height - 80
        assert board["y"] + board["height"] <= height
        assert table.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_desktop_has_no_second_scroll_bar(table: Table) -> None:
    for tab in ("Play", "Analyse", "Review", "Learn"):
        table.tab(tab)
        assert table.page.evaluate("document.documentElement.scrollHeight <= innerHeight"), tab


# --- browsers and servers that do not do as they should ---


def test_a_browser_that_keeps_nothing(browser: Browser, server: Served) -> None:
    context = browser.new_context(locale="en-US")
    context.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"])
             Object.defineProperty(window, name, { get() { throw new Error("denied"); } });"""
    )
    table = Table(context.new_page(), server.url)
    table.open()
    table.page.get_by_role("button", name="Start").click()
    table.said("Your turn")
    assert table.faults == []
    context.close()


def test_no_connection_is_told_from_the_beginning(browser: Browser, server: Served) -> None:
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    page.route_web_socket(re.compile("/ws$"), lambda socket: socket.close())
    page.goto(server.url)
    expect(page.get_by_role("alert")).to_contain_text("No connection to Tengen yet")
    context.close()


def test_a_wrong_token_is_told(browser: Browser) -> None:
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    with served(None, token="right-token", bounds=Bounds(engines=2, memory=8)) as server:
        page.goto(server.url)
        page.get_by_label("Token").fill("wrong-token")
        page.get_by_role("button", name="Enter").click()
        table = Table(page, server.url)
        table.said("That token is not the right one")
        page.evaluate("location.hash = '#token=right-token'")  # the printed address, pasted
        expect(page.get_by_role("button", name="Start")).to_be_enabled()
        assert "token" not in page.url
    context.close()
