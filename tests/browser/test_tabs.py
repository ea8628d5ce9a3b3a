# SPDX-License-Identifier: MIT
"""Several tabs of one browser: none overwrites what another one has changed since."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from browser.page_driver import PageDriver

SAVED = 1200  # ms after which a study is stored
MOVES = ".moves .move[data-id]"
WITH_THE_TABS = """([send, until]) => new Promise((done) => {
  const channel = new BroadcastChannel("tengen-game");
  channel.onmessage = ({ data }) => {
    if (data.type === "game" && JSON.parse(data.state).moves.length === until) done(data);
  };
  channel.postMessage(send);
  setTimeout(() => done(null), 10_000);
})"""  # sends a message, and waits for a game of so many moves


def _study(driver: PageDriver, *moves: str) -> None:
    driver.tab("Analyse")
    driver.line(*moves)
    driver.page.wait_for_timeout(SAVED)


def _other(page: Page, url: str) -> PageDriver:
    """Another tab."""
    made = PageDriver(page.context.new_page(), url)
    made.page.goto(f"{url}#analyse")
    return made


def test_a_newer_study_of_another_tab_is_not_overwritten(driver: PageDriver) -> None:
    page = driver.page
    conflict = page.locator(".notice.action.error")
    _study(driver, "h8", "i9")
    other = _other(page, driver.url)
    other.stones(2)
    _study(other, "h9")
    page.keyboard.press("ArrowLeft")  # changes nothing
    driver.stones(1)
    page.wait_for_timeout(SAVED)
    other.page.reload()
    other.stones(3)
    expect(conflict).to_have_count(0)

    driver.line("g9")
    expect(conflict).to_have_count(1)
    other.page.reload()
    other.stones(3)
    expect(other.page.locator(MOVES)).to_contain_text(["h8", "i9", "h9"])

    conflict.click()
    page.wait_for_timeout(SAVED)
    other.page.reload()
    expect(other.page.locator(MOVES)).to_contain_text(["h8", "i9", "g9"])
    assert other.errors == []


def test_every_tab_keeps_its_place_in_the_study(driver: PageDriver) -> None:
    page = driver.page
    _study(driver, "h8", "i9", "h9")
    other = _other(page, driver.url)
    other.stones(3)
    page.keyboard.press("ArrowLeft")
    driver.stones(2)
    page.reload()
    driver.stones(2)
    other.page.reload()
    other.stones(3)


def test_an_old_state_of_the_game_is_not_taken_over(driver: PageDriver) -> None:
    """A tab that was frozen answers with the game as it was then."""
    page = driver.page
    other = page.context.new_page()
    other.goto(f"{driver.url}icon.svg")
    driver.start()
    driver.click("h8")
    driver.stones(2)
    old = other.evaluate(WITH_THE_TABS, [{"type": "query"}, 2])
    driver.click("a1")
    driver.stones(4)
    assert other.evaluate(WITH_THE_TABS, [{**old, "from": "zz"}, 4])  # the tab's own game
    driver.stones(4)


def test_games_that_another_tab_has_not_written_are_kept(driver: PageDriver, edition: str) -> None:
    page = driver.page
    driver.start()
    page.evaluate(
        """() => {
          localStorage.setItem("tengen-unwritten", JSON.stringify(
            { games: [{ game: "another", state: "{}", changed: 1 }], study: null }));
          IDBDatabase.prototype.transaction = () => { throw new Error("the disk is full"); };
        }"""
    )
    driver.click("h8")
    driver.stones(2)
    page.goto(f"{driver.url}icon.svg")
    kept = json.loads(page.evaluate("""localStorage.getItem("tengen-unwritten")"""))["games"]
    assert len(kept) == 2
    assert "another" in {entry["game"] for entry in kept}
