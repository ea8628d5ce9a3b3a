# SPDX-License-Identifier: MIT
"""Clicks before the answer to an earlier one, in the order that is hardest for the page; time that
runs out; messages that are too large.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

from browser.page_driver import PageDriver, static_only
from web_server import RunningServer

DROP = """(text) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "games.sgf"));
  document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer }));
}"""


class Link:
    """Between the page and the server: holds back the events that `holds` picks."""

    def __init__(self, page: Page) -> None:
        self.holds: Callable[[dict[str, Any]], bool] = lambda event: False
        self.opened = 0
        self._held: list[str | bytes] = []
        self._route: WebSocketRoute | None = None
        page.route_web_socket("**/ws", self._open)

    def _open(self, route: WebSocketRoute) -> None:
        self.opened += 1
        self._route = route
        route.connect_to_server().on_message(self._on_event)

    def _on_event(self, text: str | bytes) -> None:
        assert self._route is not None
        if self.holds(json.loads(text)):
            self._held.append(text)
        else:
            self._route.send(text)

    def hold(self, *types: str) -> None:
        self.holds = lambda event: event["type"] in types

    def wait(self, page: Page, count: int) -> None:
        """Waits until so many events are held."""
        for _ in range(500):
            if len(self._held) >= count:
                return
            page.wait_for_timeout(20)
        raise AssertionError(f"expected {count} events, got {len(self._held)}")

    def release(self) -> None:
        assert self._route is not None
        self.hold()
        for text in self._held:
            self._route.send(text)
        self._held.clear()


@pytest.fixture
def held(context: BrowserContext, server: RunningServer) -> tuple[PageDriver, Link]:
    page = context.new_page()
    link = Link(page)
    driver = PageDriver(page, server.url)
    driver.open()
    return driver, link


Held = tuple[PageDriver, Link]


def test_a_click_while_a_link_is_checked_counts(held: Held) -> None:
    driver, link = held
    link.hold("views")
    driver.page.evaluate("location.hash = '#p=freestyle/15/h8i9'")
    driver.stones(2)
    driver.click("a1")
    link.wait(driver.page, 2)
    link.release()
    driver.stones(3)
    driver.line("a3")
    assert driver.errors == []


def test_a_later_record_replaces_an_earlier_one(held: Held) -> None:
    driver, link = held
    page = driver.page
    driver.tab("Review")
    link.hold("views")
    page.evaluate(DROP, "(;GM[4]SZ[15]PB[Ann];B[hh])(;GM[4]SZ[15]PB[Bob];B[hg])")
    link.wait(page, 1)
    link.hold()
    page.evaluate(DROP, "(;GM[4]SZ[15]PB[Cid];B[hh])")
    expect(page.locator(".names")).to_contain_text("Cid")
    link.release()
    driver.line("a1")
    expect(page.locator(".names")).to_contain_text("Cid")
    expect(page.locator("details .entry")).to_have_count(0)


def test_a_solution_is_shown_once(held: Held) -> None:
    driver, link = held
    driver.tab("Learn")
    show = driver.page.get_by_role("button", name="Show the solution")
    expect(show).to_be_enabled()
    link.hold("solution")
    show.click()
    expect(show).to_be_disabled()
    link.release()
    expect(driver.page.locator(".verdict.solved")).to_be_visible()
    assert driver.errors == []


def test_a_study_that_is_too_large_to_send_stays_in_the_browser(held: Held) -> None:
    """As JSON in JSON, a quotation mark has four characters."""
    driver, link = held
    driver.tab("Review")
    driver.page.evaluate(DROP, f"(;GM[4]SZ[15]C[{150_000 * chr(34)}];B[hh])")
    expect(driver.page.locator(".names")).to_be_visible()
    driver.line("a1")
    driver.page.wait_for_timeout(1200)  # saved after a pause
    driver.line("a3")
    assert link.opened == 1
    assert driver.errors == []


@static_only
def test_a_blocked_database_does_not_stop_the_page(context: BrowserContext, address: str) -> None:
    context.add_init_script(
        """IDBFactory.prototype.open = () => {
          const request = {};
          setTimeout(() => request.onblocked(new Event("blocked")));
          return request;
        };"""
    )
    driver = PageDriver(context.new_page(), address)
    driver.open()
    expect(driver.page.locator(".notice.error")).to_be_visible()
    driver.start()
    driver.click("h8")
    driver.stones(2)
    assert driver.errors == []


# --- one page ---


def test_a_game_lost_on_time_stays_lost(driver: PageDriver) -> None:
    page = driver.page
    page.get_by_text("More options").click()
    page.locator(".segments label:has(input[name=clock][value='5+3'])").click()
    driver.start()
    driver.click("h8")
    driver.stones(2)
    page.add_init_script(
        """{
          const [game, ply, , white] = JSON.parse(localStorage.getItem("tengen-clock"));
          localStorage.setItem("tengen-clock", JSON.stringify([game, ply, 0.1, white]));
        }"""
    )
    page.reload()
    expect(page.locator(".result")).to_be_visible()
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()


def test_keys_of_a_choice_are_its_own(driver: PageDriver) -> None:
    page = driver.page
    driver.start()
    driver.click("h8")
    driver.stones(2)
    page.get_by_role("button", name="New game").click()
    page.locator("input[name=you][value=black]").focus()
    page.keyboard.press("u")
    page.keyboard.press("ArrowRight")
    expect(page.locator("input[name=you][value=white]")).to_be_checked()
    driver.stones(2)


def test_deleting_its_position_closes_a_proof(driver: PageDriver) -> None:
    page = driver.page
    page.goto(f"{driver.url}#p=freestyle/15/a3c3/g8h8i9i10/a1c1a15o1/black")
    page.reload()
    driver.stones(10)
    page.get_by_role("button", name="Find VCT", exact=True).click()
    page.get_by_role("button", name="Black plays i8").click()
    driver.stones(11)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    driver.stones(9)
    page.get_by_role("button", name="Delete from here").click()
    driver.stones(8)
    expect(page.get_by_role("button", name="Black plays")).to_have_count(0)
    expect(page.get_by_role("button", name="Close")).to_have_count(0)


def test_every_replaced_study_comes_back(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9")
    page.get_by_role("button", name="Set up").click()
    driver.click("a1")
    page.get_by_role("button", name="Done").click()
    driver.stones(3)
    page.locator(".notice.action").click()
    driver.stones(2)
    driver.tab("Review")
    page.evaluate(DROP, "(;GM[4]SZ[15]PB[Ann];B[hh])")
    expect(page.locator(".names")).to_contain_text("Ann")
    page.locator(".notice.action").click()
    driver.stones(2)
