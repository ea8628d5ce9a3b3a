# SPDX-License-Identifier: MIT
"""First steps of a new user: the walk, dropped files, reloads, Back, links, a rotated phone, a
wrong token, a missing server.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

import tengen.web
from browser.page_driver import PageDriver
from tengen.game import records
from tengen.web.limits import ServerLimits
from web_server import RunningServer, run_server

MOVES = "h8 d4 h9 e4 h10 f4 h11 h12 o15 h7"
GAME = (
    "(;GM[4]SZ[15]RU[freestyle]PB[Ann]PW[Bob]"
    ";B[hh];W[dl];B[hg];W[el];B[hf];W[fl];B[he];W[hd];B[oa];W[hi])"
)
STATIC = Path(tengen.web.__file__).parent / "static"
WALK = 6  # clicks beside the moves of the game
DROP = """(node, [name, bytes]) => {
  const held = new DataTransfer();
  held.items.add(new File([new Uint8Array(bytes)], name));
  const over = new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: held });
  node.dispatchEvent(over);
  const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: held });
  return [over.defaultPrevented, !node.dispatchEvent(drop)];
}"""


def test_the_walk(driver: PageDriver, edition: str, tmp_path: Path) -> None:
    """Play renju as white, load an SGF, find where the game was lost, save it."""
    page, clicks = driver.page, 0

    def click(target: Locator) -> None:
        nonlocal clicks
        clicks += 1
        target.click()

    click(page.locator(".segments label:has(input[name=you][value=white])"))
    click(page.get_by_role("button", name="Start"))
    driver.stones(1)
    driver.sees("Your turn")
    expect(page.locator(".state")).to_contain_text("Renju")

    (tmp_path / "game.sgf").write_text(GAME, encoding="utf-8")
    click(page.locator("nav .tab", has_text="Review"))
    with page.expect_file_chooser() as choosing:
        click(page.get_by_text("Open a file"))
    choosing.value.set_files(tmp_path / "game.sgf")
    driver.sees("Ann")

    click(page.get_by_role("button", name="Review this game"))
    driver.reviewed()
    driver.sees("Accuracy")
    with page.expect_download() as waiting:
        click(page.get_by_role("button", name="Save SGF with analysis"))
    saved = records.loads(Path(waiting.value.path()).read_text("utf-8"), "sgf")[0]
    assert "Missed win" in saved.main_line()[9].comment
    assert saved.black == "Ann"
    assert clicks <= WALK

    # The end of this game is even: the slower engine of the static edition may see another loser.
    if edition == "server":
        expect(page.locator(".verdict .turning")).to_be_visible()
        driver.stones(8)  # before the move that misses the win
    expect(page.locator(".entry.missed_win")).to_have_count(1)
    page.keyboard.press("Home")
    driver.stones(0)
    page.locator(".entry.missed_win").click()
    driver.stones(8)
    expect(page.locator("#board .better")).to_have_count(1)


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
        f"(node, given) => ({DROP})(node, ['game.sgf', new Array(4500000).fill(32)])", None
    )
    driver.sees("too large: 4500 kB (the limit is 4000 kB)")


def test_unreadable_text_stays_for_editing(driver: PageDriver) -> None:
    driver.paste("h8 i9 z99")
    expect(driver.page.locator(".notice.error")).to_be_visible()
    expect(driver.page.get_by_placeholder("h8")).to_have_value("h8 i9 z99")


# --- reloading, going back ---


def test_a_review_survives_reloads(driver: PageDriver) -> None:
    """In its middle it continues."""
    page = driver.page
    driver.paste(MOVES)
    page.get_by_role("button", name="Review this game").click()
    expect(page.locator("progress")).to_be_visible()
    page.reload()
    driver.reviewed()
    errors = page.locator(".entry").count()
    assert errors
    page.reload()
    driver.reviewed()
    expect(page.locator(".entry")).to_have_count(errors)
    expect(page.locator(".graph .curve")).to_have_count(1)


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


def test_a_broken_link_leaves_the_study_as_it_was(driver: PageDriver) -> None:
    _own_study(driver)
    page = driver.page.context.new_page()
    for link in ("#p=%zz", "#p=renju/15/h8h8", "#p=renju/99/h8", "#p=//", "#g=renju/15/h8?"):
        page.goto("about:blank")
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
    browser: Browser, address: str, width: int, height: int
) -> None:
    context = browser.new_context(locale="en-US", viewport={"width": width, "height": height})
    driver = PageDriver(context.new_page(), address)
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
def test_a_phone_in_landscape(browser: Browser, address: str, width: int, height: int) -> None:
    context = browser.new_context(locale="en-US", viewport={"width": width, "height": height})
    driver = PageDriver(context.new_page(), address)
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


def test_a_page_without_the_engine_inside(context: BrowserContext, tmp_path: Path) -> None:
    """As a package that was built without emscripten has it."""
    for path in STATIC.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    with run_server(static=tmp_path) as server:
        driver = PageDriver(context.new_page(), server.url)
        driver.open()
        driver.start()
        driver.sees("Your turn")
        driver.page.get_by_role("button", name="Settings").click()
        expect(driver.page.get_by_text("Engine", exact=True)).to_have_count(0)
        assert driver.errors == []


def test_a_browser_without_storage(browser: Browser, edition: str, address: str) -> None:
    context = browser.new_context(locale="en-US")
    context.add_init_script(
        """for (const name of ["localStorage", "sessionStorage", "indexedDB"])
             Object.defineProperty(window, name, { get() { throw new Error("denied"); } });"""
    )
    driver = PageDriver(context.new_page(), address)
    driver.open()
    driver.start()
    driver.sees("Your turn")
    driver.click("h8")
    driver.stones(2)
    if edition == "static":  # the server's database would have the game
        driver.sees("This browser does not store games (denied)")
    driver.tab("Analyse")
    driver.line("h8", "i9")
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
