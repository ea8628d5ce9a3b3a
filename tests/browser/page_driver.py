# SPDX-License-Identifier: MIT
"""Drives the page in a browser, for tests: clicks points, counts stones, collects errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

__all__ = ["CHROMIUM", "PageDriver", "run_chromium", "server_only", "static_only"]

CHROMIUM = os.environ.get("TENGEN_CHROMIUM") or shutil.which("chromium")
CELL, MARGIN = 40, 42  # as in web/src/components/Board.svelte

server_only = pytest.mark.parametrize("edition", ["server"], indirect=True)
static_only = pytest.mark.parametrize("edition", ["static"], indirect=True)


@contextmanager
def run_chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        raise SystemExit("Chromium is not installed")
    with sync_playwright() as tools:
        # Root in a container has no sandbox.
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class PageDriver:
    """One page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.errors: list[str] = []
        self.foreign_requests: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._on_request)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.foreign_requests.append(request.url)

    def open(self, fragment: str = "") -> None:
        self.page.goto(self.url + fragment)
        expect(self.page.locator("nav .tab")).to_have_count(4)
        expect(self.page.get_by_role("button", name="Start")).to_be_enabled()

    def start(self, you: str = "black") -> None:
        """Starts a new game."""
        self.page.locator(f".segments label:has(input[name=you][value={you}])").click()
        self.page.get_by_role("button", name="Start").click()

    def paste(self, text: str) -> None:
        """Loads a text as a game to review."""
        self.tab("Review")
        self.page.get_by_placeholder("h8").fill(text)
        self.page.get_by_role("button", name="Load", exact=True).click()

    def tab(self, name: str) -> None:
        self.page.locator("nav .tab", has_text=name).click()

    def pixel(self, point: str, size: int = 15) -> tuple[float, float]:
        """The screen coordinates of a point."""
        self.page.locator("#board").scroll_into_view_if_needed()
        box = self.page.locator("#board").bounding_box()
        assert box is not None
        side = (size - 1) * CELL + 2 * MARGIN
        x = MARGIN + (ord(point[0]) - ord("a")) * CELL
        y = side - MARGIN - (int(point[1:]) - 1) * CELL
        return box["x"] + x * box["width"] / side, box["y"] + y * box["height"] / side

    def click(self, point: str, size: int = 15) -> None:
        self.page.mouse.click(*self.pixel(point, size))

    def stones(self, number: int) -> None:
        """Waits for this number of stones on the board."""
        expect(self.page.locator("#board .stone:not(.ghost)")).to_have_count(number)

    def line(self, *points: str) -> None:
        """Plays points in the study."""
        before = self.page.locator("#board .stone:not(.ghost)").count()
        for number, point in enumerate(points, start=1):
            self.click(point)
            self.stones(before + number)

    def wait_until_kept(self) -> None:
        """Waits until the service worker of the static edition keeps the page."""
        self.page.wait_for_function("navigator.serviceWorker.controller !== null")

    def reviewed(self) -> None:
        """Waits for the end of a review."""
        saved = self.page.get_by_role("button", name="Save SGF with analysis")
        expect(saved).to_be_visible(timeout=60_000)

    def sees(self, text: str) -> None:
        expect(self.page.locator("body")).to_contain_text(text)
