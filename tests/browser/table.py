# SPDX-License-Identifier: MIT
"""The page as a person sees it, for tests: clicks on points, reads stones, notes every fault."""

from __future__ import annotations

from playwright.sync_api import ConsoleMessage, Page, Request, expect

__all__ = ["Table"]

CELL, MARGIN = 40, 42  # of web/src/parts/Board.svelte, with coordinates


class Table:
    """One page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.faults: list[str] = []
        self.strangers: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.strangers.append(request.url)

    def open(self, fragment: str = "") -> None:
        self.page.goto(self.url + fragment)
        expect(self.page.locator("nav .tab")).to_have_count(4)
        expect(self.page.get_by_role("button", name="Start")).to_be_enabled()

    def tab(self, name: str) -> None:
        self.page.locator("nav .tab", has_text=name).click()

    def spot(self, point: str, size: int = 15) -> tuple[float, float]:
        """Where a point is on the screen."""
        self.page.locator("#board").scroll_into_view_if_needed()
        box = self.page.locator("#board").bounding_box()
        assert box is not None
        side = (size - 1) * CELL + 2 * MARGIN
        x = MARGIN + (ord(point[0]) - ord("a")) * CELL
        y = side - MARGIN - (int(point[1:]) - 1) * CELL
        return box["x"] + x * box["width"] / side, box["y"] + y * box["height"] / side

    def click(self, point: str, size: int = 15) -> None:
        self.page.mouse.click(*self.spot(point, size))

    def stones(self, number: int) -> None:
        """Wait until there are so many stones."""
        expect(self.page.locator("#board .stone:not(.ghost)")).to_have_count(number)

    def line(self, *points: str) -> None:
        """Play points in the study, one after the other."""
        before = self.page.locator("#board .stone:not(.ghost)").count()
        for number, point in enumerate(points, start=1):
            self.click(point)
            self.stones(before + number)

    def said(self, words: str) -> None:
        expect(self.page.locator("body")).to_contain_text(words)
